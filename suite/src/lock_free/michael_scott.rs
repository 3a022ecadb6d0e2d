//! Michael and Scott's queue (PODC 1996) and Moir's variant of it (Doherty et al., FORTE 2004), as libcds had them in version 1.3.1. The node that is there at first is part of the queue and not of the heap, so
//! that it is not retired when it leaves, and its link was cleared at once. An enqueuer that looks at it finds nothing behind it and hangs its value there, where nobody finds it (bug 11, fixed in 1.4.0; reported by the
//! author of the CB-DPOR thesis).

use super::chain::{Chain, FIRST};
use super::client;
use super::hazard::{NIL, exchange};
use crate::Program;
use gordian::sync::atomic::Ordering::SeqCst;

/// A drawn test of Michael and Scott's queue.
pub const fn program<const DRAW: u32>(name: &'static str) -> Program {
    Program {
        name,
        source: "CB-DPOR thesis, table 6-1: cds msqueue; libcds 1.4.0, change log: bug 11",
        about: "the link of the first node is cleared while somebody looks at it",
        body: |buggy| run::<DRAW>("ms-queue", false, buggy),
        ..client::TEST
    }
}

/// A drawn test of Moir's variant.
pub const fn moir<const DRAW: u32>(name: &'static str) -> Program {
    Program {
        source: "CB-DPOR thesis, table 6-1: cds moirqueue; libcds 1.4.0, change log: bug 11",
        body: |buggy| run::<DRAW>("moir-queue", true, buggy),
        ..program::<DRAW>(name)
    }
}

struct Queue {
    chain: Chain,
    moir: bool,
    buggy: bool,
}

impl Queue {
    fn enqueue(&self, thread: usize, node: usize, value: usize) {
        self.chain.next[node].store(NIL, SeqCst);
        self.chain.values[node].store(value, SeqCst);
        let guards = self.chain.hazards.guards(thread, 1);
        loop {
            let tail = guards.protect(0, &self.chain.tail);
            let next = self.chain.next[tail].load(SeqCst);
            if next != NIL {
                exchange(&self.chain.tail, tail, next);
            } else if exchange(&self.chain.next[tail], NIL, node) {
                exchange(&self.chain.tail, tail, node);
                return;
            }
        }
    }

    fn dequeue(&self, thread: usize) -> Option<usize> {
        let guards = self.chain.hazards.guards(thread, 2);
        loop {
            let head = guards.protect(0, &self.chain.head);
            let next = guards.protect(1, &self.chain.next[head]);
            if !self.moir && self.chain.head.load(SeqCst) != head {
                continue;
            }
            if next == NIL {
                return None;
            }
            // Moir's moves the head without looking at the tail, which may then be behind it and has to be moved too.
            if !self.moir && self.chain.tail.load(SeqCst) == head {
                exchange(&self.chain.tail, head, next);
            } else if exchange(&self.chain.head, head, next) {
                if self.moir && self.chain.tail.load(SeqCst) == head {
                    exchange(&self.chain.tail, head, next);
                }
                let value = self.chain.values[next].load(SeqCst);
                self.dispose(thread, head);
                return Some(value);
            }
        }
    }

    fn dispose(&self, thread: usize, node: usize) {
        if node != FIRST {
            self.chain.hazards.retire(thread, node);
        } else if self.buggy {
            self.chain.next[node].store(NIL, SeqCst);
        }
    }

    fn is_empty(&self, thread: usize) -> bool {
        let guards = self.chain.hazards.guards(thread, 1);
        self.chain.next[guards.protect(0, &self.chain.head)].load(SeqCst) == NIL
    }
}

fn run<const DRAW: u32>(structure: &str, moir: bool, buggy: bool) {
    let queue = Queue { chain: Chain::new(), moir, buggy };
    client::drawn_queue(
        structure,
        DRAW,
        |thread, node, value| queue.enqueue(thread, node, value),
        |thread| queue.dequeue(thread),
        |thread| queue.is_empty(thread),
    );
}
