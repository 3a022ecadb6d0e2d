//! A parallel quicksort, after the bug of `qsort_mt` in SCTBench. A thread that splits its part looks for an idle helper and hands one half over; as
//! the look and the handing over are two critical sections, two threads may choose the same helper, and one half is never sorted.

use crate::Program;
use gordian::sync::atomic::{AtomicI32, Ordering::SeqCst};
use gordian::sync::{Condvar, Mutex};
use gordian::thread;
use std::ops::Range;

/// The bug.
pub const PROGRAM: Program = Program {
    name: "parallel-sort",
    source: "SCTBench, misc.qsort_mt",
    about: "two threads hand their work to the same idle helper, and one of the two is lost",
    threads: 4,
    body: parallel_sort,
    ..Program::USUAL
};

#[derive(Default)]
struct Helper {
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Default)]
struct State {
    part: Option<Range<usize>>,
    closed: bool,
}

type Numbers = [AtomicI32; 4];

fn sort(numbers: &Numbers, part: Range<usize>) {
    let mut values: Vec<i32> = part.clone().map(|i| numbers[i].load(SeqCst)).collect();
    values.sort_unstable();
    part.zip(values).for_each(|(i, value)| numbers[i].store(value, SeqCst));
}

/// Gives the part to the helper if that is idle, else sorts it.
fn delegate(numbers: &Numbers, helper: &Helper, part: Range<usize>, buggy: bool) {
    let mut state = helper.state.lock().unwrap();
    if state.part.is_none() {
        if buggy {
            drop(state);
            state = helper.state.lock().unwrap();
        }
        state.part = Some(part);
        helper.changed.notify_one();
        return;
    }
    drop(state);
    sort(numbers, part);
}

fn help(numbers: &Numbers, helper: &Helper) {
    let mut state = helper.state.lock().unwrap();
    loop {
        if let Some(part) = state.part.clone() {
            drop(state);
            sort(numbers, part);
            state = helper.state.lock().unwrap();
            state.part = None;
        } else if state.closed {
            return;
        } else {
            state = helper.changed.wait(state).unwrap();
        }
    }
}

fn parallel_sort(buggy: bool) {
    // Split already: each half is smaller than the next.
    let numbers: Numbers = [2, 1, 4, 3].map(AtomicI32::new);
    let helper = Helper::default();
    thread::scope(|s| {
        let helping = s.spawn(|| help(&numbers, &helper));
        let splitting = [0..2, 2..4].map(|part| s.spawn(|| delegate(&numbers, &helper, part, buggy)));
        splitting.into_iter().for_each(|t| t.join().unwrap());
        helper.state.lock().unwrap().closed = true;
        helper.changed.notify_one();
        helping.join().unwrap();
    });
    assert!(numbers.map(|n| n.into_inner()).is_sorted(), "a part was not sorted");
}
