//! The shortest path there is: an op on an atomic or a mutex, by the thread that goes on, in the beginning that an execution shares with the
//! one before it. In long executions that is about half of all steps. The op need not be written down nor announced, since it happens at once: it is
//! [`announce`](Conductor::announce), [`decide`](Conductor::decide) and [`perform`](Conductor::perform) in one.

use super::Conductor;
use super::at_once::{AtOnce, NOBODY};
use super::spin::NOWHERE;
use crate::access::{Access, only};
use crate::id::ThreadId;
use crate::object::Did;
use crate::op::Op;

impl Conductor {
    /// The thread has made a step again: may its next op happen at once, if the last execution made it next? A thread whose state is compared keeps off
    /// its stack.
    #[inline(always)]
    pub(super) fn lead_again(&mut self, thread: ThreadId) {
        let me = &self.threads[thread.index()];
        let free = self.may_repeat && !me.spin.is_probed();
        self.leader = if free { thread } else { NOBODY };
        self.turn = me.spin.turn();
    }

    /// Carries out an op on an atomic or a mutex by the thread that leads, if the last execution did so here; and gives what it read.
    #[inline(always)]
    pub(super) fn again_as(&mut self, op: Op) -> (u64, AtOnce) {
        let not = (0, AtOnce::Not);
        let at = self.trace.len();
        let Some(step) = self.trace.steps.known_mut(self.shared) else { return not };
        let Op { kind, object, site, .. } = op;
        let thread = self.leader;
        if (step.thread, step.kind, step.object, step.site) != (thread, kind, object, site) {
            return not;
        }
        let Some(me) = self.threads.get_mut(thread.index()) else { return not };
        let Some(slot) = self.slots.get_mut(object.index()) else { return not };
        debug_assert!(!me.spin.is_probed() && (op.is_plain() || !me.spin.is_at_anchor(&op)));
        let Some(did) = slot.quickly(thread, &op) else { return not };
        if !op.is_plain() {
            me.spin.passes(&op);
        }
        me.goes_again(at);
        step.arg = op.arg;
        let same = me.did_again(step, slot, object, did);
        let Did { value, act, ok, .. } = did;
        self.turn = me.spin.turn();
        self.current = thread;
        self.trace.steps.again();
        if !same {
            self.part_at(at, only(Access { object, act, seq: 0 }));
        }
        (value, if ok { AtOnce::Done } else { AtOnce::Failed })
    }

    /// The same for the [usual](super::usual) ops; gives the [words](crate::Reply::into_words) of the reply.
    #[inline(always)]
    pub(super) fn usual_again_as(&mut self, op: Op) -> Option<(u64, u64)> {
        let at = self.trace.len();
        let step = self.trace.steps.known_mut(self.shared)?;
        let Op { kind, object, site, .. } = op;
        let thread = self.leader;
        if (step.thread, step.kind, step.object, step.site) != (thread, kind, object, site) {
            return None;
        }
        let me = self.threads.get_mut(thread.index())?;
        let slot = self.slots.get_mut(object.index())?;
        let did = slot.model.quickly(thread, &op, step.outcome)?;
        if !op.is_plain() {
            me.spin.passes(&op);
        }
        me.goes_again(at);
        step.arg = op.arg;
        let other = me.usually_did_again(step, slot, object, &did);
        self.turn = NOWHERE;
        self.current = thread;
        self.trace.steps.again();
        if let Some(access) = other {
            self.part_at(at, only(access));
        }
        Some(did.reply().into_words())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::conductor::Decision;
    use crate::id::{ObjectId, SiteId};
    use crate::object::{Atomic, Mutex};
    use crate::op::OpKind;
    use crate::plan::Plan;
    use crate::reply::Reply;

    const ATOMIC: ObjectId = ObjectId(0);
    const MUTEX: ObjectId = ObjectId(1);

    /// What one thread does, and what is seen of the conductor after each step. The atomic has this value at first.
    fn run(conductor: &mut Conductor, plan: &Plan, first: u64, shortest: bool) -> Vec<(Reply, String)> {
        let ops = [
            (OpKind::Load, ATOMIC, 0),
            (OpKind::CompareExchange, ATOMIC, 0),
            (OpKind::Store, ATOMIC, 7),
            (OpKind::Store, ATOMIC, 1),
            (OpKind::Load, ATOMIC, 0),
            (OpKind::Swap, ATOMIC, 1),
            (OpKind::CompareExchange, ATOMIC, 1),
            (OpKind::CompareExchange, ATOMIC, 1),
            (OpKind::FetchAdd, ATOMIC, 255),
            (OpKind::Lock, MUTEX, 0),
            (OpKind::TryLock, MUTEX, 0),
            (OpKind::Unlock, MUTEX, 0),
            (OpKind::TryLock, MUTEX, 0),
            (OpKind::Unlock, MUTEX, 0),
            (OpKind::FetchMin, ATOMIC, 2),
            (OpKind::Store, ATOMIC, 9),
            (OpKind::Load, ATOMIC, 0),
            (OpKind::Load, ATOMIC, 0),
        ];
        let last = ops.len() - 1;
        conductor.begin(plan);
        conductor.create(Atomic::new(first).into(), SiteId::UNKNOWN);
        conductor.create(Mutex::new().into(), SiteId::UNKNOWN);
        let announce = |conductor: &mut Conductor, thread, op: &Op| {
            conductor.announce(thread, op);
            assert_eq!(conductor.decide(), Decision::Run(thread));
            conductor.perform(thread)
        };
        announce(conductor, ThreadId::MAIN, &Op::new(OpKind::Load, ATOMIC, SiteId(7)));
        let me = conductor.spawn(ThreadId::MAIN);
        assert!(!conductor.join(ThreadId::MAIN, me, SiteId::UNKNOWN));
        let each = ops.into_iter().enumerate().map(|(i, (kind, object, arg))| {
            // The two loads at the end are at one place: there a loop may have gone round.
            let site = SiteId(1 + i.min(last - 1) as u32);
            let op = Op { arg, arg2: 1, detail: 1, ..Op::new(kind, object, site) };
            let simple = shortest && conductor.recalling && (1..last).contains(&i);
            let recalls = conductor.recalling;
            let done = if shortest && conductor.leads(me, site) { conductor.at_once(&op) } else { None };
            assert_eq!(done.is_some() && recalls, simple, "{i}");
            let reply = match done {
                None => announce(conductor, me, &op),
                Some(reply) => {
                    conductor.draft(me, op);
                    reply
                }
            };
            (reply, format!("{conductor:?}"))
        });
        each.collect()
    }

    #[test]
    fn what_is_done_again_at_once_is_what_is_announced() {
        let mut recorded = Conductor::default();
        run(&mut recorded, &Plan::default(), 0, false);
        let again = Plan { prefix: recorded.trace.choices().collect(), ..Plan::default() };
        // With another value at first a compare-and-swap goes otherwise, which ends the beginning that is shared.
        for first in [0, 0, 1, 0] {
            let [at_once, announced] = [true, false].map(|shortest| {
                let mut conductor = Conductor::default();
                run(&mut conductor, &Plan::default(), 0, false);
                run(&mut conductor, &again, first, shortest)
            });
            for (at_once, announced) in at_once.iter().zip(&announced) {
                assert_eq!(at_once, announced);
            }
            let shared = !announced.last().expect("some").1.contains("recalling: false");
            assert_eq!(shared, first == 0);
        }
    }
}
