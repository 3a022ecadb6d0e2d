//! Michael and Scott's queue (PODC 1996), right and wrong, for `michael_scott` and `moir_queue`. References carry a tag that grows, so that one that was there before is not
//! taken for the same.

use gordian::sync::Mutex;
use gordian::sync::atomic::{AtomicUsize, Ordering::SeqCst};

#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Bug {
    None,
    /// The tag of a node begins at 0 again.
    Tag,
    /// The value is read late.
    Late,
    /// None, but Moir's variant.
    Moir,
    /// Moir's variant, and the tail is left behind.
    Tail,
}

/// One for nothing, one that is there at first, one for each value of a test.
const NODES: usize = 20;
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

pub(crate) struct Queue {
    head: AtomicUsize,
    tail: AtomicUsize,
    next: [AtomicUsize; NODES],
    values: [AtomicUsize; NODES],
    free: Mutex<Vec<usize>>,
    bug: Bug,
}

impl Queue {
    pub(crate) fn new(bug: Bug) -> Queue {
        Queue {
            head: AtomicUsize::new(1),
            tail: AtomicUsize::new(1),
            next: [NIL; NODES].map(AtomicUsize::new),
            values: [0; NODES].map(AtomicUsize::new),
            free: Mutex::new((2..NODES).rev().collect()),
            bug,
        }
    }

    pub(crate) fn enqueue(&self, value: usize) {
        let node = self.free.lock().unwrap().pop().expect("there are enough nodes");
        self.values[node].store(value, SeqCst);
        let old = self.next[node].load(SeqCst);
        self.next[node].store(if self.bug == Bug::Tag { NIL } else { newer(old, NIL) }, SeqCst);
        loop {
            let tail = self.tail.load(SeqCst);
            assert_ne!(index(tail), node, "a node that was free is the last of the queue");
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

    /// Moves the tail on if the head has left it behind.
    fn help(&self, head: usize, next: usize) {
        let tail = self.tail.load(SeqCst);
        if index(tail) == index(head) {
            exchange(&self.tail, tail, index(next));
        }
    }

    pub(crate) fn dequeue(&self) -> Option<usize> {
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
            if index(head) == index(tail) && !matches!(self.bug, Bug::Moir | Bug::Tail) {
                exchange(&self.tail, tail, index(next));
                continue;
            }
            let early = self.values[index(next)].load(SeqCst);
            if exchange(&self.head, head, index(next)) {
                let value = if self.bug == Bug::Late { self.values[index(next)].load(SeqCst) } else { early };
                if self.bug == Bug::Moir {
                    self.help(head, next);
                }
                self.free.lock().unwrap().push(index(head));
                return Some(value);
            }
        }
    }
}
