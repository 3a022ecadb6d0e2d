//! Memory for the objects: nodes known by their numbers, so that one that is used after it was freed does no harm beyond the bug.

use gordian::sync::atomic::{AtomicUsize, Ordering::SeqCst};

/// More than the calls of any test make.
pub(super) const NODES: usize = 20;
/// The number that refers to nothing.
pub(super) const NIL: usize = 0;

/// Values and links.
pub(super) struct Nodes {
    values: [AtomicUsize; NODES],
    next: [AtomicUsize; NODES],
    /// Numbers that were never used; not part of what is tested, and therefore std's.
    fresh: std::sync::atomic::AtomicUsize,
}

impl Nodes {
    pub(super) fn new() -> Nodes {
        Nodes {
            values: [0; NODES].map(AtomicUsize::new),
            next: [NIL; NODES].map(AtomicUsize::new),
            fresh: std::sync::atomic::AtomicUsize::new(1),
        }
    }

    /// A node that was never used before.
    pub(super) fn fresh(&self, value: usize) -> usize {
        let node = self.fresh.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
        self.values[node].store(value, SeqCst);
        node
    }

    /// Puts a node with a value on top of a stack.
    pub(super) fn push(&self, top: &AtomicUsize, node: usize, value: usize) {
        self.values[node].store(value, SeqCst);
        loop {
            let below = top.load(SeqCst);
            self.next[node].store(below, SeqCst);
            if exchange(top, below, node) {
                return;
            }
        }
    }

    pub(super) fn value(&self, node: usize) -> &AtomicUsize {
        &self.values[node]
    }

    pub(super) fn next(&self, node: usize) -> &AtomicUsize {
        &self.next[node]
    }
}

pub(super) fn exchange(place: &AtomicUsize, from: usize, to: usize) -> bool {
    place.compare_exchange(from, to, SeqCst, SeqCst).is_ok()
}
