//! The basket queue of Hoffman, Shalev, Shavit (OPODIS 2007). Enqueuers that lose the race for the last place put their nodes in front of the winner's, into the same
//! basket. Here a loser forgets to hang the winner behind its own node, and the winner's value is lost.

use gordian::sync::atomic::{AtomicUsize, Ordering::SeqCst};

/// One for nothing, one that is there at first, one for each value of a test.
const NODES: usize = 20;
const NIL: usize = 0;
/// Added to a reference when the node that it refers to has been dequeued.
const TAKEN: usize = 32;

/// Nodes are not used again, so references need no tags.
pub(crate) struct Queue {
    head: AtomicUsize,
    tail: AtomicUsize,
    next: [AtomicUsize; NODES],
}

fn exchange(place: &AtomicUsize, from: usize, to: usize) -> bool {
    place.compare_exchange(from, to, SeqCst, SeqCst).is_ok()
}

impl Queue {
    pub(crate) fn new() -> Queue {
        Queue {
            head: AtomicUsize::new(1),
            tail: AtomicUsize::new(1),
            next: [NIL; NODES].map(AtomicUsize::new),
        }
    }

    fn next(&self, node: usize) -> usize {
        self.next[node % TAKEN].load(SeqCst)
    }

    /// Moves the tail to the last node.
    fn help(&self, tail: usize, mut next: usize) {
        while self.tail.load(SeqCst) == tail {
            let after = self.next(next);
            if after % TAKEN == NIL {
                exchange(&self.tail, tail, next % TAKEN);
                return;
            }
            next = after;
        }
    }

    pub(crate) fn enqueue(&self, node: usize, buggy: bool) {
        loop {
            let tail = self.tail.load(SeqCst);
            let next = self.next(tail);
            if next != NIL {
                self.help(tail, next);
                continue;
            }
            self.next[node].store(NIL, SeqCst);
            if exchange(&self.next[tail], NIL, node) {
                exchange(&self.tail, tail, node);
                return;
            }
            // Somebody else was faster: join the basket, as long as nothing was taken out of it.
            loop {
                let first = self.next(tail);
                if first >= TAKEN {
                    break;
                }
                if !buggy {
                    self.next[node].store(first, SeqCst);
                }
                if exchange(&self.next[tail], first, node) {
                    return;
                }
            }
        }
    }

    pub(crate) fn dequeue(&self) -> Option<usize> {
        loop {
            let head = self.head.load(SeqCst);
            let tail = self.tail.load(SeqCst);
            let mut next = self.next(head);
            if head != self.head.load(SeqCst) {
                continue;
            }
            if head == tail {
                if next == NIL {
                    return None;
                }
                self.help(tail, next);
                continue;
            }
            // What has been taken is passed over.
            let mut before = head;
            while next >= TAKEN && before != tail {
                before = next % TAKEN;
                next = self.next(before);
            }
            if before == tail {
                exchange(&self.head, head, before);
            } else if next == NIL {
                // Only if the tail was lost.
                return None;
            } else if exchange(&self.next[before], next, next + TAKEN) {
                return Some(next);
            }
        }
    }
}
