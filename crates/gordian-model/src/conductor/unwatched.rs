//! Programs whose memory is not watched, or not all of it. What a thread does between two ops may be seen by others. Where nobody knows
//! when, every step depends on every other, and nothing can be left out of a search. Where it shows that a thread has written to an
//! object without an op, that belongs to the last step.

use super::verdict::data_race;
use super::{Conductor, wake_dependent};
use crate::access::{Access, Act};
use crate::cell::{Earlier, Epoch};
use crate::id::{ObjectId, SiteId, ThreadId};
use crate::object::Object;
use crate::op::{Op, OpKind};
use crate::race::{Race, Races};
use crate::reply::Reply;

impl Conductor {
    /// As [`perform`](Self::perform), and the step has written to all memory, for which one object stands.
    pub fn perform_unwatched(&mut self, thread: ThreadId, memory: ObjectId) -> Reply {
        if self.recalling {
            // That it has is in its record.
            return Reply::from_words(self.perform_again(thread));
        }
        let at = self.trace.len();
        let reply = self.perform_in_full(thread);
        let access = Access { object: memory, act: Act::Write, seq: 0 };
        self.trace.steps[at].accesses.push(access);
        if !self.sleep.is_empty() && at >= self.sleep_from {
            wake_dependent(&mut self.sleep, thread, &[access], &self.trace.objects);
        }
        self.follow_up(thread, at);
        reply
    }
    /// The thread has changed an atomic since the last step, in code that nobody watches: it holds this value now. That is taken for a
    /// read-modify-write that acquires and releases, as what such code does is trusted to be in order.
    pub fn wrote_unseen(&mut self, thread: ThreadId, object: ObjectId, value: u64) {
        let slot = &mut self.slots[object.index()];
        let Object::Atomic(atomic) = &mut slot.model else { return };
        atomic.set_unseen(value, thread, &mut self.sync);
        self.sync.tick(thread);
        slot.version = slot.version.wrapping_add(1);
        let awaited = slot.is_awaited();
        self.threads[thread.index()].changes += 1;
        self.threads[thread.index()].spin.reset();
        let at = self.also_touched(thread, object, true);
        if let Some(at) = at.filter(|_| awaited) {
            self.changed(object, thread, at);
        }
    }

    /// The last step has touched one more object: all that happens up to the next one belongs to it, whoever does it. Which step that was.
    pub fn also_touched(&mut self, thread: ThreadId, object: ObjectId, write: bool) -> Option<usize> {
        self.trace.loose = true;
        self.touched(thread, object, write)
    }

    /// The last step of the thread, a write to an atomic, has changed this one too, as they share bytes. Where it releases, whoever acquires
    /// this one knows what the thread has done.
    pub fn also_wrote(&mut self, thread: ThreadId, object: ObjectId, releases: bool) {
        let slot = &mut self.slots[object.index()];
        let Object::Atomic(atomic) = &mut slot.model else { return };
        if releases {
            atomic.publish(thread, &mut self.sync);
            self.sync.tick(thread);
        }
        slot.version = slot.version.wrapping_add(1);
        let awaited = slot.is_awaited();
        let at = self.also_touched(thread, object, true);
        if let Some(at) = at.filter(|_| awaited) {
            self.changed(object, thread, at);
        }
    }

    /// As [`also_touched`](Self::also_touched), where the same step always does.
    pub fn touched(&mut self, thread: ThreadId, object: ObjectId, write: bool) -> Option<usize> {
        let at = self.trace.len().checked_sub(1)?;
        let access = Access { object, act: if write { Act::Write } else { Act::Read }, seq: 0 };
        let accesses = &mut self.trace.steps[at].accesses;
        if !accesses.contains(&access) {
            accesses.push(access);
        }
        if !self.sleep.is_empty() && at >= self.sleep_from {
            wake_dependent(&mut self.sleep, thread, &[access], &self.trace.objects);
        }
        Some(at)
    }

    /// Carries out an op on an atomic that is no step of its own. With `touches` it belongs to the last step; otherwise it commutes
    /// with whatever others do there.
    pub fn perform_within(&mut self, thread: ThreadId, op: &Op, touches: bool) -> Reply {
        let reply = self.silently(thread, op);
        let slot = &mut self.slots[op.object.index()];
        let changed = slot.was_changed(Act::Write, reply.value);
        if changed {
            slot.version = slot.version.wrapping_add(1);
            self.threads[thread.index()].changes += 1;
            self.threads[thread.index()].spin.reset();
        } else {
            self.threads[thread.index()].spin.read(op.object, slot.version);
        }
        let awaited = changed && self.slots[op.object.index()].is_awaited();
        let write = op.kind != OpKind::Load && reply.ok;
        let at = if touches || awaited { self.also_touched(thread, op.object, write) } else { None };
        if let Some(at) = at.filter(|_| awaited) {
            self.changed(op.object, thread, at);
        }
        reply
    }

    /// The thread takes over what the last write to an atomic published.
    pub fn acquire(&mut self, thread: ThreadId, object: ObjectId) {
        if let Object::Atomic(atomic) = &self.slots[object.index()].model {
            self.sync.read(thread, atomic.carried(), true);
        }
    }

    /// The thread has met something that others did in code which nobody watches. It is taken to know all that anybody has done so far:
    /// that can hide a data race, but raises no false alarm.
    pub fn knows_all(&mut self, thread: ThreadId) {
        self.sync.learn_all(thread);
    }

    /// Does an access that is not recorded in this cell race with one that was? The failure ends the execution; `false` says so.
    pub fn check_cell(&mut self, thread: ThreadId, cell: u32, write: bool, site: SiteId) -> bool {
        if !self.options.clocks {
            return true;
        }
        let now = Epoch { thread, time: self.sync.time(thread), site };
        match self.cells[cell as usize].check(now, write, &self.sync) {
            Ok(()) => true,
            Err(earlier) => self.races(now, write, earlier),
        }
    }

    /// Records an access to an atomic in a cell that is for such accesses alone.
    pub fn note_cell(&mut self, cell: u32, now: Epoch) {
        if self.options.clocks {
            self.cells[cell as usize].note(now);
        }
    }

    /// Does a plain access race with those to an atomic, writes or not, that were noted in this cell?
    pub fn check_noted(
        &mut self,
        thread: ThreadId,
        cell: u32,
        [write, wrote]: [bool; 2],
        site: SiteId,
    ) -> bool {
        if !self.options.clocks {
            return true;
        }
        let now = Epoch { thread, time: self.sync.time(thread), site };
        match self.cells[cell as usize].noted(now, &self.sync) {
            None => true,
            Some(earlier) => self.races(now, write, (earlier, wrote)),
        }
    }

    /// A data race. Is that no reason to end the execution?
    #[cold]
    pub(super) fn races(&mut self, now: Epoch, write: bool, earlier: Earlier) -> bool {
        match self.options.races {
            Races::Fail => self.fail(data_race(now, write, earlier, &self.names)),
            Races::Explore => {
                let race = Race::of(now, write, earlier);
                if self.trace.races.iter().all(|known| known.places() != race.places()) {
                    self.trace.races.push(race);
                }
            }
            Races::Ignore => {}
        }
        self.options.races != Races::Fail
    }

    /// From here on a data race is a failure, whatever the plan says about others; gives back what it says.
    pub fn set_races(&mut self, races: Races) -> Races {
        std::mem::replace(&mut self.options.races, races)
    }

    /// A step that was to store something has stored this. Nobody could know before.
    pub fn has_stored(&mut self, thread: ThreadId, object: ObjectId, value: u64) {
        if let Object::Atomic(atomic) = &mut self.slots[object.index()].model {
            atomic.set(value);
        }
        let is_it = |step: &&mut crate::step::Step| {
            (step.thread, step.object, step.kind) == (thread, object, OpKind::Store)
        };
        let last = self.trace.len().checked_sub(1);
        if let Some(step) = last.and_then(|at| self.trace.steps.get_mut(at)).filter(is_it) {
            step.arg = value;
        }
    }

    /// The thread's own time, by which accesses to cells are dated; zero if no clocks are kept, or races do not matter.
    #[inline]
    pub fn time(&self, thread: ThreadId) -> u32 {
        if self.options.clocks && self.options.races != Races::Ignore { self.sync.time(thread) } else { 0 }
    }
}
