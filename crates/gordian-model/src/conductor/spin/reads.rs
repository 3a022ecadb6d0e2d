//! What a thread has read in a round of a loop, up to a limit.

use super::whole;
use crate::id::ObjectId;

/// More than this is not kept.
const MOST: usize = 256;

/// Objects that were read, and in which version. All the room there is was made at first, because an allocation between two comparisons of
/// a thread's state could disturb them; so there is nothing to ask but whether it is full.
pub(super) struct Reads {
    seen: Vec<(ObjectId, u32)>,
    len: usize,
}

impl Default for Reads {
    fn default() -> Self {
        Reads { seen: vec![(ObjectId::NONE, 0); MOST], len: 0 }
    }
}

impl std::fmt::Debug for Reads {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.seen().fmt(f)
    }
}

impl Reads {
    #[inline(always)]
    pub(super) fn push(&mut self, object: ObjectId, version: u32) {
        if let Some(next) = self.seen.get_mut(self.len) {
            *next = (object, version);
            self.len += 1;
        }
    }

    #[inline(always)]
    pub(super) fn clear(&mut self) {
        self.len = 0;
    }

    /// There may have been more.
    #[inline]
    pub(super) fn is_full(&self) -> bool {
        self.len == MOST
    }

    #[inline]
    pub(super) fn seen(&self) -> &[(ObjectId, u32)] {
        &self.seen[..self.len]
    }

    pub(super) fn memory(&self, tell: &mut (impl FnMut(usize, usize) + ?Sized)) {
        whole(&self.seen, tell);
    }
}
