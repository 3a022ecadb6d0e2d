//! Happens-before between the steps of one trace, and the races in it.
//!
//! A step happens after the steps it depends on and after its thread's own past. A *race* is a pair of dependent steps
//! of different threads with nothing between them whose order can be reversed. For steps that waited (a lock, a
//! receive, a join) the step that let them go is no race, and it does not hide the race with the step that made them
//! wait: reversing (lock, lock) is possible although an unlock stands between.

use gordian_model::clock::{ClockId, Clocks};
use gordian_model::{Access, Accesses, Act, ObjectId, Relation, Step, ThreadId};

#[derive(Clone, Copy, Debug)]
struct Touch {
    step: u32,
    thread: ThreadId,
    act: Act,
    seq: u32,
}

#[derive(Clone, Copy, Debug)]
struct Event {
    clock: ClockId,
    thread: ThreadId,
    /// The how-manieth step of its thread, from one.
    nth: u32,
    /// The step of the same thread before it.
    before: Option<u32>,
    spawned: Option<ThreadId>,
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
    /// For each thread its latest step and the step that spawned it.
    threads: Vec<(Option<u32>, Option<u32>)>,
    objects: Vec<Vec<Touch>>,
    lives: Vec<Vec<Touch>>,
    rows: Vec<usize>,
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

    fn thread(&mut self, thread: ThreadId) -> &mut (Option<u32>, Option<u32>) {
        if self.threads.len() <= thread.index() {
            self.threads.resize(thread.index() + 1, (None, None));
        }
        &mut self.threads[thread.index()]
    }

    /// Forgets the steps from `len` on.
    pub fn truncate(&mut self, len: usize) {
        while self.events.len() > len {
            let event = self.events.pop().expect("there is one");
            self.clocks.truncate(self.rows.pop().expect("one for each event"));
            self.thread(event.thread).0 = event.before;
            if let Some(child) = event.spawned {
                *self.thread(child) = (None, None);
            }
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
        self.rows.push(self.clocks.rows());
        self.clocks.admit(step.thread);
        let known = self.clocks.fresh();
        let (before, spawner) = *self.thread(step.thread);
        let nth = before.map_or(1, |b| self.events[b as usize].nth + 1);
        if let Some(past) = before.or(spawner) {
            self.clocks.copy(known, self.events[past as usize].clock);
        }
        self.look_back(i, step, steps, known, races);
        self.clocks.set(known, step.thread, nth);
        let touched = self.touched.len() as u32;
        for access in &step.accesses {
            self.touched.push(access.object);
            let touch = Touch { step: i as u32, thread: step.thread, act: access.act, seq: access.seq };
            self.touches(access.object).push(touch);
        }
        self.thread(step.thread).0 = Some(i as u32);
        if let Some(child) = step.spawned {
            self.thread(child).1 = Some(i as u32);
        }
        self.events.push(Event { clock: known, thread: step.thread, nth, before, spawned: step.spawned, touched });
    }

    /// Goes through the earlier steps that touched the same objects, latest first over all objects together, so
    /// that whatever lies between two steps is known before their race is judged.
    fn look_back(&mut self, i: usize, step: &Step, steps: &[Step], known: ClockId, races: &mut Vec<Race>) {
        let mut late = ClockId::default();
        let mut woken_by = step.woken_by;
        let count = step.accesses.len();
        let mut cursors = [0usize; 8];
        let many: Vec<usize>;
        let mut spill;
        let cursors: &mut [usize] = if count <= 8 {
            for (k, access) in step.accesses.iter().enumerate() {
                cursors[k] = self.touches(access.object).len();
            }
            &mut cursors[..count]
        } else {
            many = step.accesses.iter().map(|a| a.object).map(|o| self.touches(o).len()).collect();
            spill = many;
            &mut spill
        };
        loop {
            let mut latest: Option<(u32, usize)> = None;
            for (k, access) in step.accesses.iter().enumerate() {
                if cursors[k] > 0 {
                    let at = self.list(access.object)[cursors[k] - 1].step;
                    if latest.is_none_or(|(best, _)| at > best) {
                        latest = Some((at, k));
                    }
                }
            }
            let Some((at, k)) = latest else { break };
            if woken_by.is_some_and(|w| w >= at) {
                let waker = woken_by.take().expect("just seen");
                self.clocks.join(known, self.events[waker as usize].clock);
            }
            let access = step.accesses[k];
            let touch = self.list(access.object)[cursors[k] - 1];
            cursors[k] -= 1;
            if touch.thread == step.thread {
                if touch.act.is_total() {
                    cursors[k] = 0;
                }
                continue;
            }
            let earlier = self.events[at as usize];
            match touch.act.relation(touch.seq, access.act, access.seq) {
                Relation::Commute => continue,
                Relation::Enables if lets_go(touch.act) => {
                    let into = self.clocks.own(&mut late);
                    self.clocks.join(into, earlier.clock);
                }
                Relation::Enables => self.clocks.join(known, earlier.clock),
                Relation::Race => {
                    if self.clocks.get(known, earlier.thread) < earlier.nth {
                        if self.possible_before(at as usize, step, steps) {
                            races.push((at as usize, i));
                            self.clocks.join(known, earlier.clock);
                        } else {
                            let into = self.clocks.own(&mut late);
                            self.clocks.join(into, earlier.clock);
                        }
                    }
                }
            }
            if touch.act.is_total() {
                cursors[k] = 0;
            }
        }
        if let Some(waker) = woken_by {
            self.clocks.join(known, self.events[waker as usize].clock);
        }
        self.clocks.join(known, late);
    }

    fn list(&self, object: ObjectId) -> &[Touch] {
        match object.as_life() {
            Some(thread) => &self.lives[thread.index()],
            None => &self.objects[object.index()],
        }
    }

    /// Could `step`, which may have waited for a lock, have been taken where step `at` was? Not if somebody held the
    /// lock there and gave it back only after (and because of) `at`.
    fn possible_before(&self, at: usize, step: &Step, steps: &[Step]) -> bool {
        step.accesses.iter().filter(|a| matches!(a.act, Act::Take | Act::Share)).all(|access| {
            let list = self.list(access.object);
            let here = list.partition_point(|t| (t.step as usize) < at);
            // A step that itself took the lock exclusively found it free.
            let took = steps[at]
                .accesses
                .iter()
                .any(|a| a.object == access.object && matches!(a.act, Act::Take | Act::TryTake));
            took || self.holders(&list[..here]).into_iter().all(|(holder, shared)| {
                (shared && access.act == Act::Share)
                    || list[here..]
                        .iter()
                        .find(|t| t.thread == holder && matches!(t.act, Act::Free | Act::Unshare))
                        .is_some_and(|freed| !self.before(at, freed.step as usize))
            })
        })
    }

    fn holders(&self, list: &[Touch]) -> Vec<(ThreadId, bool)> {
        let mut held: Vec<(ThreadId, bool)> = Vec::new();
        for touch in list {
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

    /// The steps between `at` and `last` that do not happen after `at`, then `last`: what is to be done first to reverse a
    /// race (Abdulla et al., "Optimal dynamic partial order reduction", POPL 2014, section 5). Steps after `last` are left
    /// out: each race is looked at once, and what follows it may go otherwise in another execution.
    pub fn without(&self, at: usize, last: usize, into: &mut Vec<usize>) {
        into.clear();
        into.extend((at + 1..last).filter(|&k| !self.before(at, k)));
        into.push(last);
    }
}

/// Releasing lets a waiting taker go, but an earlier turn might have been had before the release.
fn lets_go(act: Act) -> bool {
    matches!(act, Act::Free | Act::Unshare | Act::Put | Act::Empty)
}

/// What `later` would have touched if `earlier`, with which it races, had not happened: a failed try succeeds when the
/// taker before it is gone, a compare-and-swap meets the old value, the next message has another number.
pub fn touched_without(earlier: &Step, later: &Step) -> Accesses {
    let mut touched = later.accesses.clone();
    for access in &mut touched {
        let object = access.object;
        for before in earlier.accesses.iter().filter(|b| b.object == object) {
            adjust(access, before, earlier, later);
        }
    }
    touched
}

fn adjust(access: &mut Access, before: &Access, earlier: &Step, later: &Step) {
    use gordian_model::OpKind::{CompareExchange, CompareExchangeWeak};
    let is_cas = matches!(later.kind, CompareExchange | CompareExchangeWeak);
    match (before.act, access.act) {
        (Act::Write, Act::Read | Act::Write) if is_cas => {
            access.act = if earlier.value == later.arg { Act::Write } else { Act::Read };
        }
        (Act::Take | Act::TryTake, Act::Probe) => access.act = Act::TryTake,
        (Act::Take | Act::TryTake, Act::ProbeShare) => access.act = Act::TryShare,
        (Act::Share | Act::TryShare, Act::Probe) => access.act = Act::TryTake,
        (Act::Free | Act::Unshare, Act::TryTake) => access.act = Act::Probe,
        (Act::Free, Act::TryShare) => access.act = Act::ProbeShare,
        (Act::Put, Act::TryGet) => access.act = Act::Empty,
        (Act::Get | Act::TryGet, Act::Empty) => (access.act, access.seq) = (Act::TryGet, before.seq),
        (Act::Put, Act::Put) | (Act::Get | Act::TryGet, Act::Get | Act::TryGet) => access.seq = before.seq,
        (Act::Enqueue, Act::Notify) | (Act::Notify, Act::NotifyNone) => {}
        (Act::Notify, Act::WokenTimed) => access.act = Act::Expired,
        (Act::Unpark, Act::ParkTimed) => access.act = Act::ParkExpired,
        (Act::Unpark, Act::UnparkAgain) => access.act = Act::Unpark,
        (Act::Park | Act::ParkTimed, Act::Unpark) => access.act = Act::UnparkAgain,
        _ => {}
    }
}
