//! How a search went, in a few kilobytes: for the page of a failure, and saved with it.

use crate::id::ThreadId;
use serde::{Deserialize, Serialize};
use std::time::Duration;

/// How a search went.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Exploration {
    /// The search, as it is written.
    pub search: String,
    /// Executions carried to their end or to a failure.
    pub executions: u64,
    /// Executions that were cut short.
    pub blocked: u64,
    /// Steps in all.
    pub steps: u64,
    /// Time taken.
    pub elapsed: Duration,
    /// The sentence that is true now.
    pub guarantee: String,
    /// Anything else: what it is, and how much.
    pub more: Vec<(String, String)>,
    /// What it was like on the way.
    pub course: Course,
}

/// What a search was like on the way.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Course {
    /// How far it was, from time to time; the last is the end.
    pub samples: Vec<Sample>,
    /// Bounds that were finished.
    pub bounds: Vec<Finished>,
    /// How many executions had so many preemptions; the last counts those with more, too.
    pub preemptions: Vec<u64>,
    /// The tree of what was explored, if the search has one.
    pub tree: Option<Tree>,
}

/// How far a search was at some moment.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Sample {
    /// Since the beginning.
    pub elapsed: Duration,
    /// Executions so far, with those that were cut short.
    pub executions: u64,
    /// Executions in all, as they were estimated then.
    pub estimate: Option<f64>,
}

/// A bound that was finished: there is no failure within it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Finished {
    /// When this was first seen...
    pub elapsed: Duration,
    /// ...and after how many executions.
    pub executions: u64,
    /// Which: "with at most 2 preemptions".
    pub within: String,
}

/// The tree that a depth-first search explores. A node is a step at which more than one thing was tried.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Tree {
    /// The executions that the search with this tree has made; there may be others beside it.
    pub executions: u64,
    /// Those of them that have been taken in: one that fails is not.
    pub seen: u64,
    /// The share of the tree that these are, by what is known of its branches: 1 in the end.
    pub share: f64,
    /// How often the search went another way, by the number of steps before.
    pub depths: Vec<u64>,
    /// Where it did so near the root, in the order in which it did: in all places with fewer than `top` steps before.
    pub branches: Vec<Branched>,
    /// See above.
    pub top: u32,
}

impl Tree {
    /// The executions that the whole tree would take; nothing as long as none has been taken in.
    pub fn estimate(&self) -> Option<f64> {
        (self.seen > 0 && self.share > 0.0).then(|| self.seen as f64 / self.share)
    }
}

/// A thread and the outcome of its op.
pub type Way = (ThreadId, u32);

/// A search has gone another way.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Branched {
    /// The steps before.
    pub depth: u32,
    /// The executions before.
    pub executions: u64,
    /// The way it has gone up to now...
    pub from: Way,
    /// ...and goes from now on.
    pub to: Way,
}
