//! A stack whose nodes are used again, but not while another thread looks at them: hazard pointers (Michael).

use super::kit::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use super::{crew, mix, outcome, zeroes};
use std::sync::Arc;

/// Nodes are numbered from 1; 0 is none.
struct Stack {
    head: AtomicUsize,
    next: Vec<AtomicUsize>,
    taken: Vec<AtomicUsize>,
    hazards: Vec<AtomicUsize>,
    /// The bug: nobody looks at the hazards.
    careless: bool,
}

impl Stack {
    fn full(nodes: usize, threads: usize, careless: bool) -> Stack {
        let next =
            (0..=nodes).map(|node| AtomicUsize::new(if node < nodes { node + 1 } else { 0 })).collect();
        let head = AtomicUsize::new(1);
        Stack { head, next, taken: zeroes(nodes + 1), hazards: zeroes(threads), careless }
    }

    fn pop(&self, me: usize) -> usize {
        loop {
            let head = self.head.load(SeqCst);
            if head == 0 {
                return 0;
            }
            self.hazards[me].store(head, SeqCst);
            if self.head.load(SeqCst) != head {
                continue;
            }
            let next = self.next[head].load(SeqCst);
            if self.head.compare_exchange(head, next, SeqCst, SeqCst).is_ok() {
                self.hazards[me].store(0, SeqCst);
                assert_eq!(self.taken[head].swap(1, SeqCst), 0, "a node was taken twice");
                return head;
            }
        }
    }

    /// Puts a node back unless another thread looks at it; then it is left alone for good.
    fn give_back(&self, node: usize) {
        if node == 0 || (!self.careless && self.hazards.iter().any(|hazard| hazard.load(SeqCst) == node)) {
            return;
        }
        self.taken[node].store(0, SeqCst);
        loop {
            let head = self.head.load(SeqCst);
            self.next[node].store(head, SeqCst);
            if self.head.compare_exchange(head, node, SeqCst, SeqCst).is_ok() {
                return;
            }
        }
    }
}

/// The first thread takes twice and gives the first node back; the others take `ops` times.
fn reuse(threads: usize, ops: usize, careless: bool) -> u64 {
    let stack = Arc::new(Stack::full(3, threads, careless));
    outcome(crew(threads, move |me| {
        if me > 0 {
            return (0..ops).fold(0, |all, _| mix(all, stack.pop(me) as u64));
        }
        let (first, second) = (stack.pop(me), stack.pop(me));
        stack.give_back(first);
        mix(first as u64, second as u64)
    }))
}

pub(super) fn program(threads: usize, ops: usize) -> u64 {
    reuse(threads, ops, false)
}

pub(super) fn buggy(threads: usize, ops: usize) -> u64 {
    reuse(threads, ops, true)
}
