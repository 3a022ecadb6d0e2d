//! The most frequent steps by far, done by themselves: ops on atomics and mutexes, while no clocks are kept. It is what
//! [`perform_in_full`](Conductor::perform_in_full) would do, or [`perform_again`](Conductor::perform_again), without asking at every turn
//! what else there might be.

use super::{Chosen, Conductor, Status, wake_dependent};
use crate::access::{Access, Act, only};
use crate::id::ThreadId;
use crate::object::Did;

impl Conductor {
    /// Carries out the announced op of the thread that was decided on, if it is so simple; gives what it read, and whether it
    /// succeeded. (These come back in registers, a reply would be copied.)
    #[inline(always)]
    pub(super) fn perform_quickly(&mut self, thread: ThreadId) -> Option<(u64, bool)> {
        if !self.threads[thread.index()].op.kind.is_frequent() {
            return None;
        }
        let at = self.trace.len();
        let goes_on = !self.recalling && self.could_go_on();
        let me = &mut self.threads[thread.index()];
        if self.options.clocks || me.woken_by.is_some() {
            return None;
        }
        let slot = self.slots.get_mut(me.op.object.index())?;
        let did = slot.quickly(thread, &me.op)?;
        debug_assert_eq!(me.status, Status::Announced);
        let Did { value, act, ok, changed } = did;
        if self.recalling {
            let step = self.trace.steps.again();
            me.status = Status::Running;
            me.goes_again(at);
            step.arg = me.op.arg;
            self.current = thread;
            let object = me.op.object;
            if me.did_again(step, slot, object, did) {
                self.lead_again(thread);
            } else {
                self.part_at(at, only(Access { object, act, seq: 0 }));
            }
            return Some((value, ok));
        }
        let object = me.op.object;
        let touched = Access { object, act, seq: 0 };
        let step = self.trace.begin(thread, &me.op, &self.enabled, only(touched));
        let chosen = Chosen { outcome: self.chosen, objects: self.live_slots, goes_on };
        me.writes_down(at, step, chosen, value, ok);
        me.paused = false;
        self.enabled.remove(thread);
        self.current = thread;
        if !self.sleep.is_empty() && at >= self.sleep_from {
            wake_dependent(&mut self.sleep, thread, &[touched], &self.trace.objects);
        }
        debug_assert_eq!(changed, slot.was_changed(act, value));
        if changed {
            me.has_changed(slot);
            // Of what is done here it is the only one that gets anywhere.
            debug_assert_eq!(act.is_progress(), act == Act::Write);
            if act == Act::Write {
                me.pauses = 0;
            } else if act == Act::Take {
                slot.no_longer_pending(thread);
            }
            if slot.is_awaited() {
                self.changed(object, thread, at);
            }
        } else {
            me.spin.read(object, slot.version);
        }
        if self.polite_seen {
            self.release_polite(thread);
        }
        self.follow_up(thread, at);
        self.lead(thread);
        Some((value, ok))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::id::{ObjectId, SiteId};
    use crate::object::{Atomic, Mutex};
    use crate::op::{Op, OpKind};
    use crate::plan::Plan;
    use crate::reply::Reply;

    const ATOMIC: ObjectId = ObjectId(0);
    const MUTEX: ObjectId = ObjectId(1);

    /// What is seen of the conductor after each of these ops by a thread that follows a step of the main thread, which pauses often, while
    /// another waits for the mutex.
    fn run(perform: fn(&mut Conductor, ThreadId) -> Reply) -> Vec<(Reply, String)> {
        let steps = [
            (OpKind::Load, ATOMIC, 0),
            (OpKind::Store, ATOMIC, 1),
            (OpKind::Load, ATOMIC, 0),
            (OpKind::Load, ATOMIC, 0),
            (OpKind::CompareExchange, ATOMIC, 1),
            (OpKind::CompareExchange, ATOMIC, 1),
            (OpKind::FetchAdd, ATOMIC, 255),
            (OpKind::Lock, MUTEX, 0),
            (OpKind::TryLock, MUTEX, 0),
            (OpKind::Swap, ATOMIC, 3),
            (OpKind::Unlock, MUTEX, 0),
            (OpKind::TryLock, MUTEX, 0),
            (OpKind::Unlock, MUTEX, 0),
            (OpKind::FetchMin, ATOMIC, 2),
        ];
        let mut conductor = Conductor::default();
        conductor.begin(&Plan::default());
        conductor.create(Atomic::new(0).into(), SiteId::UNKNOWN);
        conductor.create(Mutex::new().into(), SiteId::UNKNOWN);
        let pause = |conductor: &mut Conductor| {
            conductor.announce(ThreadId::MAIN, &Op::new(OpKind::Yield, ObjectId::NONE, SiteId::UNKNOWN));
        };
        pause(&mut conductor);
        conductor.perform(ThreadId::MAIN);
        let other = conductor.spawn(ThreadId::MAIN);
        let me = conductor.spawn(ThreadId::MAIN);
        for _ in 0..conductor.limits.fair_rounds {
            pause(&mut conductor);
            conductor.perform(ThreadId::MAIN);
        }
        conductor.announce(other, &Op::new(OpKind::Lock, MUTEX, SiteId::UNKNOWN));
        pause(&mut conductor);
        assert!(conductor.is_idle(ThreadId::MAIN), "it lets others go first");
        let each = steps.map(|(kind, object, arg)| {
            let op = Op { arg, arg2: 7, detail: 1, ..Op::new(kind, object, SiteId::UNKNOWN) };
            conductor.announce(me, &op);
            conductor.chosen = 0;
            (perform(&mut conductor, me), format!("{conductor:?}"))
        });
        assert!(!conductor.is_idle(ThreadId::MAIN), "others went");
        each.into()
    }

    #[test]
    fn a_quick_step_is_the_same_as_one_in_full() {
        let quick = run(|conductor, me| {
            let (value, ok) = conductor.perform_quickly(me).expect("simple enough");
            Reply { value, ok, ..Reply::DONE }
        });
        let in_full = run(Conductor::perform_in_full);
        for (quick, in_full) in quick.iter().zip(&in_full) {
            assert_eq!(quick, in_full);
        }
    }
}
