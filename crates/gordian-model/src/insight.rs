//! What running a failing execution again has told about it.

use crate::id::ThreadId;
use serde::{Deserialize, Serialize};

/// What is known about a failing execution beyond its trace.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Insight {
    /// How it was made small, if that was tried.
    pub minimised: Option<Minimised>,
    /// Two conflicting steps whose order decides, if there are such.
    pub decisive: Option<Decisive>,
    /// How many pairs of conflicting steps were put in the other order to find them.
    pub reversed: u32,
}

/// How a failing execution was made small. The sizes are those of the execution that was found first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Minimised {
    /// How many executions were tried.
    pub executions: u64,
    /// It is proved that no execution with fewer preemptions fails in this way.
    pub proved: bool,
    /// Preemptions at first.
    pub preemptions: u32,
    /// Threads that made steps at first.
    pub threads: u32,
    /// Steps at first.
    pub steps: u32,
}

/// With these two in the other order the test passes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Decisive {
    /// The number of the earlier step, from zero.
    pub earlier: u32,
    /// The later one.
    pub later: Later,
    /// The earlier one came at once after it; else the thread of the later one went on first as far as it could.
    pub at_once: bool,
}

/// The later of two conflicting steps.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Later {
    /// The step with this number, from zero.
    Step(u32),
    /// What this thread waits to do when the execution ends.
    Waiting(ThreadId),
}
