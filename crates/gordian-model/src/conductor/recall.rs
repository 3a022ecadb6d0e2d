//! The beginning that an execution shares with the one before it.
//!
//! A search repeats most of an execution to do something else near its end. As long as a plan makes the choices that the last
//! execution made, the steps are the same, and their records are still there. So they are only checked, and the ops carried out:
//! nothing is written down again but the values, which may be addresses, and nobody asks who could go on instead. That is made up for
//! when the two part ([`part`](Conductor::part)).
//!
//! Only a *smooth* beginning is repeated in this way: one in which nobody paused, timed out, or was found idle.

use super::at_once::NOBODY;
use super::slots::{Objects, Slot, objects, slot_of};
use super::{Conductor, Status, Thread};
use crate::access::{Access, Accesses, only};
use crate::id::{ObjectId, ThreadId};
use crate::object::{Did, Touched};
use crate::op::OpKind;
use crate::reply::Reply;
use crate::step::Step;

impl Conductor {
    /// Another program is run from now on, or nothing of the last execution is to be relied on.
    pub fn forget(&mut self) {
        self.smooth = 0;
    }

    /// Nothing from step `at` on is like what an execution without it would do.
    #[inline]
    pub(super) fn smooth_up_to(&mut self, at: usize) {
        self.smooth = self.smooth.min(at);
    }

    /// The thread that makes the next step, as long as that is the one of the last execution.
    #[inline(always)]
    pub(super) fn decide_again(&mut self) -> Option<ThreadId> {
        let step = self.trace.steps.known(self.shared)?;
        let me = self.threads.get(step.thread.index())?;
        let same = me.status == Status::Announced
            && (me.op.kind, me.op.site, me.op.object) == (step.kind, step.site, step.object);
        if same {
            self.chosen = step.outcome;
        }
        same.then_some(step.thread)
    }

    /// The execution goes its own way from here: who could go on is worked out, and what the last execution did from here on is
    /// forgotten.
    #[cold]
    #[inline(never)]
    pub(super) fn part(&mut self) {
        self.part_after(self.trace.len());
    }

    /// The same, where threads whose ends were recorded after so many steps have ended.
    fn part_after(&mut self, steps: usize) {
        self.recalling = false;
        self.trace.part(steps);
        self.enabled.clear();
        for i in 0..self.threads.len() {
            let me = &self.threads[i];
            // One that joins is not asked for until that thread has ended, unless it can be called out of it.
            let joins = me.op.kind == OpKind::Join && !me.op.is_cancellable();
            if me.status == Status::Announced && !joins {
                self.enrol(ThreadId(i as u32));
            }
        }
    }

    /// Carries out a step of the last execution again; gives the [words](crate::Reply::into_words) of the reply.
    pub(super) fn perform_again(&mut self, thread: ThreadId) -> (u64, u64) {
        let at = self.trace.len();
        let me = &mut self.threads[thread.index()];
        let step = self.trace.steps.again();
        me.status = Status::Running;
        me.goes_again(at);
        step.arg = me.op.arg;
        self.current = thread;
        if me.op.is_cancellable() {
            me.op.heed(&self.lives[thread.index()].model);
        }
        let op = &me.op;
        if op.may_be_usual()
            && !self.options.clocks
            && let slot = slot_of(&mut self.slots, &mut self.lives, op.object)
            && let Some(did) = slot.model.quickly(thread, op, self.chosen)
        {
            let object = op.object;
            match me.usually_did_again(&mut self.trace.steps[at], slot, object, &did) {
                Some(access) => self.part_at(at, only(access)),
                None => self.lead_again(thread),
            }
            return did.reply().into_words();
        }
        self.trace.note_kind(op.kind);
        let mut accesses = Accesses::new_const();
        let reply = objects!(self).make_step(thread, op, self.chosen, me.panicking, &mut accesses);
        let step = &mut self.trace.steps[at];
        step.value = reply.value;
        step.ok = reply.ok;
        self.sync.tick(thread);
        let mut wrote = op.kind == OpKind::Choose;
        for &Access { object, act, .. } in &accesses {
            let slot = slot_of(&mut self.slots, &mut self.lives, object);
            if slot.was_changed(act, reply.value) {
                wrote = true;
                slot.version = slot.version.wrapping_add(1);
            } else {
                me.spin.read(object, slot.version);
            }
        }
        if wrote {
            me.changes += 1;
            me.spin.reset();
        }
        // Ends of threads may have been added to those of the step.
        if self.trace.steps[at].accesses.starts_with(&accesses) {
            self.lead_again(thread);
        } else {
            self.part_at(at, accesses);
        }
        reply.into_words()
    }

    /// A step did something else than in the last execution, although the program came to it in the same way: what it found in memory was
    /// another, such as an address that is used again or not. It is recorded as it is now.
    #[cold]
    #[inline(never)]
    pub(super) fn part_at(&mut self, at: usize, accesses: Accesses) {
        self.part_after(at);
        self.trace.steps[at].accesses = accesses;
        self.leader = NOBODY;
    }
}

impl Thread {
    /// It makes the step with this number as it did in the last execution.
    #[inline(always)]
    pub(super) fn goes_again(&mut self, at: usize) {
        self.visible += 1;
        self.last = Some(at as u32);
        self.after.clear();
    }

    /// It has carried out an op on an atomic or a mutex again, which did this: is that what the last execution did? How such an op touches its
    /// object is told by its kind and whether it succeeded.
    #[inline(always)]
    pub(super) fn did_again(
        &mut self,
        step: &mut Step,
        slot: &mut Slot,
        object: ObjectId,
        Did { value, act, ok, changed }: Did,
    ) -> bool {
        step.value = value;
        let same = step.ok == ok;
        step.ok = ok;
        debug_assert_eq!(changed, slot.was_changed(act, value));
        if changed {
            self.has_changed(slot);
        } else {
            self.spin.read(object, slot.version);
        }
        same
    }

    /// It has carried out a [usual](super::usual) op again: how that touched the object, if not as in the last execution.
    #[inline(always)]
    pub(super) fn usually_did_again(
        &mut self,
        step: &mut Step,
        slot: &mut Slot,
        object: ObjectId,
        did: &Touched,
    ) -> Option<Access> {
        let Reply { value, ok, .. } = did.reply();
        step.value = value;
        step.ok = ok;
        let access = Access { object, act: did.act, seq: did.seq };
        // None of them only looks.
        self.has_changed(slot);
        (step.accesses.first() != Some(&access)).then_some(access)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::conductor::Decision;
    use crate::id::SiteId;
    use crate::object::Atomic;
    use crate::op::Op;
    use crate::plan::{Plan, Planned};

    /// One thread and its child, which ends after a compare-and-swap that fits only if the atomic was zero; what is recorded.
    fn run(conductor: &mut Conductor, plan: &Plan, value: u64) -> (String, Vec<Planned>) {
        conductor.begin(plan);
        let atomic = conductor.create(Atomic::new(value).into(), SiteId::UNKNOWN);
        let other = conductor.spawn(ThreadId::MAIN);
        let op = |kind| Op { arg2: 7, detail: 8, ..Op::new(kind, atomic, SiteId::UNKNOWN) };
        conductor.announce(ThreadId::MAIN, &op(OpKind::Load));
        conductor.announce(other, &op(OpKind::CompareExchange));
        for (thread, kind) in [(other, None), (ThreadId::MAIN, Some(OpKind::Store)), (ThreadId::MAIN, None)] {
            assert_eq!(conductor.decide(), Decision::Run(thread));
            conductor.perform(thread);
            match kind {
                Some(kind) => drop(conductor.announce(thread, &op(kind))),
                None => conductor.finish(thread),
            }
        }
        conductor.close();
        let trace = &conductor.trace;
        let enabled: Vec<_> = (0..trace.len()).map(|i| trace.enabled_words(i)).collect();
        (format!("{:?} {enabled:?} {:?}", &trace.steps[..], trace.end), trace.choices().collect())
    }

    #[test]
    fn what_a_step_finds_otherwise_is_recorded_as_it_is() {
        let mut conductor = Conductor::default();
        let other = Planned { thread: ThreadId(1), outcome: 0, expected: None };
        let (_, choices) = run(&mut conductor, &Plan { prefix: vec![other], ..Plan::default() }, 0);
        let again = Plan { prefix: choices, ..Plan::default() };
        for value in [1, 1, 0, 0, 1] {
            let mut afresh = Conductor::default();
            run(&mut afresh, &Plan { prefix: vec![other], ..Plan::default() }, 5);
            afresh.forget();
            let expected = run(&mut afresh, &again, value).0;
            assert!(conductor.shared_with(&again) > 0);
            assert_eq!(run(&mut conductor, &again, value).0, expected, "{value}");
        }
    }
}
