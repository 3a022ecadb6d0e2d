//! What the queues after libcds are made of: nodes, the links between them, and the two ends.

use super::hazard::{Hazards, NIL};
use gordian::sync::atomic::AtomicUsize;

/// One for nothing, one that is there at first, one for each call.
pub(super) const NODES: usize = 11;
/// The one that is there at first. It is part of the queue and not of the heap.
pub(super) const FIRST: usize = 1;

pub(super) struct Chain {
    pub(super) head: AtomicUsize,
    pub(super) tail: AtomicUsize,
    pub(super) next: [AtomicUsize; NODES],
    pub(super) values: [AtomicUsize; NODES],
    pub(super) hazards: Hazards,
}

impl Chain {
    /// With the first node alone.
    pub(super) fn new() -> Chain {
        Chain {
            head: AtomicUsize::new(FIRST),
            tail: AtomicUsize::new(FIRST),
            next: [NIL; NODES].map(AtomicUsize::new),
            values: [0; NODES].map(AtomicUsize::new),
            hazards: Hazards::new(),
        }
    }
}
