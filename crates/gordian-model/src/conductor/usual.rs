//! The usual steps on channels, locks for readers and writers, barriers, condition variables and park tokens, done by themselves: those
//! that touch one object, once, while nothing pauses and no clocks are kept. As with atomics and mutexes ([`quick`](super::quick)), it
//! is what [`perform_in_full`](Conductor::perform_in_full) would do, without asking what else there might be.

use super::slots::slot_of;
use super::{Chosen, Conductor, Idle, Status, Thread, wake_dependent};
use crate::access::{Access, only};
use crate::id::{ObjectId, ThreadId};
use crate::object::{Outcomes, Touched};
use crate::op::Op;
use crate::reply::Reply;
use crate::thread_set::ThreadSet;

impl Op {
    /// May it be a [usual](Conductor::perform_usually) one?
    #[inline(always)]
    pub(super) fn may_be_usual(&self) -> bool {
        self.object != ObjectId::NONE && self.other == ObjectId::NONE && !self.is_cancellable()
    }
}

impl Thread {
    /// The thread, `me`, has announced an op that may have to wait for its object and for nothing else, and never times out.
    #[inline(always)]
    pub(super) fn await_object(&mut self, me: ThreadId, outcomes: Outcomes, enabled: &mut ThreadSet) {
        if self.status != Status::Announced {
            return;
        }
        self.expiring = false;
        self.outcomes = match outcomes {
            Outcomes::Ready(n) => n,
            Outcomes::Blocked | Outcomes::Expiring => 0,
        };
        if self.idle != Idle::Proved {
            self.idle = Idle::No;
        }
        if self.outcomes == 0 || self.idle != Idle::No {
            enabled.remove(me);
        } else {
            enabled.insert(me);
        }
    }
}

impl Conductor {
    /// Carries out the announced op of the thread that was decided on, if it is a usual one.
    #[inline]
    pub(super) fn perform_usually(&mut self, thread: ThreadId) -> Option<Reply> {
        let at = self.trace.len();
        let goes_on = self.could_go_on();
        let me = &mut self.threads[thread.index()];
        let something_else = self.options.clocks || self.pauses_seen || me.woken_by.is_some();
        if something_else || !me.op.may_be_usual() {
            return None;
        }
        let object = me.op.object;
        let slot = slot_of(&mut self.slots, &mut self.lives, object);
        let did = slot.model.quickly(thread, &me.op, self.chosen)?;
        let (reply, Touched { act, seq, .. }) = (did.reply(), did);
        debug_assert_eq!(me.status, Status::Announced);
        let touched = Access { object, act, seq };
        let step = self.trace.begin(thread, &me.op, &self.enabled, only(touched));
        let chosen = Chosen { outcome: self.chosen, objects: self.live_slots, goes_on };
        me.writes_down(at, step, chosen, reply.value, reply.ok);
        me.paused = false;
        self.enabled.remove(thread);
        self.current = thread;
        if me.op.kind.can_change() {
            slot.no_longer_pending(thread);
        }
        // None of them only looks.
        me.has_changed(slot);
        if act.is_progress() {
            me.pauses = 0;
        }
        let awaited = slot.is_awaited();
        if !self.sleep.is_empty() && at >= self.sleep_from {
            wake_dependent(&mut self.sleep, thread, &[touched], &self.trace.objects);
        }
        if awaited {
            self.changed(object, thread, at);
        }
        self.lead(thread);
        Some(reply)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::id::SiteId;
    use crate::object::{Barrier, Channel, Condvar, RwLock};
    use crate::op::OpKind::{self, *};
    use crate::plan::Plan;

    /// What is seen of the conductor after each of these ops, while a third thread waits to do something.
    fn run(
        waits: (OpKind, ObjectId),
        perform: fn(&mut Conductor, ThreadId) -> Reply,
    ) -> Vec<(Reply, String)> {
        let mut conductor = Conductor::default();
        conductor.begin(&Plan::default());
        let mut create = |model| conductor.create(model, SiteId::UNKNOWN);
        let channel = create(Channel::new(None).into());
        let lock = create(RwLock::new().into());
        let barrier = create(Barrier::new(2).into());
        let condvar = create(Condvar::new().into());
        let first = conductor.spawn(ThreadId::MAIN);
        let third = conductor.spawn(ThreadId::MAIN);
        let life = ObjectId::life(first);
        conductor.announce(third, &Op::new(waits.0, waits.1, SiteId::UNKNOWN));
        let steps = [
            (ThreadId::MAIN, Send, channel, 0),
            (ThreadId::MAIN, Send, channel, 0),
            (first, Receive, channel, 0),
            (first, Receive, channel, 0),
            (ThreadId::MAIN, DropSender, channel, 0),
            (first, Receive, channel, 0),
            (first, DropReceiver, channel, 0),
            (ThreadId::MAIN, ReadLock, lock, 0),
            (first, TryReadLock, lock, 0),
            (first, ReadUnlock, lock, 0),
            (ThreadId::MAIN, ReadUnlock, lock, 0),
            (first, WriteLock, lock, 0),
            (first, WriteUnlock, lock, 0),
            (first, TryWriteLock, lock, 0),
            (first, WriteUnlock, lock, 0),
            (first, Arrive, barrier, 0),
            (ThreadId::MAIN, Arrive, barrier, 0),
            (first, Leave, barrier, 0),
            (ThreadId::MAIN, IsLeader, barrier, 0),
            (first, IsLeader, barrier, 0),
            (first, NotifyOne, condvar, 0),
            (first, NotifyAll, condvar, 0),
            (ThreadId::MAIN, Unpark, life, 0),
            (ThreadId::MAIN, Unpark, life, 0),
            (first, Park, life, 0),
        ];
        let each = steps.map(|(thread, kind, object, arg)| {
            conductor.announce(thread, &Op { arg, ..Op::new(kind, object, SiteId::UNKNOWN) });
            conductor.chosen = 0;
            assert!(conductor.enabled.contains(thread), "{kind:?}");
            (perform(&mut conductor, thread), format!("{conductor:?}"))
        });
        each.into()
    }

    #[test]
    fn a_usual_step_is_the_same_as_one_in_full() {
        // A channel takes up three numbers.
        for (kind, object) in [(Receive, 0), (WriteLock, 3), (ReadLock, 3), (Leave, 4)] {
            let waits = (kind, ObjectId(object));
            let usual =
                run(waits, |conductor, thread| conductor.perform_usually(thread).expect("a usual one"));
            let in_full = run(waits, Conductor::perform_in_full);
            for (usual, in_full) in usual.iter().zip(&in_full) {
                assert_eq!(usual, in_full);
            }
        }
    }
}
