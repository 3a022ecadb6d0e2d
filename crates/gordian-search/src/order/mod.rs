//! Happens-before between the steps of one trace, and the races in it.
//!
//! A step happens after the steps it depends on and after its thread's own past. A *race* is a pair of dependent steps
//! of different threads with nothing between them whose order can be reversed. For steps that waited (a lock, a
//! receive, a join) the step that let them go is no race, and it does not hide the race with the step that made them
//! wait: reversing (lock, lock) is possible although an unlock stands between.

mod foreseen;
mod leading;
mod possible;
#[cfg(test)]
mod tests;

use gordian_model::clock::{ClockId, Clocks};
use gordian_model::{Access, Act, Acts, ObjectId, OpKind, Relation, Step, ThreadId};
use smallvec::SmallVec;

/// How a step touched an object.
#[derive(Clone, Copy, Debug)]
struct Touch {
    /// How the object was touched up to here.
    acts: Acts,
    step: u32,
    /// The place of the object in [`Order::objects`].
    place: u32,
    /// The touch of the same object before it, or [`NONE`].
    before: u32,
    seq: u16,
    act: Act,
}

/// No step, or no touch.
const NONE: u32 = u32::MAX;

#[derive(Clone, Copy, Debug)]
struct Event {
    clock: ClockId,
    thread: ThreadId,
    /// The how-manieth step of its thread, from one.
    nth: u32,
    /// The step of the same thread before it, or [`NONE`].
    before: u32,
    /// Where its touches begin.
    touches: u32,
}

/// Two steps whose order can be reversed: the numbers of the earlier and the later one.
pub type Race = (usize, usize);

/// The order of the steps of a trace, extended step by step and cut back when the search backtracks.
#[derive(Debug, Default)]
pub struct Order {
    clocks: Clocks,
    events: Vec<Event>,
    /// For each thread its latest step, or [`NONE`].
    threads: Vec<u32>,
    /// How objects were touched, step by step.
    touches: Vec<Touch>,
    /// For each object its latest touch, or [`NONE`].
    objects: Vec<u32>,
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

    /// Where the latest touch of an object is found. The lives of threads, whose numbers have the highest bit set, have the odd places.
    #[inline]
    fn place(object: ObjectId) -> usize {
        object.0.rotate_left(1) as usize
    }

    /// Forgets the steps from `len` on.
    pub fn truncate(&mut self, len: usize) {
        let Some(&first) = self.events.get(len) else { return };
        self.clocks.truncate(first.clock);
        // Latest first, so that the earliest has the last word.
        for touch in self.touches[first.touches as usize..].iter().rev() {
            self.objects[touch.place as usize] = touch.before;
        }
        self.touches.truncate(first.touches as usize);
        for event in self.events[len..].iter().rev() {
            self.threads[event.thread.index()] = event.before;
        }
        self.events.truncate(len);
    }

    /// Does step `a` happen before step `b` (or are they the same)?
    #[inline]
    pub fn before(&self, a: usize, b: usize) -> bool {
        let a = &self.events[a];
        self.clocks.get(self.events[b].clock, a.thread) >= a.nth
    }

    /// What step `i` knows of each thread, for fingerprints.
    pub fn clock(&self, i: usize) -> &[u32] {
        self.clocks.row(self.events[i].clock)
    }

    /// Adds the next step and tells the races it takes part in as the later one.
    #[inline]
    pub fn push(&mut self, steps: &[Step], races: &mut Vec<Race>) {
        let i = self.events.len();
        let step = &steps[i];
        let thread = step.thread;
        self.clocks.admit(thread);
        if self.threads.len() <= thread.index() {
            self.admit(thread);
        }
        let before = std::mem::replace(&mut self.threads[thread.index()], i as u32);
        // Whatever else is known is added to this clock, so that it is the first of those that the step makes.
        let (known, nth) = match self.events.get(before as usize) {
            Some(past) => (self.clocks.another(past.clock), past.nth + 1),
            None => (self.clocks.fresh(), 1),
        };
        if !step.after.is_empty() {
            for &past in &step.after {
                self.clocks.join(known, self.events[past as usize].clock);
            }
        }
        let touches = self.touches.len() as u32;
        match met_by_others(step) {
            // Most steps touch one thing, without having been idle before.
            &[access] if step.woken_by.is_none() => {
                let latest = self.look_back_at_one(i, steps, access, known, races);
                self.clocks.set(known, thread, nth);
                self.touch(i, access, latest);
            }
            accesses => {
                self.look_back(i, steps, accesses, known, races);
                self.clocks.set(known, thread, nth);
                for &access in accesses {
                    self.touch(i, access, self.objects[Order::place(access.object)]);
                }
            }
        }
        self.events.push(Event { clock: known, thread, nth, before, touches });
    }

    #[cold]
    #[inline(never)]
    fn admit(&mut self, thread: ThreadId) {
        self.threads.resize(thread.index() + 1, NONE);
    }

    #[cold]
    #[inline(never)]
    fn make_room(&mut self, place: usize) {
        self.objects.resize(place + 1, NONE);
    }

    /// Writes down that step `i` touched an object, and what touched it before.
    #[inline(always)]
    fn touch(&mut self, i: usize, Access { object, act, seq }: Access, before: u32) {
        let place = Order::place(object);
        self.objects[place] = self.touches.len() as u32;
        let acts = self.touches.get(before as usize).map_or_else(Acts::default, |t| t.acts).with(act);
        self.touches.push(Touch { acts, step: i as u32, place: place as u32, before, seq, act });
    }

    /// As [`look_back`](Self::look_back), for a step that touched one object; gives the latest touch of that.
    #[inline(always)]
    fn look_back_at_one(
        &mut self,
        i: usize,
        steps: &[Step],
        access: Access,
        known: ClockId,
        races: &mut Vec<Race>,
    ) -> u32 {
        let place = Order::place(access.object);
        if self.objects.len() <= place {
            self.make_room(place);
            return NONE;
        }
        let latest = self.objects[place];
        let Some(&touch) = self.touches.get(latest as usize) else { return NONE };
        let step = &steps[i];
        if touch.acts.meets(access.act.concerned_by())
            && !(touch.act.is_total() && self.events[touch.step as usize].thread == step.thread)
        {
            let mut look = Look {
                i,
                step,
                steps,
                known,
                late: ClockId::default(),
                woken_by: None,
                waited: Order::waits(access.act),
                put_met: false,
            };
            let mut next = latest;
            while let Some(&touch) = self.touches.get(next as usize)
                && self.meet(&mut look, access, touch, races)
            {
                next = touch.before;
            }
            if look.late != ClockId::default() {
                self.clocks.join(known, look.late);
            }
        }
        latest
    }

    /// Goes through the earlier steps that touched the same objects and makes what step `i` knows of them.
    #[inline(never)]
    fn look_back(
        &mut self,
        i: usize,
        steps: &[Step],
        accesses: &[Access],
        known: ClockId,
        races: &mut Vec<Race>,
    ) {
        let step = &steps[i];
        // Most steps meet others at one object at most; then there is nothing to merge.
        let (mut only, mut several) = (None, false);
        for access in accesses {
            let place = Order::place(access.object);
            if self.objects.len() <= place {
                self.make_room(place);
            }
            let latest = self.objects[place];
            if let Some(touch) = self.touches.get(latest as usize)
                && touch.acts.meets(access.act.concerned_by())
                // What its own thread has done before stands for all that was before it.
                && !(touch.act.is_total() && self.events[touch.step as usize].thread == step.thread)
            {
                several |= only.is_some();
                only = Some((*access, latest));
            }
        }
        if only.is_none() && step.woken_by.is_none() {
            return;
        }
        let mut look = Look {
            i,
            step,
            steps,
            known,
            late: ClockId::default(),
            woken_by: step.woken_by,
            waited: Order::may_have_waited(step),
            put_met: false,
        };
        if several {
            self.look_at_all(&mut look, races);
        } else if let Some((access, mut next)) = only {
            while let Some(&touch) = self.touches.get(next as usize)
                && self.meet(&mut look, access, touch, races)
            {
                next = touch.before;
            }
        }
        if let Some(waker) = look.woken_by {
            self.clocks.join(known, self.events[waker as usize].clock);
        }
        if look.late != ClockId::default() {
            self.clocks.join(known, look.late);
        }
    }

    /// Looks at earlier touches latest first over all objects together, so that whatever lies between two steps is known before
    /// their race is judged.
    #[inline(never)]
    fn look_at_all(&mut self, look: &mut Look<'_>, races: &mut Vec<Race>) {
        // For each object that was touched before, the access to it and the touch that is to be looked at next.
        let mut cursors: SmallVec<[(Access, u32); 4]> = SmallVec::new();
        for access in met_by_others(look.step) {
            cursors.push((*access, self.objects[Order::place(access.object)]));
        }
        loop {
            // Of several accesses of one step the first comes first.
            let mut latest: Option<(usize, Touch)> = None;
            for (c, cursor) in cursors.iter().enumerate() {
                if let Some(&touch) = self.touches.get(cursor.1 as usize)
                    && latest.is_none_or(|(_, other)| touch.step > other.step)
                {
                    latest = Some((c, touch));
                }
            }
            let Some((c, touch)) = latest else { break };
            look.put_met = false;
            let more = self.meet(look, cursors[c].0, touch, races);
            cursors[c].1 = if more { touch.before } else { NONE };
        }
    }

    /// Judges one earlier touch of an object; `false` if those before it need no look.
    #[inline(always)]
    fn meet(&mut self, look: &mut Look<'_>, access: Access, touch: Touch, races: &mut Vec<Race>) -> bool {
        if !touch.acts.meets(access.act.concerned_by()) {
            return false;
        }
        let (at, known) = (touch.step, look.known);
        if look.woken_by.is_some_and(|w| w >= at) {
            let waker = look.woken_by.take().expect("just seen");
            self.clocks.join(known, self.events[waker as usize].clock);
        }
        // What was touched in the same way, and is known, has met everything before it that the step would meet; only messages
        // are told apart by their numbers.
        let stands_for_all = touch.act.is_total()
            || (touch.act == access.act
                && (!access.act.is_numbered() || (access.act == Act::Get && look.put_met)));
        let Event { thread, nth, clock, .. } = self.events[at as usize];
        if thread == look.step.thread {
            return !stands_for_all;
        }
        match touch.act.relation(touch.seq, access.act, access.seq) {
            Relation::Commute => true,
            Relation::Enables if lets_go(touch.act) => {
                look.put_met |= touch.act == Act::Put;
                let into = self.clocks.own(&mut look.late);
                self.clocks.join(into, clock);
                !touch.act.is_total()
            }
            Relation::Enables => {
                self.clocks.join(known, clock);
                !stands_for_all
            }
            Relation::Race => {
                if self.clocks.get(known, thread) < nth {
                    if look.waited && !self.possible_before(at as usize, look.step, look.steps) {
                        let into = self.clocks.own(&mut look.late);
                        self.clocks.join(into, clock);
                        return !touch.act.is_total();
                    }
                    races.push((at as usize, look.i));
                    self.clocks.join(known, clock);
                }
                !stands_for_all
            }
        }
    }

    /// How an object was touched, the latest first.
    #[inline]
    fn touches(&self, object: ObjectId) -> impl Iterator<Item = &Touch> {
        let latest = self.objects.get(Order::place(object)).copied().unwrap_or(NONE);
        let get = |touch: u32| self.touches.get(touch as usize);
        std::iter::successors(get(latest), move |touch| get(touch.before))
    }

    #[inline]
    fn thread_of(&self, touch: &Touch) -> ThreadId {
        self.events[touch.step as usize].thread
    }

    /// The latest step of a thread.
    pub fn last_of(&self, thread: ThreadId) -> Option<usize> {
        self.threads.get(thread.index()).filter(|&&last| last != NONE).map(|&last| last as usize)
    }

    /// The step of the same thread before a step.
    pub fn before_in_thread(&self, step: usize) -> Option<usize> {
        Some(self.events[step].before).filter(|&before| before != NONE).map(|before| before as usize)
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
        let others = step.after.iter().copied().chain(step.woken_by).map(|p| p as usize);
        self.before_in_thread(b).into_iter().chain(others).any(|p| self.before(a, p))
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
    /// It may have waited: then it need not be possible any earlier.
    waited: bool,
    /// The message that it got has been met.
    put_met: bool,
}

/// What a step touches, without the ends of threads that came with it: somebody asks for these only where they are steps of their
/// own ([`Options::end_steps`](gordian_model::Options::end_steps)).
#[inline]
fn met_by_others(step: &Step) -> &[Access] {
    let mut accesses = &step.accesses[..];
    while let [others @ .., Access { object, act: Act::Exit, .. }] = accesses
        && step.kind != OpKind::End
        && object.as_life().is_some()
    {
        accesses = others;
    }
    accesses
}

/// Releasing lets a waiting taker go, but an earlier turn might have been had before the release.
fn lets_go(act: Act) -> bool {
    matches!(act, Act::Free | Act::Unshare | Act::Put | Act::Empty)
}
