//! A step: one op, as it was carried out.

use crate::access::{Accesses, copied};
use crate::id::{ObjectId, SiteId, ThreadId};
use crate::op::{Op, OpKind};
use crate::plan::{Planned, Sleeper};
use serde::{Deserialize, Serialize};
use smallvec::SmallVec;

/// One op carried out, with all the thread-local work up to the thread's next op.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Step {
    /// The thread.
    pub thread: ThreadId,
    /// What it did.
    pub kind: OpKind,
    /// The outcome that was chosen...
    pub outcome: u32,
    /// ...out of so many.
    pub outcomes: u32,
    /// The object it was done to...
    pub object: ObjectId,
    /// ...and the second one.
    pub other: ObjectId,
    /// What it touched.
    pub accesses: Accesses,
    /// What it read or got.
    pub value: u64,
    /// What it wrote, or its argument.
    pub arg: u64,
    /// Did a fallible op succeed?
    pub ok: bool,
    /// The thread of the step before could have gone on: it was enabled, and neither had it paused nor would it only have
    /// timed out.
    #[serde(default)]
    pub goes_on: bool,
    /// Where.
    pub site: SiteId,
    /// Steps (numbers in this trace) that it follows because of a spawn or a join: the spawning thread's last step
    /// before the thread's first, and the last steps of the threads joined since its own last step.
    pub after: SmallVec<[u32; 2]>,
    /// The step (number in this trace) that ended the wait of an idle thread, if it was idle before.
    pub woken_by: Option<u32>,
    /// How many objects were known when the choice was made.
    pub objects: u32,
    /// Start of the enabled set in [`Trace::enabled`](crate::Trace::enabled).
    pub(crate) enabled: u32,
}

impl Step {
    pub(crate) const BLANK: Step = Step {
        thread: ThreadId::MAIN,
        kind: OpKind::Yield,
        outcome: 0,
        outcomes: 0,
        object: ObjectId::NONE,
        other: ObjectId::NONE,
        accesses: SmallVec::new_const(),
        value: 0,
        arg: 0,
        ok: true,
        goes_on: false,
        site: SiteId::UNKNOWN,
        after: SmallVec::new_const(),
        woken_by: None,
        objects: 0,
        enabled: 0,
    };

    /// What a thread does. Written straight to its place; a step put together on the stack would be copied there, before what was just
    /// stored can be read in larger pieces.
    #[inline(always)]
    pub(crate) fn fill_in(&mut self, thread: ThreadId, op: &Op) {
        self.thread = thread;
        self.kind = op.kind;
        self.object = op.object;
        self.other = op.other;
        self.arg = op.arg;
        self.site = op.site;
        self.woken_by = None;
    }

    /// The step as a choice to repeat.
    #[inline]
    pub fn planned(&self) -> Planned {
        Planned { thread: self.thread, outcome: self.outcome, expected: Some((self.kind, self.site)) }
    }

    /// The step as one that sleeps.
    #[inline]
    pub fn sleeper(&self) -> Sleeper {
        Sleeper {
            thread: self.thread,
            expected: (self.kind, self.site),
            outcome: self.outcome,
            outcomes: self.outcomes,
            accesses: copied(&self.accesses),
            bounded: false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_step_is_small() {
        // Two cache lines: what is larger is moved by a call.
        assert!(size_of::<Step>() <= 128, "{}", size_of::<Step>());
    }
}
