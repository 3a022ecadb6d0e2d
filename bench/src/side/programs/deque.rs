//! A work-stealing deque (Chase and Lev): its owner puts in and takes out at the bottom, the others take one each from the
//! top.

use super::kit::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use super::{crew, mix, outcome, zeroes};
use std::sync::Arc;

struct Deque {
    top: AtomicUsize,
    bottom: AtomicUsize,
    items: Vec<AtomicUsize>,
    /// The bug: the owner takes the last item without asking.
    greedy: bool,
}

impl Deque {
    fn push(&self, value: usize) {
        let bottom = self.bottom.load(SeqCst);
        self.items[bottom].store(value, SeqCst);
        self.bottom.store(bottom + 1, SeqCst);
    }

    fn pop(&self) -> usize {
        let bottom = self.bottom.load(SeqCst) - 1;
        self.bottom.store(bottom, SeqCst);
        let top = self.top.load(SeqCst);
        if top < bottom || (top == bottom && self.greedy) {
            return self.items[bottom].load(SeqCst);
        }
        let won = top == bottom && self.top.compare_exchange(top, top + 1, SeqCst, SeqCst).is_ok();
        self.bottom.store(bottom + 1, SeqCst);
        if won { self.items[bottom].load(SeqCst) } else { 0 }
    }

    fn steal(&self) -> usize {
        let top = self.top.load(SeqCst);
        if top >= self.bottom.load(SeqCst) {
            return 0;
        }
        let value = self.items[top].load(SeqCst);
        let won = self.top.compare_exchange(top, top + 1, SeqCst, SeqCst).is_ok();
        if won { value } else { 0 }
    }
}

fn work(threads: usize, ops: usize, greedy: bool) -> u64 {
    // Places count from 1, so that the owner can look below an empty deque.
    let (top, bottom) = (AtomicUsize::new(1), AtomicUsize::new(1));
    let deque = Arc::new(Deque { top, bottom, items: zeroes(ops + 1), greedy });
    let counts = Arc::new(std::sync::Mutex::new(vec![0; ops + 1]));
    let shared = Arc::clone(&counts);
    let taken = crew(threads, move |me| {
        let note = |item: usize| {
            shared.lock().unwrap()[item] += 1;
            item as u64
        };
        if me > 0 {
            return note(deque.steal());
        }
        (1..=ops).for_each(|item| deque.push(item));
        (1..=ops).fold(0, |all, _| mix(all, note(deque.pop())))
    });
    assert!(counts.lock().unwrap()[1..].iter().all(|&count| count <= 1), "an item was taken twice");
    outcome(taken)
}

pub(super) fn program(threads: usize, ops: usize) -> u64 {
    work(threads, ops, false)
}

pub(super) fn buggy(threads: usize, ops: usize) -> u64 {
    work(threads, ops, true)
}
