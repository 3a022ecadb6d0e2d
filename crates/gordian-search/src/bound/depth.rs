//! Depth bounding: only the first steps may depart from the default schedule.

use super::{Bound, count};
use gordian_model::{ThreadId, Trace};

/// Departures are free in so many first steps, and out of the question afterwards.
#[derive(Clone, Copy, Debug)]
pub struct Depth(pub u32);

impl Bound for Depth {
    #[inline]
    fn price(&self, _: &Trace, step: usize, _: ThreadId) -> Option<u32> {
        (step < self.0 as usize).then_some(0)
    }

    fn within(&self, _: u32) -> String {
        format!("that follows the default schedule after {}", count(self.0, "step"))
    }
}
