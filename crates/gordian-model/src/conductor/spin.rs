//! Spin loops, without annotation.
//!
//! A thread that comes back to the op it was at, having changed nothing in between, has gone round a loop. The
//! front end is then asked to compare the thread's own state (stack and registers) with the round before. If it is
//! bit for bit the same, and none of the values read has been written since, every further round will be the
//! same until one of them is: the thread is idle, and the round that proved it is taken out of the trace
//! again. A loop that counts its rounds has a different state each time and is explored as it stands.
//!
//! A loop may look a few times before it pauses, say, and be the same as before only then. So the state is compared with one that is kept for a while, twice as long each
//! time, as in Brent's cycle search. The op to come back to is found likewise: the anchor moves when a round grows too long. It is none that pauses if there is
//! another: a loop that backs off pauses several times in a round, in a loop of its own, which would be taken for the round.

use super::at_once::NOBODY;
use super::{Conductor, Idle, Thread};
use crate::id::{ObjectId, SiteId, ThreadId};
use crate::op::{Op, OpKind};
use crate::plan::Sleeper;

mod reads;
use reads::Reads;

/// What the front end does with a thread that has announced an op.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Visit {
    /// Nothing special.
    Plain,
    /// Compare the thread's state with the one that is remembered, or remember it, or both.
    Probe {
        /// There is a state to compare with.
        again: bool,
        /// It is remembered from now on.
        renew: bool,
    },
}

/// No op is there.
pub(super) const NOWHERE: SiteId = SiteId(u32::MAX);

/// Where a thread is in a loop that may be waiting. What is asked for at every step is first.
#[derive(Debug)]
#[repr(C)]
pub(super) struct Spin {
    /// What was read since the last probe.
    reads: Reads,
    /// The op to come back to.
    anchor: Option<(OpKind, SiteId, ObjectId)>,
    /// Ops since the anchor was set or last met.
    since: u32,
    window: u32,
    rounds: u32,
    probed: bool,
    /// Length of the trace, and the sleep set, at the last probe.
    mark: usize,
    sleep: Vec<Sleeper>,
    last: Option<u32>,
}

impl Default for Spin {
    fn default() -> Self {
        Spin {
            anchor: None,
            since: 0,
            window: 0,
            rounds: 0,
            probed: false,
            reads: Reads::default(),
            mark: 0,
            // With room, because an allocation between two comparisons of a thread's state could disturb them.
            sleep: Vec::with_capacity(16),
            last: None,
        }
    }
}

impl Spin {
    #[inline]
    pub(super) fn reset(&mut self) {
        if self.anchor.is_some() {
            self.anchor = None;
            self.probed = false;
            self.rounds = 0;
            self.window = 4;
            self.reads.clear();
        }
    }

    /// The state is not that of the last probe, whatever the stack says.
    #[inline]
    pub(super) fn stir(&mut self) {
        self.probed = false;
    }

    #[inline]
    pub(super) fn read(&mut self, object: ObjectId, version: u32) {
        self.reads.push(object, version);
    }

    /// The site of the op to come back to, or [`NOWHERE`].
    #[inline(always)]
    pub(super) fn turn(&self) -> SiteId {
        self.anchor.map_or(NOWHERE, |(_, site, _)| site)
    }

    /// Has the thread's state been looked at?
    #[inline(always)]
    pub(super) fn is_probed(&self) -> bool {
        self.probed
    }

    /// Is this the op to come back to?
    #[inline(always)]
    pub(super) fn is_at_anchor(&self, op: &Op) -> bool {
        self.anchor == Some((op.kind, op.site, op.object))
    }

    /// The thread comes to an op. Unless it is the one to come back to: then it says no, and nothing is changed.
    #[inline(always)]
    pub(super) fn passes(&mut self, op: &Op) -> bool {
        let here = (op.kind, op.site, op.object);
        match self.anchor {
            None if op.kind.can_block() => {}
            None => {
                self.anchor = Some(here);
                self.since = 0;
                // The next that does not pause is better.
                self.window = if op.kind.is_pause() { 0 } else { 4 };
                self.rounds = 0;
                self.reads.clear();
            }
            Some(anchor) if anchor == here => return false,
            Some(_) => {
                self.since += 1;
                if self.since >= self.window && !self.holds_over(op.kind) {
                    self.anchor = Some(here);
                    self.since = 0;
                    self.window = if op.kind.is_pause() { 0 } else { (self.window * 2).clamp(4, 1 << 16) };
                    self.rounds = 0;
                    self.probed = false;
                    self.reads.clear();
                }
            }
        }
        true
    }

    /// Does the anchor stay, although the round is long, because there is only a pause to put in its place? If it is a pause itself, for so long.
    #[inline(always)]
    fn holds_over(&self, kind: OpKind) -> bool {
        kind.is_pause() && (self.window > 0 || self.since < 64)
    }

    pub(super) fn reads(&self) -> impl Iterator<Item = ObjectId> + '_ {
        self.reads.seen().iter().map(|&(object, _)| object)
    }

    pub(super) fn watches(&self, object: ObjectId) -> bool {
        self.reads.seen().iter().any(|&(o, _)| o == object)
    }

    /// Probing costs a look at the whole stack, so it is tried in the first rounds and then ever more rarely: some rounds after each that is compared with, since
    /// one may be several looks long.
    fn is_due(&self) -> bool {
        self.rounds - (1 << self.rounds.ilog2()) <= 16
    }

    /// Is the state compared with that of this round from now on?
    fn renews(&self) -> bool {
        self.rounds.is_power_of_two()
    }
}

/// Tells where a buffer begins and ends.
pub(super) fn whole<T>(buffer: &Vec<T>, tell: &mut (impl FnMut(usize, usize) + ?Sized)) {
    let start = buffer.as_ptr() as usize;
    tell(start, start + buffer.capacity() * size_of::<T>());
}

impl Conductor {
    /// The thread is back at the op to come back to.
    #[inline(never)]
    pub(super) fn come_round(&mut self, thread: ThreadId) -> Visit {
        let at = self.trace.len();
        self.threads[thread.index()].spin.since = 0;
        if !self.is_up_to_date(thread) {
            // What this round read has been written since, so the next one may go otherwise: it does not wait.
            let spin = &mut self.threads[thread.index()].spin;
            spin.reads.clear();
            spin.probed = false;
            return Visit::Plain;
        }
        let spin = &mut self.threads[thread.index()].spin;
        spin.rounds += 1;
        if !spin.is_due() {
            spin.probed = false;
            return Visit::Plain;
        }
        let again = std::mem::replace(&mut spin.probed, true);
        let renew = !again || spin.renews();
        self.leader = NOBODY;
        if !again {
            self.mark(thread, at);
        }
        Visit::Probe { again, renew }
    }

    /// Is everything that was read since the last look still as it was?
    fn is_up_to_date(&self, thread: ThreadId) -> bool {
        let reads = &self.threads[thread.index()].spin.reads;
        !reads.is_full() && reads.seen().iter().all(|&(object, version)| self.slot(object).version == version)
    }

    /// The memory that carrying out a step may write to: what a comparison of a thread's state has to leave out.
    pub fn memory(&self, tell: &mut impl FnMut(usize, usize)) {
        whole(self.trace.steps.buffer(), tell);
        whole(&self.trace.objects, tell);
        whole(self.trace.enabled_buffer(), tell);
        whole(self.trace.taken_back_buffer(), tell);
        whole(self.trace.comparisons_buffer(), tell);
        whole(self.trace.ends_buffer(), tell);
        whole(&self.threads, tell);
        whole(&self.lives, tell);
        whole(&self.slots, tell);
        whole(&self.sleep, tell);
        whole(&self.released, tell);
        self.driver.memory(tell);
        self.sync.memory(tell);
        for thread in &self.threads {
            thread.spin.reads.memory(tell);
            whole(&thread.spin.sleep, tell);
        }
        // Also those that this execution does not need, so that the list is the same at all times.
        for slot in self.slots.iter().chain(&self.lives) {
            whole(&slot.pending, tell);
            whole(&slot.watchers, tell);
        }
    }

    fn mark(&mut self, thread: ThreadId, at: usize) {
        let me = &mut self.threads[thread.index()];
        me.spin.reads.clear();
        me.spin.mark = at;
        me.spin.last = me.last;
        me.spin.sleep.clear();
        me.spin.sleep.extend_from_slice(&self.sleep);
    }

    /// Has the thread's state been looked at, to be compared when it is back where it was then?
    pub fn is_compared(&self, thread: ThreadId) -> bool {
        self.threads[thread.index()].spin.probed
    }

    /// Is it worth [asking](Self::is_probing) whether the thread's state is or will be compared? It is where it comes round, so whatever is left in
    /// registers is left in all rounds, and since this is asked first nothing else is.
    #[inline(always)]
    pub fn may_probe(&self, thread: ThreadId, op: &Op) -> bool {
        let spin = &self.threads[thread.index()].spin;
        spin.turn() == op.site || spin.probed || op.kind.is_pause()
    }

    /// Must the front end keep its own work off the thread's stack when it announces what it has written down, because the thread's
    /// state is or will be compared? One means yes: not inlined and not a `bool`, so that it leaves the same in every
    /// register, whatever it finds.
    #[inline(never)]
    pub fn is_probing(&self, thread: ThreadId) -> usize {
        let Thread { op, spin, .. } = &self.threads[thread.index()];
        let is_back = spin.is_at_anchor(op);
        // If what was read has been written since, the round was not one of waiting, and nothing will be compared.
        usize::from(spin.probed || op.kind.is_pause() || (is_back && self.is_up_to_date(thread)))
    }

    /// Has the thread written down the op at which its state is compared? One means yes, as above.
    #[inline(never)]
    pub fn is_at_anchor(&self, thread: ThreadId) -> usize {
        let Thread { op, spin, .. } = &self.threads[thread.index()];
        usize::from(spin.is_at_anchor(op))
    }

    /// How often the thread has come round in a loop in which it changes nothing. Rounds do not count if others changed what they read.
    pub fn rounds(&self, thread: ThreadId) -> u32 {
        self.threads[thread.index()].spin.rounds
    }

    /// The answer to [`Visit::Probe`] with `again` set: is the state the same?
    pub fn probed(&mut self, thread: ThreadId, same: bool) {
        let at = self.trace.len();
        let said = self.comparisons.get(self.trace.comparisons().len());
        // In a beginning that is repeated nobody was found idle; that the state seems the same now is due to what lies on the
        // stack by chance, and the next steps of the thread are known.
        let same = *said.unwrap_or(&same) && !self.recalling;
        self.trace.note_comparison(same);
        debug_assert!(self.is_up_to_date(thread), "looked at when it came round");
        if !same {
            if self.threads[thread.index()].spin.renews() {
                self.mark(thread, at);
            }
            return;
        }
        self.take_back_round(thread);
        self.leader = NOBODY;
        self.smooth_up_to(self.trace.len().saturating_sub(1));
        let me = &mut self.threads[thread.index()];
        me.idle = Idle::Proved;
        me.spin.probed = false;
        self.enabled.remove(thread);
        for k in 0..self.threads[thread.index()].spin.reads.seen().len() {
            let object = self.threads[thread.index()].spin.reads.seen()[k].0;
            self.slot_mut(object).watchers.push(thread);
        }
    }

    /// The round that proved the thread idle led back to where it began, so it need not have happened; unless it
    /// was planned, or others moved meanwhile.
    fn take_back_round(&mut self, thread: ThreadId) {
        let me = &self.threads[thread.index()];
        let mark = me.spin.mark;
        let alone = self.trace.steps[mark..].iter().all(|s| s.thread == thread);
        if mark >= self.planned && alone && mark < self.trace.len() {
            self.trace.take_back(mark);
            let me = &mut self.threads[thread.index()];
            me.last = me.spin.last;
            me.pauses = 0;
            std::mem::swap(&mut self.sleep, &mut me.spin.sleep);
            self.current = self.trace.steps.last().map_or(ThreadId::MAIN, |s| s.thread);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::conductor::Decision;
    use crate::object::Atomic;
    use crate::plan::{Deviation, Plan, Planned};

    /// A thread looks at the same value again and again, and its state seems to be the same or not: after how many steps it is found
    /// idle, if it is within ten.
    fn steps_until_idle(conductor: &mut Conductor, plan: &Plan, same: bool) -> Option<usize> {
        conductor.begin(plan);
        let atomic = conductor.create(Atomic::new(0).into(), SiteId::UNKNOWN);
        let load = Op::new(OpKind::Load, atomic, SiteId(1));
        (0..10).find(|_| {
            if matches!(conductor.announce(ThreadId::MAIN, &load), Visit::Probe { again: true, .. }) {
                conductor.probed(ThreadId::MAIN, same);
            }
            let is_idle = conductor.is_idle(ThreadId::MAIN);
            if !is_idle {
                assert_eq!(conductor.decide(), Decision::Run(ThreadId::MAIN));
                conductor.perform(ThreadId::MAIN);
            }
            is_idle
        })
    }

    #[test]
    fn comparisons_say_what_the_plan_says() {
        let mut conductor = Conductor::default();
        assert_eq!(steps_until_idle(&mut conductor, &Plan::default(), true), Some(2));
        assert_eq!(conductor.trace.comparisons(), [(2, true)]);
        assert_eq!(steps_until_idle(&mut conductor, &Plan::default(), false), None);
        let planned = Planned { thread: ThreadId::MAIN, outcome: 0, expected: None };
        let deviations = vec![Deviation { choice: 1000, planned }];
        let comparisons = vec![false, true];
        let plan = Plan { deviations, comparisons, ..Plan::default() };
        for same in [true, false] {
            assert_eq!(steps_until_idle(&mut conductor, &plan, same), Some(3));
            assert_eq!(conductor.trace.comparisons(), [(2, false), (3, true)]);
        }
        // Without deviations they are those of another execution.
        let plan = Plan { deviations: Vec::new(), ..plan };
        assert_eq!(steps_until_idle(&mut conductor, &plan, true), Some(2));
    }

    #[test]
    fn a_round_of_several_looks_is_noticed_however_late_it_becomes_one() {
        let mut conductor = Conductor::default();
        conductor.begin(&Plan::default());
        let atomic = conductor.create(Atomic::new(0).into(), SiteId::UNKNOWN);
        let load = Op::new(OpKind::Load, atomic, SiteId(1));
        let mut known = 0;
        let idle = (0..100).find(|&look| {
            // What the thread holds is another each time at first, and then comes back after three looks.
            let state = if look < 20 { look } else { 20 + look % 3 };
            if let Visit::Probe { again, renew } = conductor.announce(ThreadId::MAIN, &load) {
                if again {
                    conductor.probed(ThreadId::MAIN, state == known);
                }
                if renew {
                    known = state;
                }
            }
            let is_idle = conductor.is_idle(ThreadId::MAIN);
            if !is_idle {
                assert_eq!(conductor.decide(), Decision::Run(ThreadId::MAIN));
                conductor.perform(ThreadId::MAIN);
            }
            is_idle
        });
        assert_eq!(idle, Some(32 + 3), "three looks after the next that is compared with");
    }

    #[test]
    fn nobody_is_idle_where_the_last_execution_is_repeated() {
        let mut conductor = Conductor::default();
        assert_eq!(steps_until_idle(&mut conductor, &Plan::default(), false), None);
        let prefix: Vec<Planned> = conductor.trace.choices().take(3).collect();
        let plan = Plan { prefix, ..Plan::default() };
        assert_eq!(conductor.shared_with(&plan), 3);
        // When the two part it is compared with what it was before, as it would have been.
        assert_eq!(steps_until_idle(&mut conductor, &plan, true), Some(4));
        assert_eq!(conductor.trace.comparisons(), [(2, false), (3, false), (4, true)]);
    }
}
