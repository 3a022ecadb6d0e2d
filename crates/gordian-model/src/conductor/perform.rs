//! Carrying a step out: what it does to its object, who can go on now, and who looks again.

use super::at_once::NOBODY;
use super::slots::{Objects, objects, slot_of};
use super::{Conductor, Idle, Status, wake_dependent};
use crate::access::{Access, Accesses};
use crate::id::{ObjectId, ThreadId};
use crate::object::{Model, Object, Outcomes};
use crate::op::OpKind;
use crate::reply::Reply;
use smallvec::SmallVec;

impl Conductor {
    /// Carries out the announced op of the thread that was decided on.
    #[inline]
    pub fn perform(&mut self, thread: ThreadId) -> Reply {
        Reply::from_words(self.perform_in_words(thread))
    }

    /// The same; gives the [words](Reply::into_words) of the reply.
    #[inline(always)]
    pub fn perform_in_words(&mut self, thread: ThreadId) -> (u64, u64) {
        match self.perform_quickly(thread) {
            Some((value, ok)) => Reply { value, ok, ..Reply::DONE }.into_words(),
            None => self.perform_less_frequent(thread),
        }
    }

    /// Not inlined: the path of the most frequent steps is as short as it was without.
    #[inline(never)]
    fn perform_less_frequent(&mut self, thread: ThreadId) -> (u64, u64) {
        if self.recalling {
            return self.perform_again(thread);
        }
        let at = self.trace.len();
        let words = match self.perform_usually(thread) {
            Some(reply) => reply.into_words(),
            None => self.perform_in_full(thread).into_words(),
        };
        self.follow_up(thread, at);
        words
    }

    /// Could the thread that stepped last go on, without having paused or having to time out?
    #[inline(always)]
    pub(super) fn could_go_on(&self) -> bool {
        let before = &self.threads[self.current.index()];
        !before.paused && !before.expiring && self.enabled.contains(self.current) && !self.trace.is_empty()
    }

    #[inline(never)]
    pub(super) fn perform_in_full(&mut self, thread: ThreadId) -> Reply {
        let at = self.trace.len();
        let goes_on = self.could_go_on();
        let me = &mut self.threads[thread.index()];
        debug_assert_eq!(me.status, Status::Announced);
        if me.op.is_cancellable() {
            // What it waits for is enrolled under its own life, too.
            let life = &mut self.lives[thread.index()];
            life.no_longer_pending(thread);
            me.op.heed(&life.model);
        }
        me.makes_step(at);
        let op = &me.op;
        let outcome = self.chosen;
        self.trace.note_kind(op.kind);
        let step = self.trace.begin(thread, op, &self.enabled, Accesses::new_const());
        step.outcome = outcome;
        step.outcomes = me.outcomes;
        step.objects = self.live_slots as u32;
        step.goes_on = goes_on;
        if me.woken_by.is_some() {
            step.woken_by = me.woken_by.take();
        }
        if !me.after.is_empty() {
            step.after = me.after.take();
        }
        let reply = objects!(self).make_step(thread, op, outcome, me.panicking, &mut step.accesses);
        step.value = reply.value;
        step.ok = reply.ok;
        self.enabled.remove(thread);
        self.sync.tick(thread);
        self.current = thread;
        // A new choice is progress, although no object shows it.
        let mut wrote = op.kind == OpKind::Choose;
        let mut progress = wrote;
        if op.kind.can_change() {
            slot_of(&mut self.slots, &mut self.lives, op.object).no_longer_pending(thread);
            if op.other != ObjectId::NONE {
                slot_of(&mut self.slots, &mut self.lives, op.other).no_longer_pending(thread);
            }
        }
        let mut awaited: SmallVec<[ObjectId; 4]> = SmallVec::new_const();
        for &Access { object, act, .. } in &step.accesses {
            let slot = slot_of(&mut self.slots, &mut self.lives, object);
            if !slot.was_changed(act, reply.value) {
                me.spin.read(object, slot.version);
            } else {
                wrote = true;
                progress |= act.is_progress();
                slot.version = slot.version.wrapping_add(1);
                if slot.is_awaited() {
                    awaited.push(object);
                }
            }
        }
        me.pace(wrote, progress);
        let paused = me.paused;
        if me.paused || step.woken_by.is_some() {
            self.pauses_seen |= me.paused;
            self.smooth = self.smooth.min(at);
        }
        for object in awaited {
            self.changed(object, thread, at);
        }
        if self.polite_seen {
            self.release_polite(thread);
        }
        if !self.sleep.is_empty() && at >= self.sleep_from {
            wake_dependent(&mut self.sleep, thread, &self.trace.steps[at].accesses, &self.trace.objects);
        }
        self.lead(thread);
        if paused {
            self.leader = NOBODY;
        }
        reply
    }

    /// An object that somebody waits at has changed: blocked threads may be enabled, idle ones look again.
    pub(super) fn changed(&mut self, object: ObjectId, by: ThreadId, at: usize) {
        let slot = slot_of(&mut self.slots, &mut self.lives, object);
        let watched = !slot.watchers.is_empty();
        // Most wait for this object alone, and mostly for a mutex.
        let mut others = false;
        if let Object::Mutex(mutex) = &slot.model {
            let free = mutex.is_free();
            for &waiter in &slot.pending {
                let me = &mut self.threads[waiter.index()];
                match me.op.kind {
                    OpKind::Lock => me.await_lock(waiter, free, &mut self.enabled),
                    // Whether it has been notified does not matter yet.
                    OpKind::Wake if !free && !me.op.is_cancellable() => {
                        me.await_object(waiter, Outcomes::Blocked, &mut self.enabled);
                    }
                    _ => others = true,
                }
            }
        } else {
            for &waiter in &slot.pending {
                let me = &mut self.threads[waiter.index()];
                if me.op.may_be_usual() && me.op.kind.can_block() && me.op.object == object {
                    let outcomes = slot.model.outcomes(waiter, &me.op, None, &self.options);
                    me.await_object(waiter, outcomes, &mut self.enabled);
                } else {
                    others = true;
                }
            }
        }
        if others {
            // Put back below; evaluating changes nothing about who waits.
            let pending = std::mem::take(&mut slot.pending);
            for &waiter in &pending {
                if self.threads[waiter.index()].op.kind != OpKind::Lock {
                    self.evaluate(waiter);
                }
            }
            slot_of(&mut self.slots, &mut self.lives, object).pending = pending;
        }
        if watched {
            self.wake_watchers(object, by, at);
        }
    }

    #[inline(never)]
    fn wake_watchers(&mut self, object: ObjectId, by: ThreadId, at: usize) {
        while let Some(watcher) = self.slot_mut(object).watchers.pop() {
            let me = &mut self.threads[watcher.index()];
            if watcher != by && me.idle == Idle::Proved && me.spin.watches(object) {
                me.idle = Idle::No;
                me.woken_by = Some(at as u32);
                me.spin.reset();
                self.evaluate(watcher);
            }
        }
    }
}
