//! Preemption bounding: switching away from a thread that could have gone on costs one.
//!
//! (Musuvathi and Qadeer, "Iterative context bounding for systematic testing of multithreaded programs", PLDI 2007.)

use super::{Bound, count};
use gordian_model::{ThreadId, Trace};

/// Preemptions; see [`Trace::is_preemption`].
#[derive(Clone, Copy, Debug, Default)]
pub struct Preemptions;

impl Bound for Preemptions {
    #[inline]
    fn price(&self, trace: &Trace, step: usize, thread: ThreadId) -> Option<u32> {
        Some(trace.would_preempt(step, thread).into())
    }

    fn within(&self, price: u32) -> String {
        format!("with at most {}", count(price, "preemption"))
    }
}
