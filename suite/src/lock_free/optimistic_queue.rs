//! The optimistic queue of Ladan-Mozes and Shavit (DISC 2004), as libcds 1.4 has it. An enqueuer moves the tail and then makes the list complete backwards; a dequeuer that comes in between completes it itself. Whether
//! the queue is empty is decided by comparing its two ends, which are read one after the other. If something is enqueued and something dequeued in between, the head may come to where the tail was,
//! and a queue that was never empty is said to be.

use super::chain::{Chain, FIRST, NODES};
use super::client;
use super::hazard::{NIL, exchange};
use crate::Program;
use gordian::sync::atomic::{AtomicUsize, Ordering::SeqCst};

/// A drawn test.
pub const fn program<const DRAW: u32>(name: &'static str) -> Program {
    Program {
        name,
        source: "CB-DPOR thesis, table 6-1: cds optimisticqueue; OptimisticQueue::empty of libcds 1.4.0",
        about: "a queue is said to be empty because its head is where its tail was",
        body: optimistic_queue::<DRAW>,
        ..client::TEST
    }
}

/// The links of the chain lead from the tail to the head and are always complete, `prev` leads back.
struct Queue {
    chain: Chain,
    prev: [AtomicUsize; NODES],
}

impl Queue {
    fn enqueue(&self, thread: usize, node: usize, value: usize) {
        self.prev[node].store(NIL, SeqCst);
        self.chain.values[node].store(value, SeqCst);
        let guards = self.chain.hazards.guards(thread, 2);
        guards.assign(1, node);
        let mut tail = guards.protect(0, &self.chain.tail);
        loop {
            self.chain.next[node].store(tail, SeqCst);
            match self.chain.tail.compare_exchange(tail, node, SeqCst, SeqCst) {
                Ok(_) => return self.prev[tail].store(node, SeqCst),
                Err(other) => tail = other,
            }
            guards.assign(0, tail);
        }
    }

    fn dequeue(&self, thread: usize) -> Option<usize> {
        let guards = self.chain.hazards.guards(thread, 3);
        loop {
            let head = guards.protect(0, &self.chain.head);
            let tail = guards.protect(1, &self.chain.tail);
            let node = guards.protect(2, &self.prev[head]);
            if self.chain.head.load(SeqCst) != head {
                continue;
            }
            if head == tail {
                return None;
            }
            if node == NIL || self.chain.next[node].load(SeqCst) != head {
                self.fix(thread, tail, head);
            } else if exchange(&self.chain.head, head, node) {
                let value = self.chain.values[node].load(SeqCst);
                if head != FIRST {
                    self.chain.hazards.retire(thread, head);
                }
                return Some(value);
            }
        }
    }

    /// Makes the list complete backwards, from the tail to the head.
    fn fix(&self, thread: usize, tail: usize, head: usize) {
        let guards = self.chain.hazards.guards(thread, 2);
        let mut node = tail;
        while node != head {
            let next = guards.protect(0, &self.chain.next[node]);
            if self.chain.head.load(SeqCst) != head {
                return;
            }
            self.prev[next].store(node, SeqCst);
            node = next;
            guards.assign(1, node);
        }
    }

    fn is_empty(&self, thread: usize, buggy: bool) -> bool {
        if buggy {
            return self.chain.tail.load(SeqCst) == self.chain.head.load(SeqCst);
        }
        let guards = self.chain.hazards.guards(thread, 1);
        loop {
            let head = guards.protect(0, &self.chain.head);
            let tail = self.chain.tail.load(SeqCst);
            // A node that is looked at does not come back, so that the head has been there all the time.
            if self.chain.head.load(SeqCst) == head {
                return head == tail;
            }
        }
    }
}

fn optimistic_queue<const DRAW: u32>(buggy: bool) {
    let queue = Queue { chain: Chain::new(), prev: [NIL; NODES].map(AtomicUsize::new) };
    client::drawn_queue(
        "optimistic-queue",
        DRAW,
        |thread, node, value| queue.enqueue(thread, node, value),
        |thread| queue.dequeue(thread),
        |thread| queue.is_empty(thread, buggy),
    );
}
