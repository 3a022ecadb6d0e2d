//! The basket queue of Hoffman, Shalev, Shavit (OPODIS 2007), as libcds had it in version 1.3.1. Enqueuers that lose the race for the last place put their nodes in front of the winner's, into the same
//! basket; a dequeuer marks the reference to what it takes, and the head is moved now and then. As in `michael_scott`, the link of the node that is there at first was cleared as soon as it left.

use super::chain::{Chain, FIRST};
use super::client::{TEST, drawn_queue};
use super::hazard::{Guards, MARK, NIL, exchange};
use crate::Program;
use gordian::sync::atomic::{AtomicUsize, Ordering::SeqCst};

/// A drawn test.
pub const fn program<const DRAW: u32>(name: &'static str) -> Program {
    Program {
        name,
        source: "CB-DPOR thesis, table 6-1: cds basketqueue; libcds 1.4.0, change log: bug 11",
        about: "the link of the first node is cleared while somebody looks at it",
        body: basket_queue::<DRAW>,
        ..TEST
    }
}

/// What has been taken is passed over; if it was more than this, the head is moved.
const HOPS: usize = 3;

/// A reference to the next node has a mark if that has been taken.
struct Queue {
    chain: Chain,
    buggy: bool,
}

impl Queue {
    fn next(&self, node: usize) -> &AtomicUsize {
        &self.chain.next[node % MARK]
    }

    fn enqueue(&self, thread: usize, node: usize, value: usize) {
        self.chain.values[node].store(value, SeqCst);
        let guards = self.chain.hazards.guards(thread, 1);
        loop {
            let tail = guards.protect(0, &self.chain.tail);
            let next = self.next(tail).load(SeqCst);
            if next != NIL {
                let guards = self.chain.hazards.guards(thread, 2);
                guards.assign(0, next);
                if self.next(tail).load(SeqCst) == next {
                    self.move_tail(&guards, tail, next);
                }
                continue;
            }
            self.next(node).store(NIL, SeqCst);
            if exchange(self.next(tail), NIL, node) {
                exchange(&self.chain.tail, tail, node);
                return;
            }
            // Somebody else was faster: join the basket, as long as nothing was taken out of it.
            let guards = self.chain.hazards.guards(thread, 1);
            loop {
                let first = guards.protect(0, self.next(tail));
                if self.chain.tail.load(SeqCst) != tail
                    || self.next(tail).load(SeqCst) != first
                    || first >= MARK
                {
                    break;
                }
                self.next(node).store(first, SeqCst);
                if exchange(self.next(tail), first, node) {
                    return;
                }
            }
        }
    }

    /// Moves the tail to the last node, which comes after the one that the first of two guards is for.
    fn move_tail(&self, guards: &Guards<'_>, tail: usize, mut last: usize) {
        while self.next(last).load(SeqCst) % MARK != NIL {
            if self.chain.tail.load(SeqCst) != tail {
                return;
            }
            last = guards.protect(1, self.next(last));
            guards.copy(0, 1);
        }
        exchange(&self.chain.tail, tail, last % MARK);
    }

    /// Takes a value if there is one; otherwise, or if it is only looked for, says whether there is.
    fn take(&self, thread: usize, take: bool) -> (bool, Option<usize>) {
        let guards = self.chain.hazards.guards(thread, 3);
        loop {
            let head = guards.protect(0, &self.chain.head);
            let tail = guards.protect(1, &self.chain.tail);
            let mut next = guards.protect(2, self.next(head));
            if self.chain.head.load(SeqCst) != head {
                continue;
            } else if head == tail && next == NIL {
                return (false, None);
            } else if head == tail {
                let guards = self.chain.hazards.guards(thread, 2);
                guards.assign(0, next);
                self.move_tail(&guards, tail, next);
                continue;
            }
            let before_guard = self.chain.hazards.guards(thread, 1);
            let (mut before, mut hops) = (head, 0);
            while next >= MARK && before != tail && self.chain.head.load(SeqCst) == head {
                before = next % MARK;
                before_guard.assign(0, before);
                next = guards.protect(2, self.next(before));
                hops += 1;
            }
            if self.chain.head.load(SeqCst) != head {
                continue;
            } else if before == tail {
                self.free_chain(thread, head, before);
            } else if !take {
                return (true, None);
            } else if exchange(self.next(before), next, next + MARK) {
                if hops >= HOPS {
                    self.free_chain(thread, head, next);
                }
                return (true, Some(self.chain.values[next].load(SeqCst)));
            }
        }
    }

    /// Moves the head, and disposes of the nodes that it leaves behind.
    fn free_chain(&self, thread: usize, mut head: usize, to: usize) {
        if !exchange(&self.chain.head, head, to) {
            return;
        }
        let guards = self.chain.hazards.guards(thread, 2);
        guards.assign(0, head);
        while head != to {
            let next = guards.protect(1, self.next(head)) % MARK;
            if head != FIRST {
                self.chain.hazards.retire(thread, head);
            } else if self.buggy {
                self.next(head).store(NIL, SeqCst);
            }
            guards.copy(0, 1);
            head = next;
        }
    }
}

fn basket_queue<const DRAW: u32>(buggy: bool) {
    let queue = Queue { chain: Chain::new(), buggy };
    let enqueue = |thread, node, value| queue.enqueue(thread, node, value);
    let dequeue = |thread| queue.take(thread, true).1;
    drawn_queue("basket-queue", DRAW, enqueue, dequeue, |thread| !queue.take(thread, false).0);
}
