//! What happens without a step: ops that commute with everything that others can see, and those of an execution that is over.

use super::Conductor;
use super::slots::{Objects, objects};
use crate::access::Accesses;
use crate::id::{ObjectId, ThreadId};
use crate::object::{Model, Object, Outcomes};
use crate::op::Op;
use crate::reply::Reply;

impl Conductor {
    /// Carries out an op that is no step of its own: it commutes with everything that others can see.
    pub fn silently(&mut self, thread: ThreadId, op: &Op) -> Reply {
        let panicking = self.threads[thread.index()].panicking;
        let reply = objects!(self).carry_out(thread, op, 0, panicking, &mut Accesses::new());
        self.sync.tick(thread);
        reply
    }

    /// Carries out an op at once if nothing has to be waited for: while an execution is torn down.
    pub fn try_silently(&mut self, thread: ThreadId, op: &Op) -> Option<Reply> {
        if op.object == ObjectId::NONE {
            return Some(Reply::DONE);
        }
        let other = (op.other != ObjectId::NONE).then(|| &self.slot(op.other).model);
        match self.slot(op.object).model.outcomes(thread, op, other, &self.options) {
            Outcomes::Blocked => None,
            _ => Some(self.silently(thread, op)),
        }
    }

    /// Counts a reference up or down where neither a step nor a clock is needed; says whether it was the last strong one.
    #[inline]
    pub fn count(&mut self, object: ObjectId, weak: bool, up: bool) -> bool {
        match &mut self.slots[object.index()].model {
            Object::Arc(arc) => arc.count(weak, up),
            other => unreachable!("counting references of a {}", other.kind()),
        }
    }

    /// How many steps of the thread changed something.
    pub fn changes(&self, thread: ThreadId) -> u32 {
        self.threads[thread.index()].changes
    }

    /// How much the thread has done that others could see: steps and accesses to cells.
    pub fn visible(&self, thread: ThreadId) -> u32 {
        self.threads[thread.index()].visible
    }

    /// The thread has changed state of its own that a comparison of its stack does not show (its clock, a cell), so
    /// the loop it may be in is not proved idle by this round.
    #[inline]
    pub fn not_idle(&mut self, thread: ThreadId) {
        self.threads[thread.index()].spin.stir();
    }

    /// The thread has left whatever loop it may have been in, so that coming back to the same op need not be looked at.
    #[inline]
    pub fn goes_on(&mut self, thread: ThreadId) {
        self.threads[thread.index()].spin.reset();
    }

    /// The program looked at a reference count.
    pub fn note_count_seen(&mut self) {
        self.trace.counts_seen = true;
    }
}
