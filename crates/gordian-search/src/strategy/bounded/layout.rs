//! An execution seen as runs: where threads were switched, and what it cost.

use gordian_model::conductor::wake_dependent;
use gordian_model::{Act, End, ObjectId, SiteId, Sleeper, Step, ThreadId, Trace};

/// Where the runs of a trace begin, and how many preemptions there were before each step. A run is what a thread does
/// without being left, up to a pause if it pauses; leaving a thread that has paused is free.
#[derive(Debug, Default)]
pub(super) struct Layout {
    /// Could the thread of the step before have gone on?
    goes_on: Vec<bool>,
    starts: Vec<u32>,
    /// Before each step, and at the end.
    prices: Vec<u32>,
}

impl Layout {
    /// Lays a trace out. Its beginning was seen before, and is as it was then: a thread that turned out to wait in a loop does
    /// not show that when its choices are only repeated.
    pub(super) fn assign(&mut self, trace: &Trace, known: &[bool]) {
        self.goes_on.clear();
        self.goes_on.extend_from_slice(&known[..known.len().min(trace.len())]);
        self.goes_on.extend(trace.steps[self.goes_on.len()..].iter().map(|s| s.goes_on));
        self.starts.clear();
        self.prices.clear();
        let mut price = 0;
        for (i, step) in trace.steps.iter().enumerate() {
            let same_run = self.goes_on(trace, i) == Some(step.thread);
            self.starts.push(if same_run { self.starts[i - 1] } else { i as u32 });
            self.prices.push(price);
            price += u32::from(self.is_preemption(trace, i));
        }
        self.prices.push(price);
    }

    /// For each step, whether the thread of the step before could have gone on.
    pub(super) fn known(&self) -> &[bool] {
        &self.goes_on
    }

    fn goes_on(&self, trace: &Trace, step: usize) -> Option<ThreadId> {
        self.goes_on[step].then(|| trace.steps[step - 1].thread)
    }

    fn is_preemption(&self, trace: &Trace, step: usize) -> bool {
        self.goes_on(trace, step).is_some_and(|before| before != trace.steps[step].thread)
    }

    /// The first step of the run that a step belongs to.
    pub(super) fn start(&self, step: usize) -> usize {
        self.starts[step] as usize
    }

    /// The preemptions of the execution that goes to this step, lets the thread step there and is not preempted any more.
    pub(super) fn price(&self, trace: &Trace, step: usize, thread: ThreadId) -> u32 {
        let left = self.goes_on(trace, step).is_some_and(|before| before != thread);
        self.prices[step] + u32::from(left)
    }

    /// What may sleep at the node before a step while other threads are tried there.
    ///
    /// If the thread could just have gone on, its step alone: an execution that takes it later, with nothing that depends on it
    /// in between, takes it at once instead and is then preempted, which costs the same. (Preemption-only sleep sets,
    /// CB-DPOR, section 3.2.) If not, everything up to where it stops of its own accord: taking only part of
    /// that at once would cost a preemption that taking all of it later does not.
    pub(super) fn sleeper(&self, trace: &Trace, step: usize) -> Option<Sleeper> {
        let first = &trace.steps[step];
        if self.goes_on(trace, step) == Some(first.thread) {
            return Some(Sleeper { bounded: true, ..first.sleeper() });
        }
        let after = (step + 1..trace.len()).find(|&k| self.start(k) != step);
        let stopped = match after {
            Some(after) => !self.is_preemption(trace, after),
            None => matches!(trace.end, End::Complete | End::Asleep),
        };
        let run = &trace.steps[step..after.unwrap_or(trace.len())];
        if !stopped || run.iter().any(|s| s.outcomes > 1) {
            return None;
        }
        let mut sleeper = Sleeper { bounded: true, ..first.sleeper() };
        for mut access in run[1..].iter().flat_map(|s| s.accesses.iter().copied()) {
            // Objects that are met only later may have another number when others go first.
            if access.object.as_life().is_none() && access.object.0 >= first.objects {
                let created = trace.object(access.object).map_or(SiteId::UNKNOWN, |info| info.site);
                access.object = ObjectId::from_site(created);
            }
            if !sleeper.accesses.contains(&access) {
                sleeper.accesses.push(access);
            }
        }
        Some(sleeper)
    }

    /// Takes those out of a sleep set that do not sleep any more after a step: what depends on it, and if the thread then
    /// stopped, what might have kept it from stopping.
    pub(super) fn wake(&self, sleep: &mut Vec<Sleeper>, trace: &Trace, step: usize) {
        let Step { thread, accesses, .. } = &trace.steps[step];
        wake_dependent(sleep, *thread, accesses, &trace.objects);
        let next = trace.steps.get(step + 1);
        let went_on = next.is_some_and(|next| self.goes_on[step + 1] || next.thread == *thread);
        if went_on || sleep.is_empty() {
            return;
        }
        match trace.steps[step + 1..].iter().find(|s| s.thread == *thread) {
            Some(next) => sleep.retain(|s| {
                let joined = next.after.iter().any(|&a| trace.steps[a as usize].thread == s.thread);
                let touched = next.accesses.iter().any(|a| s.touches(a.object, &trace.objects));
                !joined && !touched
            }),
            None if ends(trace, step) => {}
            None => sleep.clear(),
        }
    }
}

/// Did the thread end with the step?
fn ends(trace: &Trace, step: usize) -> bool {
    let life = ObjectId::life(trace.steps[step].thread);
    trace.steps[step].accesses.iter().any(|a| a.object == life && a.act == Act::Exit)
}
