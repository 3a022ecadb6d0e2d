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
    /// The enabled thread whose next op has the highest priority. Each op draws its own; after a step those of other
    /// threads that conflict with it draw again (partial order sampling: Yuan, Yang, Gu, CAV 2018).
    PartialOrder {
        /// What random numbers start from.
        seed: u64,
    },
    /// Threads in proportion to what they have left to do.
    Weighted(Weighted),
}

/// How much each thread has to do.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct Weighted {
    /// The steps that each thread is expected to take, by number of the thread. Until a thread is spawned, what it has
    /// to do is left for its parent.
    pub of: Vec<u32>,
    /// Only steps on objects created here count; the order of the others is a random walk (selectively uniform random
    /// walk: Zhao, Wolff, Mathur, Roychoudhury, ASPLOS 2025). If there is no such place, every step counts.
    pub at: Option<SiteId>,
    /// What random numbers start from.
    pub seed: u64,
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
    /// The n-th step that touched an object created here; the lives of threads are created at [`SiteId::UNKNOWN`].
    Site(SiteId, u32),
}
