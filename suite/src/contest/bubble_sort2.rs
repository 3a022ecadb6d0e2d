//! BubbleSort2, after ConTest's: each of 100 threads lets one number sink to its place among those before it, which is right if they are sorted
//! already. A thread that comes too early stops at a number that is still out of place; here only the first three are, so it takes two threads in the wrong order.

use crate::Program;
use gordian::sync::{Mutex, Semaphore};
use gordian::thread;

/// The bug.
pub const PROGRAM: Program = Program {
    name: "bubble-sort2",
    source: "RankChecker (ISSTA 2013), table 1: BubbleSort2",
    about: "a number sinks to its place before those ahead of it are sorted",
    threads: 101,
    published: Some((0, 0, 2)),
    schedules: Some(2),
    body: bubble_sort2,
    ..Program::USUAL
};

const NUMBERS: usize = 100;

fn sink(numbers: &mut [usize], mut i: usize) {
    while i > 0 && numbers[i - 1] > numbers[i] {
        numbers.swap(i - 1, i);
        i -= 1;
    }
}

fn bubble_sort2(buggy: bool) {
    let mut unsorted: Vec<usize> = (0..NUMBERS).collect();
    unsorted[..3].reverse();
    let numbers = Mutex::new(unsorted);
    let turns: Vec<Semaphore> = (0..=NUMBERS).map(|i| Semaphore::new(usize::from(i == 0))).collect();
    let (numbers, turns) = (&numbers, &turns);
    thread::scope(|s| {
        for i in 0..NUMBERS {
            s.spawn(move || {
                if !buggy {
                    turns[i].acquire();
                }
                sink(&mut numbers.lock().unwrap(), i);
                if !buggy {
                    turns[i + 1].release();
                }
            });
        }
    });
    assert!(numbers.lock().unwrap().is_sorted(), "a number is not in its place");
}
