//! Policies: what an execution does after the prefix of its plan.

use crate::id::{SiteId, ThreadId};
use serde::{Deserialize, Serialize};

/// What to do after the prefix.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub enum Policy {
    /// Go on with the same thread as long as it can; then the lowest.
    #[default]
    RunOn,
    /// Any enabled thread and any outcome of its op, each as likely as the others.
    Random {
        /// What random numbers start from.
        seed: u64,
    },
    /// The enabled thread with the highest priority.
    Priorities(Priorities),
}

/// Who goes first, and when that changes.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct Priorities {
    /// The priority of each thread, by number; higher goes first. One that is not listed is drawn from the seed, and is
    /// above [`Priorities::LOW`].
    pub of: Vec<u32>,
    /// When the thread that has just stepped gets another priority; those for a number of steps in their order.
    pub changes: Vec<Change>,
    /// What random numbers start from: outcomes, and the priorities of threads that are not listed.
    pub seed: u64,
}

impl Priorities {
    /// Priorities below this are left for changes.
    pub const LOW: u32 = 1 << 16;
}

/// A thread gets another priority.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Change {
    /// When.
    pub after: Moment,
    /// Which.
    pub to: u32,
}

/// A moment in an execution: just after some step. All numbers count from one.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum Moment {
    /// The n-th step.
    Step(u32),
    /// The n-th step of this thread.
    Thread(ThreadId, u32),
    /// The n-th step that touched an object created here.
    Site(SiteId, u32),
}
