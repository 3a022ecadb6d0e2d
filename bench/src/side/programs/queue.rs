//! A Michael-Scott queue with numbered nodes that are used once. The last thread takes out, the others put in.

use super::kit::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use super::{crew, mix, outcome, zeroes};
use std::sync::Arc;

/// Node 0 is the dummy; a `next` of 0 is none, since nothing comes before the dummy.
struct Queue {
    head: AtomicUsize,
    tail: AtomicUsize,
    next: Vec<AtomicUsize>,
}

impl Queue {
    fn enqueue(&self, node: usize) {
        loop {
            let tail = self.tail.load(SeqCst);
            let after = self.next[tail].load(SeqCst);
            if after != 0 {
                let _ = self.tail.compare_exchange(tail, after, SeqCst, SeqCst);
            } else if self.next[tail].compare_exchange(0, node, SeqCst, SeqCst).is_ok() {
                let _ = self.tail.compare_exchange(tail, node, SeqCst, SeqCst);
                return;
            }
        }
    }

    fn dequeue(&self) -> usize {
        loop {
            let head = self.head.load(SeqCst);
            let tail = self.tail.load(SeqCst);
            let next = self.next[head].load(SeqCst);
            if next == 0 {
                return 0;
            }
            if head == tail {
                let _ = self.tail.compare_exchange(tail, next, SeqCst, SeqCst);
            } else if self.head.compare_exchange(head, next, SeqCst, SeqCst).is_ok() {
                return next;
            }
        }
    }
}

pub(super) fn program(threads: usize, ops: usize) -> u64 {
    let queue = Arc::new(Queue {
        head: AtomicUsize::new(0),
        tail: AtomicUsize::new(0),
        next: zeroes((threads - 1) * ops + 1),
    });
    outcome(crew(threads, move |me| {
        (0..ops).fold(0, |taken, op| {
            if me + 1 < threads {
                queue.enqueue(me * ops + op + 1);
                taken
            } else {
                mix(taken, queue.dequeue() as u64)
            }
        })
    }))
}
