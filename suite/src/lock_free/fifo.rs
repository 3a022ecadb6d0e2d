//! Michael and Scott's queue (PODC 1996), in two wrong versions. References carry a tag that grows, so that one that was there before is not taken for the same.
//!
//! - Boost's: a node that is used again begins with a tag of 0 (chapter 5 of the CB-DPOR thesis). An enqueuer that saw it as the last node hangs its own behind it,
//!   although it is not in the queue.
//! - A dequeuer reads the value after it has moved the head; by then the node may be another's.
//!
//! A third is in `moir_queue`.

use crate::Program;
use gordian::sync::Mutex;
use gordian::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use gordian::thread;

/// The tag is reset.
pub const BOOST: Program = Program {
    name: "boost-fifo",
    source: "CB-DPOR thesis, chapter 5 and table 6-1: boost fifo",
    about: "the tag of a node that is used again begins at 0, and a value is hung behind it while it is not in the queue",
    threads: 2,
    proof: "preemptions:2",
    body: |buggy| run(if buggy { Bug::Tag } else { Bug::None }),
    ..Program::USUAL
};

/// The value is read late.
pub const LATE: Program = Program {
    name: "ms-queue",
    source: "CB-DPOR thesis, table 6-1: cds msqueue",
    about: "a value is read after the node has left the queue",
    body: |buggy| run(if buggy { Bug::Late } else { Bug::None }),
    ..BOOST
};

#[derive(Clone, Copy, PartialEq)]
pub(super) enum Bug {
    None,
    Tag,
    Late,
    Tail,
}

const NODES: usize = 4;
/// The index that refers to nothing.
const NIL: usize = 0;

/// A reference: an index, and a tag above it.
fn index(reference: usize) -> usize {
    reference & 0xff
}

/// A reference to the node, newer than the other.
fn newer(than: usize, node: usize) -> usize {
    ((than >> 8) + 1) << 8 | node
}

fn exchange(place: &AtomicUsize, from: usize, to: usize) -> bool {
    place.compare_exchange(from, newer(from, to), SeqCst, SeqCst).is_ok()
}

pub(super) struct Queue {
    head: AtomicUsize,
    tail: AtomicUsize,
    next: [AtomicUsize; NODES],
    values: [AtomicUsize; NODES],
    free: Mutex<Vec<usize>>,
    bug: Bug,
}

impl Queue {
    pub(super) fn new(bug: Bug) -> Queue {
        Queue {
            head: AtomicUsize::new(1),
            tail: AtomicUsize::new(1),
            next: [NIL; NODES].map(AtomicUsize::new),
            values: [0; NODES].map(AtomicUsize::new),
            free: Mutex::new((2..NODES).collect()),
            bug,
        }
    }

    pub(super) fn enqueue(&self, value: usize) {
        let node = self.free.lock().unwrap().pop().expect("there are enough nodes");
        self.values[node].store(value, SeqCst);
        let old = self.next[node].load(SeqCst);
        self.next[node].store(if self.bug == Bug::Tag { NIL } else { newer(old, NIL) }, SeqCst);
        loop {
            let tail = self.tail.load(SeqCst);
            let next = self.next[index(tail)].load(SeqCst);
            if tail != self.tail.load(SeqCst) {
                continue;
            }
            if index(next) != NIL {
                exchange(&self.tail, tail, index(next));
            } else if exchange(&self.next[index(tail)], next, node) {
                exchange(&self.tail, tail, node);
                return;
            }
        }
    }

    pub(super) fn dequeue(&self) -> Option<usize> {
        loop {
            let head = self.head.load(SeqCst);
            let tail = self.tail.load(SeqCst);
            let next = self.next[index(head)].load(SeqCst);
            if head != self.head.load(SeqCst) {
                continue;
            }
            if index(next) == NIL {
                return None;
            }
            if index(head) == index(tail) && self.bug != Bug::Tail {
                exchange(&self.tail, tail, index(next));
                continue;
            }
            let early = self.values[index(next)].load(SeqCst);
            if exchange(&self.head, head, index(next)) {
                let late = self.bug == Bug::Late;
                let value = if late { self.values[index(next)].load(SeqCst) } else { early };
                self.free.lock().unwrap().push(index(head));
                return Some(value);
            }
        }
    }
}

fn run(bug: Bug) {
    let queue = Queue::new(bug);
    thread::scope(|s| {
        let mine = s.spawn(|| {
            queue.enqueue(10);
            let first = queue.dequeue();
            queue.enqueue(20);
            first
        });
        queue.enqueue(1);
        // Two were put in before this, and the other thread takes only one out.
        let own = queue.dequeue().expect("the queue is not empty");
        let other = mine.join().unwrap().expect("the queue is not empty");
        let last = queue.dequeue().expect("one is left");
        let mut all = [own, other, last];
        all.sort_unstable();
        assert_eq!(all, [1, 10, 20], "what came out is not what was put in");
    });
}
