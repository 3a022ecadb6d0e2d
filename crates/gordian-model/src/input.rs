//! What a program learns from outside, where that is recorded.

use crate::id::ThreadId;
use serde::{Deserialize, Serialize};

/// Where times and random numbers come from.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub enum Inputs {
    /// They are made up, the same in every execution.
    #[default]
    Virtual,
    /// They are real, and recorded.
    Recorded,
    /// The same, but executions that are made later have not begun later.
    Travel,
}

/// What was asked for.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
pub enum Call {
    /// The number of the process.
    Process,
    /// A random number.
    Random,
    /// The time of a clock, by the number that the system has for it.
    Clock(u32),
}

impl std::fmt::Display for Call {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Call::Process => f.write_str("getpid"),
            Call::Random => f.write_str("getrandom"),
            Call::Clock(clock) => write!(f, "clock_gettime (clock {clock})"),
        }
    }
}

/// A value that a thread got from outside.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Input {
    /// The thread.
    pub thread: ThreadId,
    /// What it asked for.
    pub call: Call,
    /// How often it had asked for that before.
    pub nth: u32,
    /// How many steps there were before.
    pub step: u32,
    /// What it got.
    pub value: u64,
}
