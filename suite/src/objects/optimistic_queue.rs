//! The optimistic queue of Ladan-Mozes and Shavit (DISC 2004). An enqueuer moves the tail and then makes the list complete backwards; a dequeuer that comes in between
//! has to complete it itself. Here it takes the missing link for the end of the queue.

use gordian::sync::atomic::{AtomicUsize, Ordering::SeqCst};

/// One for nothing, one that is there at first, one for each value of a test.
const NODES: usize = 20;
const NIL: usize = 0;

/// `next` leads from the tail to the head and is always complete, `prev` back.
pub(crate) struct Queue {
    head: AtomicUsize,
    tail: AtomicUsize,
    next: [AtomicUsize; NODES],
    prev: [AtomicUsize; NODES],
}

impl Queue {
    pub(crate) fn new() -> Queue {
        Queue {
            head: AtomicUsize::new(1),
            tail: AtomicUsize::new(1),
            next: [NIL; NODES].map(AtomicUsize::new),
            prev: [NIL; NODES].map(AtomicUsize::new),
        }
    }

    pub(crate) fn enqueue(&self, node: usize) {
        loop {
            let tail = self.tail.load(SeqCst);
            self.next[node].store(tail, SeqCst);
            if self.tail.compare_exchange(tail, node, SeqCst, SeqCst).is_ok() {
                self.prev[tail].store(node, SeqCst);
                return;
            }
        }
    }

    /// Makes the list complete backwards, from the tail to the head.
    fn fix(&self, head: usize) {
        let mut node = self.tail.load(SeqCst);
        while node != head && self.head.load(SeqCst) == head {
            let next = self.next[node].load(SeqCst);
            self.prev[next].store(node, SeqCst);
            node = next;
        }
    }

    pub(crate) fn dequeue(&self, buggy: bool) -> Option<usize> {
        loop {
            let head = self.head.load(SeqCst);
            if head == self.tail.load(SeqCst) {
                return None;
            }
            let node = self.prev[head].load(SeqCst);
            if node == NIL {
                if buggy {
                    return None;
                }
                self.fix(head);
            } else if self.head.compare_exchange(head, node, SeqCst, SeqCst).is_ok() {
                return Some(node);
            }
        }
    }
}
