//! Happens-before between the steps of one trace, and the races in it.
//!
//! A step happens after the steps it depends on and after its thread's own past. A *race* is a pair of dependent steps
//! of different threads with nothing between them whose order can be reversed. For steps that waited (a lock, a
//! receive, a join) the step that let them go is no race, and it does not hide the race with the step that made them
//! wait: reversing (lock, lock) is possible although an unlock stands between.

use gordian_model::clock::{ClockId, Clocks};
use gordian_model::{Access, Accesses, Act, ObjectId, OpKind, Relation, Step, ThreadId, dependent};
use smallvec::SmallVec;

#[derive(Clone, Copy, Debug)]
struct Touch {
    step: u32,
    thread: ThreadId,
    act: Act,
    seq: u16,
}

#[derive(Clone, Copy, Debug)]
struct Event {
    clock: ClockId,
    thread: ThreadId,
    /// The how-manieth step of its thread, from one.
    nth: u32,
    /// The step of the same thread before it.
    before: Option<u32>,
    /// Where its objects begin in [`Order::touched`].
    touched: u32,
}

/// Two steps whose order can be reversed: the numbers of the earlier and the later one.
pub type Race = (usize, usize);

/// The order of the steps of a trace, extended step by step and cut back when the search backtracks.
#[derive(Debug, Default)]
pub struct Order {
    clocks: Clocks,
    events: Vec<Event>,
    /// For each thread its latest step.
    threads: Vec<Option<u32>>,
    objects: Vec<Vec<Touch>>,
    lives: Vec<Vec<Touch>>,
    /// The objects that each step touched, one after the other.
    touched: Vec<ObjectId>,
}

impl Order {
    /// The number of steps ordered so far.
    pub fn len(&self) -> usize {
        self.events.len()
    }

    /// Is there no step?
    pub fn is_empty(&self) -> bool {
        self.events.is_empty()
    }

    #[inline]
    fn touches(&mut self, object: ObjectId) -> &mut Vec<Touch> {
        let (lists, i) = match object.as_life() {
            Some(thread) => (&mut self.lives, thread.index()),
            None => (&mut self.objects, object.index()),
        };
        if lists.len() <= i {
            lists.resize_with(i + 1, Vec::new);
        }
        &mut lists[i]
    }

    #[inline]
    fn thread(&mut self, thread: ThreadId) -> &mut Option<u32> {
        if self.threads.len() <= thread.index() {
            self.threads.resize(thread.index() + 1, None);
        }
        &mut self.threads[thread.index()]
    }

    /// Forgets the steps from `len` on.
    pub fn truncate(&mut self, len: usize) {
        while self.events.len() > len {
            let event = self.events.pop().expect("there is one");
            self.clocks.truncate(event.clock);
            *self.thread(event.thread) = event.before;
            while self.touched.len() > event.touched as usize {
                let object = self.touched.pop().expect("there is one");
                self.touches(object).pop();
            }
        }
    }

    /// Does step `a` happen before step `b` (or are they the same)?
    #[inline]
    pub fn before(&self, a: usize, b: usize) -> bool {
        let a = self.events[a];
        self.clocks.get(self.events[b].clock, a.thread) >= a.nth
    }

    /// What step `i` knows of each thread, for fingerprints.
    pub fn clock(&self, i: usize) -> &[u32] {
        self.clocks.row(self.events[i].clock)
    }

    /// Adds the next step and tells the races it takes part in as the later one.
    pub fn push(&mut self, steps: &[Step], races: &mut Vec<Race>) {
        let i = self.events.len();
        let step = &steps[i];
        self.clocks.admit(step.thread);
        let before = *self.thread(step.thread);
        // Whatever else is known is added to this clock, so that it is the first of those that the step makes.
        let (known, nth) = match before {
            Some(past) => {
                let past = self.events[past as usize];
                (self.clocks.another(past.clock), past.nth + 1)
            }
            None => (self.clocks.fresh(), 1),
        };
        for &past in &step.after {
            self.clocks.join(known, self.events[past as usize].clock);
        }
        let touched = self.touched.len() as u32;
        let touch =
            |access: &Access| Touch { step: i as u32, thread: step.thread, act: access.act, seq: access.seq };
        if let ([access], None) = (&step.accesses[..], step.woken_by) {
            // The common case needs no merging, and often nobody was there before.
            let mut left = self.touches(access.object).len();
            if left > 0 {
                let mut look = Look { i, step, steps, known, late: ClockId::default(), woken_by: None };
                while left > 0 && self.meet(&mut look, *access, left - 1, races) {
                    left -= 1;
                }
                if look.late != ClockId::default() {
                    self.clocks.join(known, look.late);
                }
            }
            self.clocks.set(known, step.thread, nth);
            self.touched.push(access.object);
            self.touches(access.object).push(touch(access));
        } else {
            self.look_back(i, step, steps, known, races);
            self.clocks.set(known, step.thread, nth);
            for access in &step.accesses {
                self.touched.push(access.object);
                self.touches(access.object).push(touch(access));
            }
        }
        *self.thread(step.thread) = Some(i as u32);
        self.events.push(Event { clock: known, thread: step.thread, nth, before, touched });
    }

    /// Goes through the earlier steps that touched the same objects, latest first over all objects together, so
    /// that whatever lies between two steps is known before their race is judged.
    fn look_back(&mut self, i: usize, step: &Step, steps: &[Step], known: ClockId, races: &mut Vec<Race>) {
        let mut look = Look { i, step, steps, known, late: ClockId::default(), woken_by: step.woken_by };
        // For each object that was touched before, the access to it and how many touches are still to be looked at.
        let mut cursors: SmallVec<[(usize, usize); 4]> = SmallVec::new();
        for (k, access) in step.accesses.iter().enumerate() {
            let touches = self.touches(access.object).len();
            if touches > 0 {
                cursors.push((k, touches));
            }
        }
        loop {
            let at = |&(k, left): &(usize, usize)| self.list(step.accesses[k].object)[left - 1].step;
            // Of several accesses of one step the first comes first.
            let latest =
                (0..cursors.len()).rev().filter(|&c| cursors[c].1 > 0).max_by_key(|&c| at(&cursors[c]));
            let Some(latest) = latest else { break };
            let (k, left) = cursors[latest];
            let more = self.meet(&mut look, step.accesses[k], left - 1, races);
            cursors[latest].1 = if more { left - 1 } else { 0 };
        }
        if let Some(waker) = look.woken_by {
            self.clocks.join(known, self.events[waker as usize].clock);
        }
        if look.late != ClockId::default() {
            self.clocks.join(known, look.late);
        }
    }

    /// Judges one earlier touch of an object; `false` if those before it need no look.
    #[inline(always)]
    fn meet(&mut self, look: &mut Look<'_>, access: Access, touch: usize, races: &mut Vec<Race>) -> bool {
        let touch = self.list(access.object)[touch];
        let (at, known) = (touch.step, look.known);
        if look.woken_by.is_some_and(|w| w >= at) {
            let waker = look.woken_by.take().expect("just seen");
            self.clocks.join(known, self.events[waker as usize].clock);
        }
        if touch.thread == look.step.thread {
            return !touch.act.is_total();
        }
        let earlier = self.events[at as usize];
        match touch.act.relation(touch.seq, access.act, access.seq) {
            Relation::Commute => return true,
            Relation::Enables if lets_go(touch.act) => {
                let into = self.clocks.own(&mut look.late);
                self.clocks.join(into, earlier.clock);
            }
            Relation::Enables => self.clocks.join(known, earlier.clock),
            Relation::Race => {
                if self.clocks.get(known, earlier.thread) < earlier.nth {
                    if self.possible_before(at as usize, look.step, look.steps) {
                        races.push((at as usize, look.i));
                        self.clocks.join(known, earlier.clock);
                    } else {
                        let into = self.clocks.own(&mut look.late);
                        self.clocks.join(into, earlier.clock);
                    }
                }
            }
        }
        !touch.act.is_total()
    }

    #[inline]
    fn list(&self, object: ObjectId) -> &[Touch] {
        match object.as_life() {
            Some(thread) => &self.lives[thread.index()],
            None => &self.objects[object.index()],
        }
    }

    /// The touches of an object that are there when a step goes before step `at`: those before it, and those after it
    /// that do not happen after it.
    fn remaining(&self, object: ObjectId, at: usize) -> impl Iterator<Item = &Touch> {
        let keeps = move |t: &&Touch| {
            (t.step as usize) < at || ((t.step as usize) > at && !self.before(at, t.step as usize))
        };
        self.list(object).iter().filter(keeps)
    }

    /// Could `step`, which may have waited, have been taken where step `at` was? Not if somebody holds the lock there and
    /// gives it back only after (and because of) `at`, or if the message it got is sent only after that.
    fn possible_before(&self, at: usize, step: &Step, steps: &[Step]) -> bool {
        step.accesses.iter().all(|access| match access.act {
            Act::Saw => {
                let ended = |t: &Touch| t.act == Act::Exit && (t.seq == 1 || step.arg == 0);
                self.holders(access.object, at).is_empty()
                    && (step.kind != OpKind::OnceWait || self.remaining(access.object, at).any(ended))
            }
            Act::Take | Act::Share => self
                .holders(access.object, at)
                .into_iter()
                .all(|(holder, shared)| holder == step.thread || (shared && access.act == Act::Share)),
            Act::Get => {
                let takes = |a: &Access| a.object == access.object && matches!(a.act, Act::Get | Act::TryGet);
                steps[at].accesses.iter().any(takes)
                    || !self.list(access.object).iter().any(|t| t.act == Act::Put && t.seq == access.seq)
                    || self.remaining(access.object, at).any(|t| t.act == Act::Put && t.seq == access.seq)
            }
            _ => true,
        })
    }

    fn holders(&self, object: ObjectId, at: usize) -> SmallVec<[(ThreadId, bool); 4]> {
        let mut held: SmallVec<[(ThreadId, bool); 4]> = SmallVec::new();
        for touch in self.remaining(object, at) {
            match touch.act {
                Act::Take | Act::TryTake => held.push((touch.thread, false)),
                Act::Share | Act::TryShare => held.push((touch.thread, true)),
                Act::Free | Act::Unshare => {
                    if let Some(k) = held.iter().position(|h| h.0 == touch.thread) {
                        held.swap_remove(k);
                    }
                }
                _ => {}
            }
        }
        held
    }

    /// What step `later` would have touched if step `earlier`, with which it races, had not happened: a failed try succeeds
    /// when the taker before it is gone, a compare-and-swap meets the old value, the next message has another number.
    /// Where that is not certain it is what it touches at most.
    pub fn touched_without(&self, steps: &[Step], earlier: usize, later: usize) -> Accesses {
        let (first, second) = (&steps[earlier], &steps[later]);
        let mut touched = Accesses::from_slice(&second.accesses);
        for k in 0..touched.len() {
            let object = touched[k].object;
            for before in first.accesses.iter().filter(|b| b.object == object) {
                adjust(&mut touched[k], before, first, second);
            }
        }
        if second.kind == OpKind::Arrive
            && let Some(before) = first.accesses.iter().find(|b| b.object == second.object && arrives(b.act))
        {
            // In the round before, from which `earlier` is missing; as the last of it, unless others are missing too.
            let round = |t: &&Touch| arrives(t.act) && t.seq == before.seq;
            let all = self.list(before.object).iter().filter(round).count();
            let left = self.remaining(before.object, earlier).filter(round).count();
            let access = touched.iter_mut().find(|a| arrives(a.act)).expect("it arrives");
            access.act = if left + 1 == all { Act::ArriveLast } else { Act::Arrive };
            access.seq = before.seq;
        }
        let (messages, slots, ready) = channel(second.object);
        if matches!(second.kind, OpKind::Send | OpKind::TrySend) {
            let was_refused = second.accesses.iter().any(|a| a.act == Act::Refused);
            let may_succeed =
                was_refused && first.accesses.iter().any(|a| (messages..=ready).contains(&a.object.0));
            if may_succeed {
                let sent =
                    self.remaining(ObjectId(messages), earlier).filter(|t| t.act == Act::Put).count() as u32;
                let get = if second.kind == OpKind::Send { Act::Get } else { Act::TryGet };
                touched.retain(|a| a.object.0 != slots);
                touched.push(Access { object: ObjectId(messages), act: Act::Put, seq: sent as u16 });
                touched.push(Access { object: ObjectId(slots), act: get, seq: sent as u16 });
                touched.push(Access { object: ObjectId(ready), act: Act::Write, seq: 0 });
                if second.kind == OpKind::TrySend && first.accesses.iter().any(|a| a.act == Act::Shut) {
                    // Before the receiver went there may still have been no room.
                    touched.push(Access { object: ObjectId(slots), act: Act::Empty, seq: 0 });
                }
            } else if touched.iter().any(|a| a.object.0 == slots && a.act == Act::Empty) {
                let put = touched.iter_mut().filter(|a| a.act == Act::Put);
                put.for_each(|a| (a.act, a.seq) = (Act::Refused, 0));
            }
        }
        if matches!(second.kind, OpKind::TryReceive | OpKind::ReceiveTimed)
            && touched.iter().any(|a| a.object.0 == messages && a.act == Act::Empty)
        {
            touched.retain(|a| a.object.0 != slots);
        }
        touched
    }

    /// Does somebody who arrived in this round of a barrier do so no longer when what happens after step `at` has not happened yet?
    pub fn is_missed(&self, arrival: &Access, at: usize) -> bool {
        let round = |t: &&Touch| arrives(t.act) && t.seq == arrival.seq;
        let touches = self.list(arrival.object).iter().filter(round);
        touches.count() > self.remaining(arrival.object, at).filter(round).count()
    }

    /// The steps between `at` and `last` that do not happen after `at`, then `last`: what is to be done first to reverse a
    /// race (Abdulla et al., "Optimal dynamic partial order reduction", POPL 2014, section 5). What comes after `last` may
    /// go otherwise in another execution; when it matters, the end of the trace stands for `last`.
    pub fn without(&self, at: usize, last: usize, into: &mut Vec<usize>) {
        into.clear();
        into.extend((at + 1..last).filter(|&k| !self.before(at, k)));
        into.push(last);
    }

    /// Those of them that lead to `last`: what must be done for it to come before `at`, and no more. What let it go need not be
    /// needed: without `at` there may be something left for it to take. So if it may have had to wait there are two
    /// answers, with what let it go and without.
    pub fn leading(&self, steps: &[Step], at: usize, last: usize, let_go: bool, into: &mut Vec<usize>) {
        into.clear();
        into.push(last);
        let goal = &steps[last];
        let conflicts = |step: &Step| {
            if let_go {
                return dependent(&step.accesses, &goal.accesses);
            }
            let race = |a: &Access, b: &Access| {
                a.object == b.object && a.act.relation(a.seq, b.act, b.seq) == Relation::Race
            };
            step.accesses.iter().any(|a| goal.accesses.iter().any(|b| race(a, b)))
        };
        for k in (at + 1..last).rev().filter(|&k| !self.before(at, k)) {
            let step = &steps[k];
            let leads = into[1..].iter().any(|&m| self.before(k, m))
                || step.thread == goal.thread
                || goal.after.contains(&(k as u32))
                || goal.woken_by == Some(k as u32)
                || conflicts(step);
            if leads {
                into.push(k);
            }
        }
        into.reverse();
    }

    /// The steps that conflict with one that may have to wait, and did not happen before its thread came to it: pairs of
    /// such a step and this one. They need not be races: while it waits, other steps may come between.
    pub fn conflicts(&self, steps: &[Step], later: usize, into: &mut Vec<Race>) {
        let step = &steps[later];
        if !step.accesses.iter().any(|a| a.act.waits()) {
            return;
        }
        for access in &step.accesses {
            let earlier = self.list(access.object).iter().rev().skip_while(|t| t.step as usize >= later);
            for touch in earlier {
                let at = touch.step as usize;
                let known = touch.thread == step.thread || self.before_start(steps, at, later);
                if known && touch.act.is_total() {
                    break;
                }
                let race = touch.act.relation(touch.seq, access.act, access.seq) == Relation::Race;
                if !known && race && self.possible_before(at, step, steps) {
                    into.push((at, later));
                }
            }
        }
    }

    /// The steps without which a step's thread would have had to wait before it, unless they happened before it came
    /// there: pairs of such a step and this one.
    pub fn enablers(&self, steps: &[Step], later: usize, into: &mut Vec<Race>) {
        let step = &steps[later];
        let came =
            |at: u32| self.events[later].before.is_some_and(|stop| self.before(at as usize, stop as usize));
        let others = step.after.iter().copied().chain(step.woken_by);
        into.extend(others.filter(|&at| !came(at)).map(|at| (at as usize, later)));
        // Waiting for a limited time ends either way, but only the other way somebody is needed for it.
        let timed = step.kind.is_timed();
        for access in step.accesses.iter().filter(|a| timed || a.act.waits()) {
            let earlier = self.list(access.object).iter().rev().skip_while(|t| t.step as usize >= later);
            for touch in earlier {
                let known = touch.thread == step.thread || came(touch.step);
                if known && touch.act.is_total() {
                    break;
                }
                let relation = touch.act.relation(touch.seq, access.act, access.seq);
                if !known && (relation == Relation::Enables || (timed && relation == Relation::Race)) {
                    into.push((touch.step as usize, later));
                }
            }
        }
    }

    /// The latest step of a thread.
    pub fn last_of(&self, thread: ThreadId) -> Option<usize> {
        self.threads.get(thread.index()).copied().flatten().map(|last| last as usize)
    }

    /// The step of the same thread before a step.
    pub fn before_in_thread(&self, step: usize) -> Option<usize> {
        self.events[step].before.map(|before| before as usize)
    }

    /// Can step `k` of such a list go first?
    pub fn can_begin(&self, list: &[usize], k: usize) -> bool {
        let is_last = k + 1 == list.len();
        if is_last { k == 0 } else { list[..k].iter().all(|&s| !self.before(s, list[k])) }
    }

    /// Does step `a` happen before step `b` for another reason than what `b` itself touches: because of its thread's
    /// past, a spawn, a join, or the end of a wait?
    pub fn before_start(&self, steps: &[Step], a: usize, b: usize) -> bool {
        let step = &steps[b];
        let past = self.events[b].before.into_iter().chain(step.after.iter().copied()).chain(step.woken_by);
        past.into_iter().any(|p| self.before(a, p as usize))
    }
}

/// Looking back from a step.
struct Look<'a> {
    i: usize,
    step: &'a Step,
    steps: &'a [Step],
    /// What the step knows.
    known: ClockId,
    /// What it knows besides, but has no part in judging races.
    late: ClockId,
    /// The step that ended its wait, until it has been taken into account.
    woken_by: Option<u32>,
}

/// Releasing lets a waiting taker go, but an earlier turn might have been had before the release.
fn lets_go(act: Act) -> bool {
    matches!(act, Act::Free | Act::Unshare | Act::Put | Act::Empty)
}

fn arrives(act: Act) -> bool {
    matches!(act, Act::Arrive | Act::ArriveLast)
}

/// The numbers that a channel takes up.
fn channel(object: ObjectId) -> (u32, u32, u32) {
    (object.0, object.0.wrapping_add(1), object.0.wrapping_add(2))
}

fn adjust(access: &mut Access, before: &Access, earlier: &Step, later: &Step) {
    use Act::*;
    let is_cas = matches!(later.kind, OpKind::CompareExchange | OpKind::CompareExchangeWeak);
    let tries = matches!(
        later.kind,
        OpKind::TryLock | OpKind::TryWriteLock | OpKind::LockTimed | OpKind::WriteLockTimed
    );
    match (before.act, access.act) {
        (Write, Read | Write) if is_cas => {
            access.act = if earlier.value == later.arg { Write } else { Read };
        }
        (Take | TryTake | Share | TryShare, Probe) if tries => access.act = TryTake,
        (Take | TryTake, ProbeShare) => access.act = TryShare,
        (Take, Saw) if later.kind == OpKind::OnceBegin => access.act = Take,
        (Free | Unshare, TryTake) => access.act = Probe,
        (Free, TryShare) => access.act = ProbeShare,
        (Put, TryGet) => (access.act, access.seq) = (Empty, 0),
        (Get | TryGet, Empty) => (access.act, access.seq) = (TryGet, before.seq),
        (Put, Put) | (Get | TryGet, Get | TryGet) => access.seq = before.seq,
        (Notify, Notify) => access.seq = before.seq,
        (Notify | Expired, NotifyNone) => (access.act, access.seq) = (Notify, u16::MAX),
        (Notify, WokenTimed) => (access.act, access.seq) = (Expired, 0),
        (Unpark, ParkTimed) => access.act = ParkExpired,
        (Unpark, UnparkAgain) => access.act = Unpark,
        (Park | ParkTimed, Unpark) => access.act = UnparkAgain,
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use gordian_model::conductor::Conductor;
    use gordian_model::object::{Atomic, Channel, Mutex, Object};
    use gordian_model::{Op, Plan, Planned, SiteId};

    /// The races of an execution in which each thread does its ops on one object, in the order given.
    fn races(model: Object, threads: &[&[(OpKind, u64)]], order: &[u32]) -> Vec<Race> {
        let mut conductor = Conductor::default();
        let planned = |&t: &u32| Planned { thread: ThreadId(t), outcome: 0, expected: None };
        conductor.begin(&Plan { prefix: order.iter().map(planned).collect(), ..Plan::default() });
        let object = conductor.create(model, SiteId::UNKNOWN);
        let mut at = vec![0; threads.len()];
        let mut announce = |conductor: &mut Conductor, t: usize| match threads[t].get(at[t]) {
            Some(&(kind, arg)) => {
                at[t] += 1;
                let op = Op { arg, arg2: 1, detail: 8, ..Op::new(kind, object, SiteId(t as u32)) };
                conductor.announce(ThreadId(t as u32), &op);
            }
            None => conductor.finish(ThreadId(t as u32)),
        };
        for t in 1..threads.len() {
            assert_eq!(conductor.spawn(ThreadId::MAIN), ThreadId(t as u32));
            announce(&mut conductor, t);
        }
        announce(&mut conductor, 0);
        while let gordian_model::Decision::Run(thread) = conductor.decide() {
            conductor.perform(thread);
            announce(&mut conductor, thread.index());
        }
        let steps = &conductor.trace.steps;
        assert_eq!(steps.iter().map(|s| s.thread.0).collect::<Vec<_>>(), order, "{:?}", conductor.trace.end);
        let (mut found, mut clocks) = (Vec::new(), Order::default());
        for _ in steps {
            clocks.push(steps, &mut found);
        }
        found
    }

    const LOAD: (OpKind, u64) = (OpKind::Load, 0);
    const STORE: (OpKind, u64) = (OpKind::Store, 1);
    const LOCK: (OpKind, u64) = (OpKind::Lock, 0);
    const UNLOCK: (OpKind, u64) = (OpKind::Unlock, 0);

    #[test]
    fn a_write_races_with_the_reads_before_it_and_reads_with_nothing() {
        let races = races(Atomic::new(0).into(), &[&[LOAD], &[LOAD], &[STORE]], &[0, 1, 2]);
        assert_eq!(races, [(1, 2), (0, 2)]);
    }

    #[test]
    fn what_is_between_two_writes_hides_their_race() {
        let races = races(Atomic::new(0).into(), &[&[STORE], &[LOAD], &[STORE]], &[0, 1, 2]);
        assert_eq!(races, [(0, 1), (1, 2)]);
    }

    #[test]
    fn a_failed_compare_exchange_is_a_read() {
        let cas = (OpKind::CompareExchange, 7);
        assert_eq!(races(Atomic::new(0).into(), &[&[cas], &[LOAD]], &[0, 1]), []);
        let cas = (OpKind::CompareExchange, 0);
        assert_eq!(races(Atomic::new(0).into(), &[&[cas], &[LOAD]], &[0, 1]), [(0, 1)]);
    }

    #[test]
    fn a_lock_races_with_the_lock_before_it_and_not_with_the_unlock() {
        let races = races(Mutex::new().into(), &[&[LOCK, UNLOCK], &[LOCK, UNLOCK]], &[0, 0, 1, 1]);
        assert_eq!(races, [(0, 2)]);
    }

    #[test]
    fn a_failed_try_lock_races_with_the_lock_and_the_unlock_with_it() {
        let races = races(Mutex::new().into(), &[&[LOCK, UNLOCK], &[(OpKind::TryLock, 0)]], &[0, 1, 0]);
        assert_eq!(races, [(0, 1), (1, 2)]);
    }

    #[test]
    fn sends_race_with_each_other_and_a_receive_with_none_of_them() {
        let mut channel = Channel::new(None);
        channel.add_sender();
        let (send, receive) = ((OpKind::Send, 0), (OpKind::Receive, 0));
        let races = races(channel.into(), &[&[receive], &[send], &[send]], &[1, 2, 0]);
        assert_eq!(races, [(0, 1)]);
    }

    #[test]
    fn steps_that_are_cut_off_are_forgotten() {
        let mut conductor = Conductor::default();
        conductor.begin(&Plan::default());
        let object = conductor.create(Atomic::new(0).into(), SiteId::UNKNOWN);
        let other = conductor.spawn(ThreadId::MAIN);
        for thread in [ThreadId::MAIN, other] {
            conductor.announce(thread, &Op { detail: 8, ..Op::new(OpKind::Store, object, SiteId::UNKNOWN) });
        }
        for _ in 0..2 {
            let gordian_model::Decision::Run(thread) = conductor.decide() else { panic!("two steps") };
            conductor.perform(thread);
        }
        let (mut order, mut races) = (Order::default(), Vec::new());
        for _ in 0..3 {
            order.truncate(1);
            while order.len() < 2 {
                order.push(&conductor.trace.steps, &mut races);
            }
        }
        assert_eq!(races, [(0, 1); 3]);
    }
}
