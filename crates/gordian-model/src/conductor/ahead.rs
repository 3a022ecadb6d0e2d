//! A new step of the thread that goes on by itself, beyond what is planned, while nobody sleeps and no clocks are kept: an op on an atomic or a
//! mutex, or a [usual](super::usual) one. Most new steps are such. As the op happens at once it need not be written down, announced or decided on; it is
//! [`announce`](Conductor::announce), [`decide`](Conductor::decide) and [`perform`](Conductor::perform) in one, as
//! [`again`](super::again) is for steps that were made before.

use super::at_once::NOBODY;
use super::spin::NOWHERE;
use super::{AtOnce, Chosen, Conductor, Status};
use crate::access::{Access, Act, only};
use crate::id::ThreadId;
use crate::object::{Did, Model, Object, Outcomes, Touched};
use crate::op::{Op, OpKind};
use crate::plan::Options;
use crate::reply::Reply;
use crate::trace::End;

impl Conductor {
    /// The thread has made a step, and neither has it paused nor was it woken for that: may its next op happen at once? Not while somebody waits
    /// politely, and a thread whose state is compared keeps off its stack.
    #[inline(always)]
    pub(super) fn lead(&mut self, thread: ThreadId) {
        let free = self.by_itself
            && self.sleep.is_empty()
            && self.trace.len() >= self.prefix.len()
            && !self.polite_seen
            && !self.threads[thread.index()].spin.is_probed();
        self.leader = if free { thread } else { NOBODY };
        self.turn = self.threads[thread.index()].spin.turn();
    }

    /// Carries out the op of the thread that leads, if it is on an atomic or a mutex and so simple; else nothing has changed.
    #[inline(always)]
    pub(super) fn ahead_as(&mut self, op: Op) -> (u64, AtOnce) {
        self.make_ahead::<Quickly>(op).unwrap_or((0, AtOnce::Not))
    }

    /// Makes the next step of the thread that leads, unless something is to be seen to first that takes longer, or the op cannot be carried
    /// out like this: then nothing has changed.
    #[inline(always)]
    fn make_ahead<W: Way>(&mut self, op: Op) -> Option<W::Reply> {
        let at = self.trace.len();
        let (thread, object) = (self.leader, op.object);
        let me = self.threads.get_mut(thread.index())?;
        let slot = self.slots.get_mut(object.index())?;
        if at as u32 >= self.limits.steps || !self.trace.has_place() {
            return None;
        }
        debug_assert!(matches!(self.trace.end, End::Running) && !self.polite_seen);
        debug_assert_eq!((me.status, me.paused, me.expiring), (Status::Running, false, false));
        debug_assert!(me.woken_by.is_none() && self.sleep.is_empty() && self.prefix.len() <= at);
        let Ahead { outcomes, act, seq, value, ok, changed, reply } =
            W::carry_out(&mut slot.model, thread, &op, &self.options)?;
        if !op.is_plain() {
            let passes = me.spin.passes(&op);
            debug_assert!(passes, "it is not there");
            self.turn = me.spin.turn();
        }
        me.outcomes = outcomes;
        self.chosen = 0;
        let touched = Access { object, act, seq };
        let step = self.trace.begin_in_place(thread, &op, &mut self.enabled, only(touched));
        me.writes_down(at, step, Chosen { outcome: 0, objects: self.live_slots, goes_on: true }, value, ok);
        if changed {
            me.has_changed(slot);
            self.turn = NOWHERE;
            if act.is_progress() {
                me.pauses = 0;
            }
            if slot.is_awaited() {
                self.changed(object, thread, at);
            }
        } else {
            me.spin.read(object, slot.version);
        }
        Some(reply)
    }

    /// The same for the [usual](super::usual) ops: those that may have to wait for their object and need not now, and those that never do.
    #[inline(always)]
    pub(super) fn usual_ahead_as(&mut self, op: Op) -> Option<(u64, u64)> {
        if self.pauses_seen { None } else { self.make_ahead::<Usually>(op) }
    }
}

/// What came of an op.
struct Ahead<R> {
    outcomes: u32,
    act: Act,
    seq: u16,
    value: u64,
    ok: bool,
    changed: bool,
    reply: R,
}

/// How ops are carried out. (Not a function that is handed over: it would be called at every step, instead of being inlined.)
trait Way {
    type Reply;
    fn carry_out(
        model: &mut Object,
        thread: ThreadId,
        op: &Op,
        options: &Options,
    ) -> Option<Ahead<Self::Reply>>;
}

/// Those on atomics and mutexes.
struct Quickly;

impl Way for Quickly {
    type Reply = (u64, AtOnce);

    #[inline(always)]
    fn carry_out(model: &mut Object, thread: ThreadId, op: &Op, _: &Options) -> Option<Ahead<(u64, AtOnce)>> {
        let Did { value, act, ok, changed } = match model {
            Object::Atomic(atomic) => atomic.quickly(op)?,
            Object::Mutex(mutex) if op.kind != OpKind::Lock || mutex.is_free() => {
                mutex.quickly(thread, op)?
            }
            _ => return None,
        };
        let reply = (value, if ok { AtOnce::Done } else { AtOnce::Failed });
        Some(Ahead { outcomes: 1, act, seq: 0, value, ok, changed, reply })
    }
}

/// The usual ones, if they need not wait.
struct Usually;

impl Way for Usually {
    type Reply = (u64, u64);

    #[inline(always)]
    fn carry_out(
        model: &mut Object,
        thread: ThreadId,
        op: &Op,
        options: &Options,
    ) -> Option<Ahead<(u64, u64)>> {
        let outcomes = match op.is_plain() {
            true => 1,
            false => match model.outcomes(thread, op, None, options) {
                Outcomes::Ready(outcomes) if outcomes > 0 => outcomes,
                _ => return None,
            },
        };
        let did = model.quickly(thread, op, 0)?;
        let (reply, Touched { act, seq, .. }) = (did.reply(), did);
        let Reply { value, ok, .. } = reply;
        // None of them only looks.
        Some(Ahead { outcomes, act, seq, value, ok, changed: true, reply: reply.into_words() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::conductor::Decision;
    use crate::id::{ObjectId, SiteId};
    use crate::object::{Atomic, Barrier, Channel, Mutex, RwLock};
    use crate::plan::Plan;

    const ATOMIC: ObjectId = ObjectId(0);
    const MUTEX: ObjectId = ObjectId(1);
    const CHANNEL: ObjectId = ObjectId(2);
    const LOCK: ObjectId = ObjectId(5);
    const BARRIER: ObjectId = ObjectId(6);

    /// What one thread does while another waits for the mutex, and what is seen of the conductor after each step.
    fn run(ahead: bool) -> Vec<(Reply, String)> {
        let ops = [
            (OpKind::Load, ATOMIC, 0, true),
            (OpKind::CompareExchange, ATOMIC, 0, true),
            (OpKind::Store, ATOMIC, 7, true),
            (OpKind::Load, ATOMIC, 0, true),
            (OpKind::Swap, ATOMIC, 7, true),
            (OpKind::CompareExchange, ATOMIC, 1, true),
            (OpKind::FetchAdd, ATOMIC, 255, true),
            (OpKind::Lock, MUTEX, 0, true),
            (OpKind::TryLock, MUTEX, 0, true),
            (OpKind::Unlock, MUTEX, 0, true),
            (OpKind::TryLock, MUTEX, 0, true),
            // Poisons, which is not so simple.
            (OpKind::Unlock, MUTEX, 1, false),
            (OpKind::FetchMin, ATOMIC, 2, true),
            (OpKind::Lock, MUTEX, 0, false),
            (OpKind::Send, CHANNEL, 0, true),
            (OpKind::Receive, CHANNEL, 0, true),
            (OpKind::DropSender, CHANNEL, 0, true),
            (OpKind::Receive, CHANNEL, 0, true),
            (OpKind::ReadLock, LOCK, 0, true),
            // Never waits, but others can change what comes of it.
            (OpKind::TryReadLock, LOCK, 0, false),
            (OpKind::ReadUnlock, LOCK, 0, true),
            (OpKind::ReadUnlock, LOCK, 0, true),
            (OpKind::WriteLock, LOCK, 0, true),
            (OpKind::WriteUnlock, LOCK, 0, true),
            (OpKind::Arrive, BARRIER, 0, true),
            (OpKind::Store, ATOMIC, 5, true),
            (OpKind::Load, ATOMIC, 0, true),
            (OpKind::Load, ATOMIC, 0, true),
            // At the same place: there a loop may have gone round.
            (OpKind::Load, ATOMIC, 0, false),
            (OpKind::Yield, ObjectId::NONE, 0, false),
            // It has paused.
            (OpKind::Load, ATOMIC, 0, false),
            // Its state is compared until it changes something.
            (OpKind::Load, ATOMIC, 0, false),
            (OpKind::Store, ATOMIC, 9, false),
            (OpKind::Load, ATOMIC, 0, true),
            // It has paused, and gets somewhere after that.
            (OpKind::Yield, ObjectId::NONE, 0, false),
            (OpKind::Load, ATOMIC, 0, false),
            (OpKind::Store, ATOMIC, 3, true),
        ];
        let last = ops.len() - 1;
        let mut conductor = Conductor::default();
        conductor.begin(&Plan::default());
        let channel = Channel::new(None).into();
        let models = [
            Atomic::new(0).into(),
            Mutex::new().into(),
            channel,
            RwLock::new().into(),
            Barrier::new(2).into(),
        ];
        let numbers = models.map(|model| conductor.create(model, SiteId::UNKNOWN));
        assert_eq!(numbers, [ATOMIC, MUTEX, CHANNEL, LOCK, BARRIER]);
        let announce = |conductor: &mut Conductor, op: &Op| {
            conductor.announce(ThreadId::MAIN, op);
            assert_eq!(conductor.decide(), Decision::Run(ThreadId::MAIN));
            conductor.perform(ThreadId::MAIN)
        };
        let me = ThreadId::MAIN;
        let ended = conductor.spawn(me);
        let other = conductor.spawn(me);
        conductor.announce(other, &Op::new(OpKind::Lock, MUTEX, SiteId::UNKNOWN));
        announce(&mut conductor, &Op::new(OpKind::Load, ATOMIC, SiteId(90)));
        conductor.finish(ended);
        assert!(conductor.join(me, ended, SiteId::UNKNOWN), "what it does next follows that");
        let each = ops.into_iter().enumerate().map(|(i, (kind, object, arg, simple))| {
            let site = SiteId(1 + if i == last - 8 { last - 10 } else { i } as u32);
            let op = Op { arg, arg2: 7, detail: 1, ..Op::new(kind, object, site) };
            let done = if ahead && conductor.leads(me, op.site) { conductor.at_once(&op) } else { None };
            assert_eq!(done.is_some(), ahead && simple, "{i}");
            let reply = match done {
                None => announce(&mut conductor, &op),
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
    fn what_happens_at_once_is_what_is_announced() {
        for (ahead, announced) in run(true).iter().zip(&run(false)) {
            assert_eq!(ahead, announced);
        }
    }

    #[test]
    fn nobody_goes_ahead_of_the_plan_or_of_others() {
        let mut conductor = Conductor::default();
        let store = Op::new(OpKind::Store, ATOMIC, SiteId::UNKNOWN);
        let leads = |conductor: &Conductor, thread| conductor.leads(ThreadId(thread), SiteId::UNKNOWN);
        let planned = |thread| crate::Planned { thread: ThreadId(thread), outcome: 0, expected: None };
        conductor.begin(&Plan { prefix: vec![planned(0), planned(0)], ..Plan::default() });
        conductor.create(Atomic::new(0).into(), SiteId::UNKNOWN);
        let other = conductor.spawn(ThreadId::MAIN);
        conductor.announce(other, &store);
        for leading in [false, true, true] {
            assert!(!leads(&conductor, 1));
            conductor.announce(ThreadId::MAIN, &store);
            assert_eq!(conductor.decide(), Decision::Run(ThreadId::MAIN));
            conductor.perform(ThreadId::MAIN);
            assert_eq!(leads(&conductor, 0), leading);
        }
        // The main thread joins; when it goes on, whoever stepped last is another.
        conductor.join(ThreadId::MAIN, other, SiteId::UNKNOWN);
        assert_eq!(conductor.decide(), Decision::Run(other));
        conductor.switch_to(other);
        conductor.perform(other);
        conductor.finish(other);
        assert_eq!(conductor.next_released(), Some(ThreadId::MAIN));
        assert!(!leads(&conductor, 0));
    }
}
