//! What a failed execution left behind, for reports: what atomics and semaphores held, and what each thread was about to do.

use crate::id::{ObjectId, SiteId, ThreadId};
use crate::op::OpKind;
use serde::{Deserialize, Serialize};

/// What there was when an execution failed.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Aftermath {
    /// By number of the object: the value of an atomic, the permits of a semaphore.
    pub values: Vec<Option<u64>>,
    /// The threads that had come to an op, in the order of their numbers.
    pub pending: Vec<Pending>,
}

/// An op that a thread had announced and not carried out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Pending {
    /// The thread.
    pub thread: ThreadId,
    /// What it was about to do.
    pub kind: OpKind,
    /// The object...
    pub object: ObjectId,
    /// ...and the second one.
    pub other: ObjectId,
    /// Where.
    pub site: SiteId,
    /// It could not go on: it was blocked, or in a loop that waits.
    pub stuck: bool,
}
