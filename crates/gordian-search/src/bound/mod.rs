//! Bounds: what a departure from the default schedule costs.
//!
//! The default schedule goes on with the same thread as long as it can, then with the lowest that can. A bounded search
//! makes every execution whose departures from it cost no more in all than the bound allows, the cheapest first.

mod delays;
mod depth;
mod preemptions;

pub use delays::Delays;
pub use depth::Depth;
pub use preemptions::Preemptions;

use gordian_model::{ThreadId, Trace};

/// What a departure from the default schedule costs.
pub trait Bound: Send + Sync {
    /// The price of letting `thread` go at a step of the trace, where the default schedule did what the trace says (which has
    /// to be free); `None` if it is out of the question. It may look at the steps before and at who was enabled.
    fn price(&self, trace: &Trace, step: usize, thread: ThreadId) -> Option<u32>;

    /// The executions that cost at most this, in words that fit behind "no failure in any interleaving": "with at most 2
    /// preemptions".
    fn within(&self, price: u32) -> String;
}

/// "1 preemption", "2 preemptions".
fn count(number: u32, what: &str) -> String {
    format!("{number} {what}{}", if number == 1 { "" } else { "s" })
}
