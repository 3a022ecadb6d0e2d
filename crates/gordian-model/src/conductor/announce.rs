//! What a thread is about to do, and whether it can.

use super::at_once::NOBODY;
use super::slots::{Slot, slot_of};
use super::{Conductor, Idle, Status, Thread, Visit};
use crate::id::{ObjectId, ThreadId};
use crate::object::{Model, Object, Outcomes};
use crate::op::{Op, OpKind};
use crate::thread_set::ThreadSet;

impl Conductor {
    /// A thread says what it is about to do. [`Visit::Probe`] asks the front end to compare the thread's own
    /// state and to call [`probed`](Self::probed) before it goes on.
    #[inline]
    pub fn announce(&mut self, thread: ThreadId, op: &Op) -> Visit {
        self.draft(thread, *op);
        self.announce_draft(thread)
    }

    /// Writes down what a thread will announce. Inlined where the op is put together it costs no copy, which would have
    /// to wait until what was just stored in small pieces can be read in large ones.
    #[inline(always)]
    pub fn draft(&mut self, thread: ThreadId, op: Op) {
        self.threads[thread.index()].op = op;
    }

    /// What a thread will announce.
    pub fn drafted(&self, thread: ThreadId) -> &Op {
        &self.threads[thread.index()].op
    }

    /// [Announces](Self::announce) what was written down.
    #[inline]
    pub fn announce_draft(&mut self, thread: ThreadId) -> Visit {
        let me = &mut self.threads[thread.index()];
        debug_assert_eq!(me.status, Status::Running);
        me.status = Status::Announced;
        if me.paused {
            me.comes_from_a_pause();
        }
        let is_plain = me.op.is_plain();
        // The common case: no round of a waiting loop begins or ends here.
        let passes = is_plain || me.spin.passes(&me.op);
        if !self.recalling {
            if is_plain || me.op.is_certain() {
                me.outcomes = 1;
                me.expiring = false;
                self.enabled.insert(thread);
            } else {
                self.enrol_in_full(thread);
            }
        }
        if passes { Visit::Plain } else { self.come_round(thread) }
    }

    /// Works out whether a thread that has announced an op can go on, and sees to it that this is done again when it has to be.
    pub(super) fn enrol(&mut self, thread: ThreadId) {
        let me = &mut self.threads[thread.index()];
        if me.op.is_plain() || me.op.is_certain() {
            // Always possible, in one way.
            me.outcomes = 1;
            me.expiring = false;
            if me.idle == Idle::No {
                self.enabled.insert(thread);
            }
        } else {
            self.enrol_in_full(thread);
        }
    }

    #[inline(never)]
    fn enrol_in_full(&mut self, thread: ThreadId) {
        let me = &mut self.threads[thread.index()];
        if me.op.kind == OpKind::Lock
            && me.op.other == ObjectId::NONE
            && let Some(Slot { model: Object::Mutex(mutex), pending, .. }) =
                self.slots.get_mut(me.op.object.index())
        {
            // The most frequent of those that may have to wait, in short.
            pending.push(thread);
            return me.await_lock(thread, mutex.is_free(), &mut self.enabled);
        }
        if me.op.kind.can_block() && me.op.may_be_usual() && me.op.object.as_life().is_none() {
            let Slot { model, pending, .. } = &mut self.slots[me.op.object.index()];
            // Where there is always room nothing that others do matters to who sends.
            let always =
                matches!(model, Object::Channel(c) if me.op.kind == OpKind::Send && c.is_unbounded());
            let outcomes = if always {
                Outcomes::Ready(1)
            } else {
                pending.push(thread);
                model.outcomes(thread, &me.op, None, &self.options)
            };
            return me.await_object(thread, outcomes, &mut self.enabled);
        }
        let Op { kind, object, other, .. } = me.op;
        if me.op.is_cancellable() {
            self.lives[thread.index()].pending.push(thread);
        }
        if kind.can_change() {
            self.slot_mut(object).pending.push(thread);
            if other != ObjectId::NONE {
                self.slot_mut(other).pending.push(thread);
            }
        }
        self.evaluate(thread);
    }

    /// Works out whether the announced op of a thread is enabled.
    pub(super) fn evaluate(&mut self, thread: ThreadId) {
        let me = &mut self.threads[thread.index()];
        if me.status != Status::Announced {
            return;
        }
        if me.op.is_cancellable() {
            me.op.heed(&self.lives[thread.index()].model);
        }
        let op = &me.op;
        if op.kind == OpKind::Lock
            && let Some(Slot { model: Object::Mutex(mutex), .. }) = self.slots.get(op.object.index())
        {
            return me.await_lock(thread, mutex.is_free(), &mut self.enabled);
        }
        let outcomes = match op.kind {
            OpKind::Choose => Outcomes::Ready(op.arg as u32),
            _ if op.object == ObjectId::NONE => Outcomes::Ready(1),
            _ if op.other == ObjectId::NONE => {
                let slot = slot_of(&mut self.slots, &mut self.lives, op.object);
                slot.model.outcomes(thread, op, None, &self.options)
            }
            _ => {
                let op = *op;
                let other = Some(&self.slot(op.other).model);
                self.slot(op.object).model.outcomes(thread, &op, other, &self.options)
            }
        };
        let me = &mut self.threads[thread.index()];
        me.expiring = outcomes == Outcomes::Expiring;
        me.outcomes = match outcomes {
            Outcomes::Blocked => 0,
            Outcomes::Ready(n) => n,
            Outcomes::Expiring => 1,
        };
        if me.idle != Idle::Proved {
            let polite = (me.expiring || me.op.kind.is_pause()) && me.pauses >= self.limits.fair_rounds;
            me.idle = if polite { Idle::Polite } else { Idle::No };
            if polite {
                self.polite_seen = true;
                self.leader = NOBODY;
            }
        }
        if me.outcomes == 0 || me.idle != Idle::No {
            self.enabled.remove(thread);
        } else {
            self.enabled.insert(thread);
        }
    }
}

impl Op {
    /// Says whether the thread with this life was asked to end.
    pub(super) fn heed(&mut self, life: &Object) {
        let asked = matches!(life, Object::Life(life) if life.is_cancelled());
        self.detail = self.detail & !Op::CANCELLED | if asked { Op::CANCELLED } else { 0 };
    }
}

impl Thread {
    /// The thread, `me`, wants a mutex that is free or not. One that waits for a lock is not in a loop.
    #[inline(always)]
    pub(super) fn await_lock(&mut self, me: ThreadId, free: bool, enabled: &mut ThreadSet) {
        if self.status != Status::Announced {
            return;
        }
        self.expiring = false;
        self.outcomes = u32::from(free);
        self.idle = Idle::No;
        if free {
            enabled.insert(me);
        } else {
            enabled.remove(me);
        }
    }
}
