//! A Treiber stack. Its nodes are numbered and used once, so that nothing has to be freed.

use super::kit::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use super::{crew, mix, outcome, zeroes};
use std::sync::Arc;

/// 0 is no node.
struct Stack {
    head: AtomicUsize,
    next: Vec<AtomicUsize>,
}

impl Stack {
    fn push(&self, node: usize) {
        loop {
            let head = self.head.load(SeqCst);
            self.next[node].store(head, SeqCst);
            if self.head.compare_exchange(head, node, SeqCst, SeqCst).is_ok() {
                return;
            }
        }
    }

    fn pop(&self) -> usize {
        loop {
            let head = self.head.load(SeqCst);
            if head == 0 {
                return 0;
            }
            let next = self.next[head].load(SeqCst);
            if self.head.compare_exchange(head, next, SeqCst, SeqCst).is_ok() {
                return head;
            }
        }
    }
}

pub(super) fn program(threads: usize, ops: usize) -> u64 {
    let stack = Arc::new(Stack { head: AtomicUsize::new(0), next: zeroes(threads * ops + 1) });
    outcome(crew(threads, move |me| {
        (0..ops).fold(0, |popped, op| {
            stack.push(me * ops + op + 1);
            mix(popped, stack.pop() as u64)
        })
    }))
}
