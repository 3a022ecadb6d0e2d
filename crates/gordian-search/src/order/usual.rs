//! The usual steps of short executions, added in one go: they touch one object, and whatever touched it before either has nothing to
//! do with them or races with them.
//!
//! Then the races are found without going from touch to touch. What an earlier step and this one have to do with each other
//! is decided by the two acts, and whatever touched the object before a [total](gordian_model::Act::is_total) act is known to whoever
//! knows that. So those that are left to be looked at are bits of one word, and those that are known are taken out of it at once. What
//! [`Order::push`] does for any step is done here for these; a test holds the one against the other.

use super::{Event, Order, Race, Touch};
use gordian_model::clock::ClockId;
use gordian_model::{Access, Act, Acts, OpKind, Step};

/// What is done to memory.
const MEMORY: Acts = Acts::NONE.with(Act::Read).with(Act::Write);

/// What is done to a mutex where nobody only tries to take it.
const MUTEX: Acts = Acts::NONE.with(Act::Take).with(Act::Free);

impl Order {
    /// Adds steps as long as they are usual ones. There are no clocks, and no more steps than bits in a word.
    #[inline(always)]
    pub(super) fn push_usual(&mut self, steps: &[Step], races: &mut Vec<Race>) {
        let (mut i, mut own) = (self.events.len(), self.touches.len());
        if i >= steps.len() {
            return;
        }
        // Where there is room, so that nothing has to be made on the way.
        self.events.reach(steps.len());
        self.touches.reach(own + steps.len() - i);
        loop {
            let (events, touches) = (&mut self.events[..], &mut self.touches[..]);
            let more = loop {
                let Some(step) = steps.get(i) else { break false };
                let Some(access) = only_access(step) else { break false };
                let Some(latest_of_thread) = self.threads.get_mut(step.thread.index()) else { break false };
                let Some(latest_of_object) = self.objects.get_mut(Order::place(access.object)) else {
                    break false;
                };
                if step.woken_by.is_some() || step.outcomes > 1 {
                    break false;
                }
                let before = std::mem::replace(latest_of_thread, i as u32);
                let latest = std::mem::replace(latest_of_object, own as u32);
                let bit = 1 << i;
                let mut past = bit | events.get(before as usize).map_or(0, |event| event.past);
                if !step.after.is_empty() {
                    past = step.after.iter().fold(past, |past, &other| past | events[other as usize].past);
                }
                let (acts, open) = touches.get(latest as usize).map_or((Acts::NONE, 0), |t| (t.acts, t.open));
                // All is written down before races are looked for, so that nothing has to be kept over the call.
                let (act, thread) = (access.act, step.thread);
                touches[own] = Touch {
                    acts: acts.with(act),
                    open: bit | if act.is_total() { 0 } else { open },
                    access: *access,
                    step: i as u32,
                    before: latest,
                };
                events[i] =
                    Event { past, clock: ClockId::default(), nth: 0, thread, before, touches: own as u32 };
                if open & !past != 0 {
                    let Some(mut raced) = race(i, act, acts, open, events) else { break true };
                    while raced != 0 {
                        let earlier = raced.ilog2() as usize;
                        races.push((earlier, i));
                        raced &= !(1 << earlier);
                    }
                }
                (i, own) = (i + 1, own + 1);
            };
            if !more {
                break;
            }
            self.look_closer(i, own, steps, races);
            (i, own) = (i + 1, own + 1);
        }
        self.events.truncate(i);
        self.touches.truncate(own);
    }
}

/// What a step touches, as [others meet it](met_by_others), if that is one thing.
#[inline(always)]
fn only_access(step: &Step) -> Option<&Access> {
    let (access, others) = step.accesses.split_first()?;
    let is_end = |a: &Access| a.act == Act::Exit && step.kind != OpKind::End && a.object.as_life().is_some();
    if !others.is_empty() && !others.iter().all(is_end) {
        return None;
    }
    (access.act != Act::Exit).then_some(access)
}

/// The races of step `i`, as bits, which touches an object in this way and does not know all the [open](Touch::open) touches before it:
/// with those that have something to do with it, the latest first; and then it knows them. Nothing if this takes more than their bits.
#[inline(never)]
fn race(i: usize, act: Act, acts: Acts, open: u64, events: &mut [Event]) -> Option<u64> {
    let concerned = act.concerned_by();
    if !acts.meets(concerned) {
        return Some(0);
    }
    let among = |others: Acts| acts.and(others) == others;
    if act == Act::Take && among(MUTEX) && acts.has(Act::Take) {
        return Some(take(i, open, events));
    }
    let met = if among(concerned) {
        open
    } else if act == Act::Read && among(MEMORY) {
        // Reads have nothing to do with reads, and the first that is open is the write before them.
        open & open.wrapping_neg()
    } else {
        return None;
    };
    let (mut past, mut raced) = (events[i].past, 0);
    let mut left = met & !past;
    if left != 0 {
        if !act.only_races() {
            return None;
        }
        while left != 0 {
            let earlier = left.ilog2();
            raced |= 1 << earlier;
            past |= events[earlier as usize].past;
            left &= !past;
        }
        events[i].past = past;
    }
    Some(raced)
}

/// The same for a step that takes a mutex. Whoever gave that back lets it go: this is no race, and does not hide the one with whoever took
/// the mutex then, the first that is open.
fn take(i: usize, open: u64, events: &mut [Event]) -> u64 {
    let known = events[i].past;
    let taken = open & open.wrapping_neg();
    let mut given_back = open & !taken & !known;
    let mut past = known;
    while given_back != 0 {
        past |= events[given_back.trailing_zeros() as usize].past;
        given_back &= given_back - 1;
    }
    let raced = taken & !known;
    if raced != 0 {
        past |= events[raced.trailing_zeros() as usize].past;
    }
    events[i].past = past;
    raced
}
