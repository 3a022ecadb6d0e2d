//! Happens-before between the steps of one trace, and the races in it.
//!
//! A step happens after the steps it depends on and after its thread's own past. A *race* is a pair of dependent steps
//! of different threads with nothing between them whose order can be reversed. For steps that waited (a lock, a
//! receive, a join) the step that let them go is no race, and it does not hide the race with the step that made them
//! wait: reversing (lock, lock) is possible although an unlock stands between.

mod beside;
mod closer;
mod foreseen;
mod leading;
mod look;
mod past;
mod possible;
#[cfg(test)]
pub(crate) mod tests;
mod usual;

use crate::strategy::Stack;
use beside::Beside;
pub(crate) use foreseen::does_the_same;
use gordian_model::clock::{ClockId, Clocks};
use gordian_model::{Access, Act, Acts, ObjectId, OpKind, Step, ThreadId};
use past::{Bits, Past, Row, WORD};
use std::ops::Range;

/// How a step touched an object.
#[derive(Clone, Copy, PartialEq, Debug)]
struct Touch {
    /// How the object was touched up to here.
    acts: Acts,
    /// The steps up to here that touched the object, back to the latest that did so in a [total](Act::is_total) way, as bits; where there
    /// are no clocks.
    open: u64,
    access: Access,
    step: u32,
    /// The touch of the same object before it, or [`NONE`].
    before: u32,
}

/// No step, or no touch.
const NONE: u32 = u32::MAX;

impl Default for Touch {
    fn default() -> Touch {
        let access = Access { object: ObjectId::NONE, act: Act::Read, seq: 0 };
        Touch { acts: Acts::NONE, open: 0, access, step: NONE, before: NONE }
    }
}

#[derive(Clone, Copy, PartialEq, Default, Debug)]
struct Event {
    /// The steps up to it that happen before it, itself included, as bits; where there are no clocks.
    past: u64,
    clock: ClockId,
    /// The how-manieth step of its thread, from one; where there are clocks.
    nth: u32,
    thread: ThreadId,
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
    /// There are clocks, not words with a bit for each step.
    wide: bool,
    /// So it is from the first step on.
    clocked: bool,
    clocks: Clocks,
    events: Stack<Event>,
    /// For each thread its latest step, or [`NONE`].
    threads: Vec<u32>,
    /// How objects were touched, step by step.
    touches: Stack<Touch>,
    /// For each object its latest touch, or [`NONE`].
    objects: Vec<u32>,
    beside: Beside,
}

impl Order {
    /// Keeps the [clocks](Self::clock) of all steps from now on; there are none yet.
    pub fn keep_clocks(&mut self) {
        debug_assert!(self.is_empty());
        self.wide = true;
        self.clocked = true;
    }

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
        self.beside.clear();
        if self.wide {
            self.clocks.truncate(first.clock);
            self.wide = len > 0 || self.clocked;
        }
        if len == 0 {
            return self.empty();
        }
        // Latest first, so that the earliest has the last word.
        for touch in self.touches[first.touches as usize..].iter().rev() {
            self.objects[Order::place(touch.access.object)] = touch.before;
        }
        self.touches.truncate(first.touches as usize);
        for event in self.events[len..].iter().rev() {
            self.threads[event.thread.index()] = event.before;
        }
        self.events.truncate(len);
    }

    /// Forgets all steps: there are fewer threads, and most often fewer objects, than steps that touched them.
    fn empty(&mut self) {
        if self.objects.len() <= 2 * self.touches.len() {
            self.objects.fill(NONE);
        } else {
            // Those of an earlier search, of another program.
            self.touches.iter().for_each(|touch| self.objects[Order::place(touch.access.object)] = NONE);
        }
        self.touches.truncate(0);
        self.threads.fill(NONE);
        self.events.truncate(0);
    }

    /// Forgets everything, also that clocks are to be kept.
    pub fn clear(&mut self) {
        self.clocked = false;
        self.truncate(0);
        self.wide = false;
    }

    /// A step.
    #[inline(always)]
    fn event(&self, step: usize) -> &Event {
        debug_assert!(step < self.events.len());
        self.events.kept(step).expect("there is such a step")
    }

    /// A touch, or nothing for [`NONE`].
    #[inline(always)]
    fn touch_at(&self, touch: u32) -> Option<&Touch> {
        self.touches.kept(touch as usize)
    }

    /// Does step `a` happen before step `b` (or are they the same)?
    #[inline]
    pub fn before(&self, a: usize, b: usize) -> bool {
        if !self.wide {
            return self.event(b).past >> a & 1 == 1;
        }
        let a = self.event(a);
        self.clocks.get(self.event(b).clock, a.thread) >= a.nth
    }

    /// Says of later steps whether they happen after step `a`.
    #[inline]
    pub(crate) fn after(&self, a: usize) -> impl Fn(usize) -> bool + '_ {
        let (wide, Event { thread, nth, .. }) = (self.wide, self.events[a]);
        move |b| match wide {
            true => self.clocks.get(self.event(b).clock, thread) >= nth,
            false => self.event(b).past >> a & 1 == 1,
        }
    }

    /// What step `i` knows of each thread, for fingerprints; of an order that [keeps clocks](Self::keep_clocks).
    pub fn clock(&self, i: usize) -> &[u32] {
        debug_assert!(self.clocked);
        self.clocks.row(self.events[i].clock)
    }

    /// Adds all steps that are missing, see [`push`](Self::push). Have some of them several outcomes? Not inlined: most of what it works
    /// with fits into registers by itself.
    #[inline(never)]
    pub fn extend(&mut self, steps: &[Step], races: &mut Vec<Race>) -> bool {
        let mut vary = false;
        loop {
            if !self.wide {
                self.push_usual(&steps[..steps.len().min(WORD)], races);
            }
            let Some(step) = steps.get(self.events.len()) else { return vary };
            vary |= step.outcomes > 1;
            self.push(steps, races);
        }
    }

    /// Adds the next step and tells the races it takes part in as the later one.
    #[inline(never)]
    pub fn push(&mut self, steps: &[Step], races: &mut Vec<Race>) {
        if self.events.len() >= WORD && !self.wide {
            self.widen();
        }
        if self.wide {
            self.push_wide(steps, races);
        } else {
            self.push_as::<Bits>(steps, races);
        }
    }

    #[inline(never)]
    fn push_wide(&mut self, steps: &[Step], races: &mut Vec<Race>) {
        self.clocks.admit(steps[self.events.len()].thread);
        self.push_as::<Row>(steps, races);
    }

    #[inline(always)]
    fn push_as<P: Past>(&mut self, steps: &[Step], races: &mut Vec<Race>) {
        let i = self.events.len();
        let step = &steps[i];
        let thread = step.thread;
        let before = match self.threads.get_mut(thread.index()) {
            Some(latest) => std::mem::replace(latest, i as u32),
            None => self.admit(thread, i as u32),
        };
        let mut known = P::after(self, before);
        if !step.after.is_empty() {
            for &past in &step.after {
                known.learn(self, past);
            }
        }
        let touches = self.touches.len() as u32;
        let mut event = Event { past: 0, clock: ClockId::default(), thread, nth: 0, before, touches };
        match met_by_others(step.kind, &step.accesses) {
            // Most steps touch one thing, without having been idle before.
            &[access] if step.woken_by.is_none() => {
                let latest = self.look_back_at_one(i, steps, access, &mut known, races);
                known.write(self, &mut event);
                self.touch::<P>(i, access, latest);
            }
            accesses => {
                known = self.look_back(i, steps, accesses, known, races);
                known.write(self, &mut event);
                for &access in accesses {
                    let own = self.touches.len() as u32;
                    let latest = std::mem::replace(&mut self.objects[Order::place(access.object)], own);
                    self.touch::<P>(i, access, latest);
                }
            }
        }
        *self.events.push() = event;
    }

    #[cold]
    #[inline(never)]
    fn admit(&mut self, thread: ThreadId, first: u32) -> u32 {
        self.threads.resize(thread.index(), NONE);
        self.threads.push(first);
        NONE
    }

    #[cold]
    #[inline(never)]
    fn make_room(&mut self, place: usize) {
        self.objects.resize(place + 1, NONE);
    }

    /// Writes down that step `i` touched an object, of which this is the latest touch now, and what touched it before.
    #[inline(always)]
    fn touch<P: Past>(&mut self, i: usize, access: Access, before: u32) {
        let (acts, open) = self.touch_at(before).map_or((Acts::NONE, 0), |t| (t.acts, t.open));
        let (acts, open) = (acts.with(access.act), P::open(open, i, access.act));
        *self.touches.push() = Touch { acts, open, access, step: i as u32, before };
    }

    /// How an object was touched, the latest first.
    #[inline]
    fn touches(&self, object: ObjectId) -> impl Iterator<Item = &Touch> {
        let latest = self.objects.get(Order::place(object)).copied().unwrap_or(NONE);
        let get = |touch: u32| self.touch_at(touch);
        std::iter::successors(get(latest), move |touch| get(touch.before))
    }

    /// Does a step, by what it touches, depend on one of these earlier ones, which are of other threads?
    pub(crate) fn depends_on_any(&self, step: usize, earlier: Range<usize>) -> bool {
        let end = self.events.get(step + 1).map_or(self.touches.len(), |next| next.touches as usize);
        let touches = &self.touches[self.events[step].touches as usize..end];
        touches.iter().any(|touch| {
            let get = |before: u32| self.touch_at(before);
            std::iter::successors(get(touch.before), |other| get(other.before))
                .take_while(|other| other.step as usize >= earlier.start)
                .filter(|other| (other.step as usize) < earlier.end)
                .any(|other| {
                    let (a, b) = (other.access, touch.access);
                    a.act.conflicts(a.seq, b.act, b.seq)
                })
        })
    }

    /// Has a step nothing in its past from step `since` on? `nth` finds the step of a thread by its number, from one.
    pub(crate) fn is_first_since(
        &self,
        step: usize,
        since: usize,
        nth: impl Fn(ThreadId, u32) -> Option<usize>,
    ) -> bool {
        let Event { past, clock, thread: own, .. } = self.events[step];
        if !self.wide {
            return (past & !(1 << step)) >> since == 0;
        }
        self.clocks.row(clock).iter().enumerate().all(|(i, &count)| {
            let thread = ThreadId(i as u32);
            nth(thread, count - u32::from(thread == own)).is_none_or(|last| last < since)
        })
    }

    /// The latest step of a thread.
    pub fn last_of(&self, thread: ThreadId) -> Option<usize> {
        self.threads.get(thread.index()).filter(|&&last| last != NONE).map(|&last| last as usize)
    }

    /// The first step of a thread from `from` on.
    #[inline]
    pub(crate) fn first_of(&self, thread: ThreadId, from: usize) -> Option<usize> {
        let mut first = NONE;
        let mut next = self.threads.get(thread.index()).copied().unwrap_or(NONE);
        while next as usize >= from
            && let Some(event) = self.events.get(next as usize)
        {
            first = next;
            next = event.before;
        }
        (first != NONE).then_some(first as usize)
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

/// What a step touches, without the ends of threads that came with it: somebody asks for these only where they are steps of their
/// own ([`Options::end_steps`](gordian_model::Options::end_steps)).
#[inline]
pub(crate) fn met_by_others(kind: OpKind, mut accesses: &[Access]) -> &[Access] {
    while let [others @ .., Access { object, act: Act::Exit, .. }] = accesses
        && kind != OpKind::End
        && object.as_life().is_some()
    {
        accesses = others;
    }
    accesses
}
