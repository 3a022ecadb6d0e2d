//! Traces: what an execution did, as data.

use crate::access::{Access, Accesses};
use crate::aftermath::Aftermath;
use crate::failure::Failure;
use crate::id::{ObjectId, SiteId, ThreadId};
use crate::input::Input;
use crate::object::ObjectKind;
use crate::op::{Op, OpKind};
use crate::plan::Planned;
use crate::race::Race;
use crate::step::Step;
use crate::steps::Steps;
use crate::thread_set::ThreadSet;
use serde::{Deserialize, Serialize};
use smallvec::SmallVec;

/// What is known of an object, for reports.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ObjectInfo {
    /// Its kind.
    pub kind: ObjectKind,
    /// Where it was created.
    pub site: SiteId,
}

/// How an execution ended.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub enum End {
    /// It has not.
    #[default]
    Running,
    /// Every thread came to its end.
    Complete,
    /// Everything that could go on is asleep: what follows has been seen.
    Asleep,
    /// It failed.
    Failed(Box<Failure>),
}

/// What an execution did.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[repr(C)]
pub struct Trace {
    /// The steps, in order.
    pub steps: Steps,
    /// The objects met.
    pub objects: Vec<ObjectInfo>,
    /// How it ended.
    pub end: End,
    /// Who was blocked, and at which objects, when everything else slept; empty if it ended otherwise.
    #[serde(skip)]
    pub waiting: Vec<(ThreadId, [ObjectId; 2])>,
    /// A pausing loop was cut by [`Limits::fair_rounds`](crate::Limits::fair_rounds).
    pub cut: bool,
    /// The program looked at a reference count, see [`Options::count_steps`](crate::Options::count_steps).
    pub counts_seen: bool,
    /// The program has cells, see [`Options::clocks`](crate::Options::clocks).
    pub cells_seen: bool,
    /// The program asked whether a thread has ended, see [`Options::end_steps`](crate::Options::end_steps).
    pub ends_seen: bool,
    /// A thread asked another to end, see [`Options::cancels`](crate::Options::cancels).
    pub cancels_seen: bool,
    /// Data races that did not end it, see [`Options::races`](crate::Options::races).
    pub races: Vec<Race>,
    /// Places whose plain accesses have turned out to need steps: those of the races, and of loops that wait. They were none before, so a
    /// search that knew nothing of them proves nothing; see [`Plan::points`](crate::Plan::points).
    pub points: Vec<u64>,
    /// What it got from outside, where that is recorded.
    pub inputs: Vec<Input>,
    /// What there was when it failed, if it did.
    pub aftermath: Option<Box<Aftermath>>,
    /// How many preemptions the front end has [told](crate::Conductor::switch_to) of, those of steps that were taken back
    /// included.
    #[serde(skip)]
    pub preempted: u32,
    /// Steps touched objects in code that nobody watches: what the same step touches may differ from one execution to another.
    #[serde(skip)]
    pub loose: bool,
    enabled: Vec<u64>,
    /// How many choices led to steps that were taken back, and before which step.
    taken_back: Vec<(u32, u32)>,
    /// What was said when a thread's state was compared, and after how many choices.
    #[serde(skip)]
    compared: Vec<(u32, bool)>,
    /// Ends of threads that were added to what steps touched: to which, and after how many steps in all.
    #[serde(skip)]
    ends: Vec<(u32, u32)>,
    /// How many steps there were when it was [restarted](Self::restart).
    #[serde(skip)]
    was: usize,
}

impl Trace {
    /// Makes the trace empty, keeping its memory.
    pub fn clear(&mut self) {
        self.enabled.reserve(256);
        self.enabled.clear();
        self.ends.clear();
        self.ends.reserve(64);
        self.restart();
    }

    /// Makes the trace empty, but what there is of its steps stays for an execution that begins in the same way.
    #[inline]
    pub(crate) fn restart(&mut self) {
        self.was = self.len();
        self.steps.truncate(0);
        self.objects.clear();
        self.taken_back.clear();
        // With room, because an allocation could disturb the comparison of a thread's state.
        self.taken_back.reserve(16);
        self.compared.clear();
        self.compared.reserve(16);
        self.end = End::Running;
        self.waiting.clear();
        self.cut = false;
        self.counts_seen = false;
        self.cells_seen = false;
        self.ends_seen = false;
        self.cancels_seen = false;
        self.races.clear();
        self.points.clear();
        self.inputs.clear();
        self.aftermath = None;
        self.preempted = 0;
        self.loose = false;
    }

    /// An op of this kind was carried out: some need more than a search begins with.
    #[inline]
    pub(crate) fn note_kind(&mut self, kind: OpKind) {
        // One that joins makes a step only where it might be called out of it.
        self.ends_seen |= matches!(kind, OpKind::IsFinished | OpKind::Join);
        self.cancels_seen |= kind == OpKind::Cancel;
    }

    /// What follows is not what there is: it is forgotten. Ends of threads are kept up to step `len`.
    pub(crate) fn part(&mut self, len: usize) {
        if let Some(next) = self.steps.known(self.was) {
            self.enabled.truncate(next.enabled as usize);
        }
        while let Some(&(step, steps)) = self.ends.last()
            && steps as usize > len
        {
            self.ends.pop();
            if let Some(step) = self.steps.get_mut(step as usize) {
                step.accesses.pop();
            }
        }
    }

    /// A thread has ended, which belongs to a step.
    #[inline(always)]
    pub(crate) fn add_end(&mut self, step: usize, exit: Access) {
        self.steps[step].accesses.push(exit);
        self.ends.push((step as u32, self.steps.len() as u32));
    }

    /// Takes back the steps from `len` on: they led back to where they began. That they were chosen is remembered.
    pub fn take_back(&mut self, len: usize) {
        if let Some(step) = self.steps.get(len) {
            let mut choices = (self.steps.len() - len) as u32;
            self.enabled.truncate(step.enabled as usize);
            self.steps.truncate(len);
            while let Some(&(before, more)) = self.taken_back.last()
                && before as usize >= len
            {
                choices += more;
                self.taken_back.pop();
            }
            self.taken_back.push((len as u32, choices));
        }
    }

    /// A thread's state was compared with that of a round before.
    pub(crate) fn note_comparison(&mut self, same: bool) {
        let choices = self.choices_made();
        self.compared.push((choices, same));
    }

    /// What was said whenever a thread's state was compared with that of a round before, and after how many choices.
    pub fn comparisons(&self) -> &[(u32, bool)] {
        &self.compared
    }

    /// How many choices have been made so far: one for each step, and those of the steps that were taken back.
    #[inline]
    pub fn choices_made(&self) -> u32 {
        self.choice(self.len())
    }

    /// The number of the choice that led to the step, from zero. It is that of the step, unless some were taken back before.
    #[inline]
    pub fn choice(&self, step: usize) -> u32 {
        let before = self.taken_back.iter().take_while(|&&(at, _)| at as usize <= step);
        step as u32 + before.map(|taken| taken.1).sum::<u32>()
    }

    /// The first step that was chosen with this choice or a later one.
    #[inline]
    pub fn step_of(&self, choice: u32) -> usize {
        let mut step = choice;
        for &(at, choices) in &self.taken_back {
            if step <= at {
                break;
            }
            step = at.max(step.saturating_sub(choices));
        }
        step as usize
    }

    /// Were steps taken back?
    pub fn has_taken_back(&self) -> bool {
        !self.taken_back.is_empty()
    }

    /// The number of steps.
    #[inline]
    pub fn len(&self) -> usize {
        self.steps.len()
    }

    /// Has nothing happened?
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.steps.is_empty()
    }

    /// Begins the next step; the choice, how many objects there are, its value and success are filled in afterwards.
    #[inline(always)]
    pub(crate) fn begin(
        &mut self,
        thread: ThreadId,
        op: &Op,
        enabled: &ThreadSet,
        accesses: Accesses,
    ) -> &mut Step {
        let step = self.steps.push();
        step.enabled = self.enabled.len() as u32;
        enabled.append_to(&mut self.enabled);
        step.accesses = accesses;
        step.after = SmallVec::new_const();
        step.fill_in(thread, op);
        step
    }

    /// Is there a place for one more step, in which nothing is left that has to be freed, and for the threads that are enabled, if these are few?
    #[inline(always)]
    pub(crate) fn has_place(&self) -> bool {
        let is_bare = |step: &Step| !step.accesses.spilled() && !step.after.spilled();
        self.steps.next().is_some_and(is_bare) && self.enabled.len() < self.enabled.capacity()
    }

    /// [Begins](Self::begin) the next step of a thread that can always go on, so that it is one of those that are enabled although it is not in
    /// the set. There [is a place](Self::has_place) for the step.
    #[inline(always)]
    pub(crate) fn begin_in_place(
        &mut self,
        thread: ThreadId,
        op: &Op,
        others: &mut ThreadSet,
        accesses: Accesses,
    ) -> &mut Step {
        let step = self.steps.again();
        step.enabled = self.enabled.len() as u32;
        others.append_with(thread, &mut self.enabled);
        // There is nothing to free, which the compiler does not know.
        std::mem::forget(std::mem::replace(&mut step.accesses, accesses));
        std::mem::forget(std::mem::take(&mut step.after));
        step.fill_in(thread, op);
        step
    }

    pub(crate) fn enabled_buffer(&self) -> &Vec<u64> {
        &self.enabled
    }

    pub(crate) fn ends_buffer(&self) -> &Vec<(u32, u32)> {
        &self.ends
    }

    pub(crate) fn comparisons_buffer(&self) -> &Vec<(u32, bool)> {
        &self.compared
    }

    pub(crate) fn taken_back_buffer(&self) -> &Vec<(u32, u32)> {
        &self.taken_back
    }

    /// Do the steps find their sets of enabled threads, and does none go on from a step before the first? In a file they may
    /// not.
    pub(crate) fn is_consistent(&self) -> bool {
        let starts = self.steps.iter().map(|step| step.enabled as usize).chain([self.enabled.len()]);
        starts.is_sorted() && self.steps.first().is_none_or(|first| !first.goes_on)
    }

    /// The words of the set of threads that were enabled before the step.
    pub fn enabled_words(&self, step: usize) -> &[u64] {
        let start = self.steps[step].enabled as usize;
        let end = self.steps.get(step + 1).map_or(self.enabled.len(), |s| s.enabled as usize);
        &self.enabled[start..end]
    }

    /// The threads that were enabled before the step.
    pub fn enabled(&self, step: usize) -> ThreadSet {
        ThreadSet::from_words(self.enabled_words(step))
    }

    /// Was the thread enabled before the step?
    #[inline]
    pub fn is_enabled(&self, step: usize, thread: ThreadId) -> bool {
        let word = self.enabled_words(step).get(thread.index() / 64);
        word.is_some_and(|word| word >> (thread.index() % 64) & 1 == 1)
    }

    /// The thread that could have gone on before the step; letting another step there is a preemption.
    #[inline]
    pub fn goes_on(&self, step: usize) -> Option<ThreadId> {
        self.steps[step].goes_on.then(|| self.steps[step - 1].thread)
    }

    /// Was the step a switch away from a thread that could have gone on?
    pub fn is_preemption(&self, step: usize) -> bool {
        self.would_preempt(step, self.steps[step].thread)
    }

    /// Would it have been one if this thread had gone there instead?
    #[inline]
    pub fn would_preempt(&self, step: usize, thread: ThreadId) -> bool {
        self.goes_on(step).is_some_and(|before| before != thread)
    }

    /// The number of preemptions.
    pub fn preemptions(&self) -> usize {
        (0..self.len()).filter(|&i| self.is_preemption(i)).count()
    }

    /// The failure, if it ended in one.
    pub fn failure(&self) -> Option<&Failure> {
        match &self.end {
            End::Failed(failure) => Some(failure),
            _ => None,
        }
    }

    /// What is known of an object.
    pub fn object(&self, object: ObjectId) -> Option<ObjectInfo> {
        self.objects.get(object.index()).copied()
    }

    /// Steps that threads blocked at the end might have had to precede, with those threads: the steps that touched what
    /// they wait for.
    pub fn kept_waiting(&self) -> impl Iterator<Item = (usize, ThreadId)> + '_ {
        self.waiting.iter().flat_map(move |&(thread, objects)| {
            let touches = move |step: &Step| {
                let object = |o: ObjectId| {
                    // A channel takes up several numbers, all from one place.
                    objects.contains(&o)
                        || (o.as_life().is_none()
                            && objects
                                .iter()
                                .any(|&w| w.as_life().is_none() && self.object(w) == self.object(o)))
                };
                step.thread != thread && step.accesses.iter().any(|a| object(a.object))
            };
            (0..self.len()).filter(move |&i| touches(&self.steps[i])).map(move |i| (i, thread))
        })
    }

    /// The choices that repeat this execution.
    pub fn choices(&self) -> impl Iterator<Item = Planned> + '_ {
        self.steps.iter().map(Step::planned)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn choices_are_counted_though_their_steps_are_taken_back() {
        let grow = |trace: &mut Trace, len: usize| {
            while trace.len() < len {
                trace.steps.push();
            }
        };
        let mut trace = Trace::default();
        grow(&mut trace, 5);
        let numbers = |trace: &Trace| (0..=trace.len()).map(|i| trace.choice(i)).collect::<Vec<_>>();
        trace.take_back(3);
        grow(&mut trace, 6);
        assert_eq!(numbers(&trace), [0, 1, 2, 5, 6, 7, 8]);
        trace.take_back(4);
        grow(&mut trace, 5);
        assert_eq!((numbers(&trace), trace.choices_made()), (vec![0, 1, 2, 5, 8, 9], 9));
        assert_eq!((0..10).map(|c| trace.step_of(c)).collect::<Vec<_>>(), [0, 1, 2, 3, 3, 3, 4, 4, 4, 5]);
        trace.take_back(2);
        grow(&mut trace, 4);
        assert_eq!(numbers(&trace), [0, 1, 9, 10, 11]);
        assert!((0..4).all(|i| trace.step_of(trace.choice(i)) == i));
    }

    #[test]
    fn steps_that_do_not_find_their_sets_are_seen() {
        let mut trace = Trace { enabled: vec![1, 3], ..Trace::default() };
        assert!(trace.is_consistent());
        for _ in 0..3 {
            trace.steps.push();
        }
        for (starts, fit) in [([0, 1, 2], true), ([0, 0, 0], true), ([0, 1, 3], false), ([1, 0, 0], false)] {
            trace.steps.iter_mut().zip(starts).for_each(|(step, start)| step.enabled = start);
            assert_eq!(trace.is_consistent(), fit, "{starts:?}");
        }
        trace.steps[0].goes_on = true;
        assert!(!trace.is_consistent());
    }
}
