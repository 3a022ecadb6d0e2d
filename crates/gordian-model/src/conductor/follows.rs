//! What the next step of a thread follows besides the thread's own last one.

use smallvec::SmallVec;

/// Steps that the next one follows, see [`Step::after`](crate::Step::after). At nearly every step there is none, and that is one question.
#[derive(Clone, Debug, Default)]
pub(super) struct Follows {
    some: bool,
    steps: SmallVec<[u32; 2]>,
}

impl Follows {
    #[inline(always)]
    pub(super) fn is_empty(&self) -> bool {
        !self.some
    }

    #[inline]
    pub(super) fn push(&mut self, step: u32) {
        self.some = true;
        self.steps.push(step);
    }

    pub(super) fn extend(&mut self, others: &Follows) {
        self.some |= others.some;
        self.steps.extend_from_slice(&others.steps);
    }

    #[inline(always)]
    pub(super) fn clear(&mut self) {
        if self.some {
            self.some = false;
            self.steps.clear();
        }
    }

    /// The steps; none from now on.
    #[inline(always)]
    pub(super) fn take(&mut self) -> SmallVec<[u32; 2]> {
        self.some = false;
        std::mem::take(&mut self.steps)
    }
}
