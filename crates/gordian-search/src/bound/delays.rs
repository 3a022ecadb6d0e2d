//! Delay bounding: the default schedule's choice is free, and each enabled thread that is passed over on the way round to
//! another one costs one.
//!
//! (Emmi, Qadeer, Rakamaric, "Delay-bounded scheduling", POPL 2011. They leave open which deterministic scheduler is
//! delayed; here it is the default schedule.)

use super::{Bound, count};
use gordian_model::{ThreadId, Trace};

/// Delays.
#[derive(Clone, Copy, Debug, Default)]
pub struct Delays;

impl Bound for Delays {
    #[inline]
    fn price(&self, trace: &Trace, step: usize, thread: ThreadId) -> Option<u32> {
        let default = trace.steps[step].thread;
        let enabled = trace.enabled(step);
        let passed = |t: &ThreadId| {
            if default <= thread { (default..thread).contains(t) } else { *t >= default || *t < thread }
        };
        Some(enabled.iter().filter(passed).count() as u32)
    }

    fn within(&self, price: u32) -> String {
        format!("with at most {} of the default schedule", count(price, "delay"))
    }
}
