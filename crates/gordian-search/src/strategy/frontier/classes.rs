//! Leaves out beginnings of executions that come to the same as others.
//!
//! Two beginnings that differ only in the order of steps that commute lead to the same state, so whatever can follow the one can
//! follow the other (Musuvathi et al., "Finding and reproducing Heisenbugs in concurrent programs", OSDI 2008, section 4.2). What that costs
//! has to be the same, too. The price of the next choice may depend on the thread that stepped last, and on nothing else
//! that differs between the two: who is enabled, who has just paused or would time out belong to the state, and the number of steps is
//! the same. So the key is the class and the last thread, and the other beginning must have cost no more, because what it has left
//! limits what follows. A beginning is entered when it is about to be extended in every way the bound allows; each extension is
//! entered in its turn or meets one that was. As those are longer by a step, nothing is left out in a circle.

use crate::fingerprint::mix;
use gordian_model::ThreadId;
use rustc_hash::FxHashMap;

#[derive(Debug, Default)]
pub(super) struct Classes {
    /// The fingerprints of the beginnings of the current execution, from one step on.
    beginnings: Vec<u64>,
    /// By class and last thread the lowest price.
    seen: FxHashMap<u64, u8>,
}

impl Classes {
    pub(super) fn clear(&mut self) {
        self.beginnings.clear();
        self.seen.clear();
    }

    pub(super) fn bytes(&self) -> usize {
        // A key, a price, and a byte of the table's own.
        self.seen.capacity() * (size_of::<(u64, u8)>() + 1)
    }

    pub(super) fn truncate(&mut self, len: usize) {
        self.beginnings.truncate(len);
    }

    /// Adds what the next step adds to the fingerprint.
    pub(super) fn push(&mut self, part: u64) {
        self.beginnings.push(self.beginnings.last().copied().unwrap_or(0).wrapping_add(part));
    }

    /// Need the first `len` steps, the last of which this thread made, not be extended? If they have to be, they are entered,
    /// unless there is no room.
    pub(super) fn is_covered(
        &mut self,
        len: usize,
        last: Option<ThreadId>,
        price: u32,
        has_room: bool,
    ) -> bool {
        let last = last.map_or(0, |thread| u64::from(thread.0) + 1);
        let key = mix(self.beginnings[len - 1] ^ mix(last));
        let price = price.min(u8::MAX.into()) as u8;
        match self.seen.get_mut(&key) {
            Some(lowest) if *lowest <= price => true,
            Some(lowest) => {
                *lowest = price;
                false
            }
            None => {
                if has_room {
                    self.seen.insert(key, price);
                }
                false
            }
        }
    }
}
