//! What races ask for: dynamic partial-order reduction, in any order.
//!
//! For each race between step i and a later step j, the thread of j goes at i, or one that leads to j if j needs it; if that could not go there, every
//! thread that could does (Flanagan and Godefroid, "Dynamic partial-order reduction for model checking software", POPL 2005; GAMBIT, figure 4,
//! FindDporBacktrackingPoints). Only races whose later step is new are looked at: the others were
//! found in the execution from which this one departs. What comes after a step that was asleep is not looked at ([`sleep`](super::sleep)).

use super::{Frontier, NodeId};
use crate::order::Race;
use crate::priority::Reason;
use gordian_model::{Failure, ThreadId, Trace, dependent};

impl Frontier {
    pub(super) fn add_races(&mut self, trace: &Trace) -> Result<(), Failure> {
        let node = *self.line.last().expect("planned");
        let own_part = self.own_part();
        self.sleep.follow(&self.line, &self.departed);
        let asleep = self.sleep.first(trace, &self.order, &self.lanes, own_part);
        let end = asleep.unwrap_or(trace.len());
        for step in own_part..end {
            for outcome in 1..trace.steps[step].outcomes {
                let thread = trace.steps[step].thread;
                self.add(node, trace, (step, thread, outcome), Reason::Outcome, 0)?;
            }
        }
        let mut races = std::mem::take(&mut self.races);
        races.retain(|race| race.1 + 1 >= own_part && race.1 < end);
        // Of those that one execution shows the first is to go first, and what is added last does: the sooner an execution departs, the more is new in it.
        races.reverse();
        let mut safe = std::mem::take(&mut self.safe);
        for &race in &races {
            self.reverse(trace, race, true, &mut safe)?;
            if trace.steps[race.1].accesses.iter().any(|a| a.act.waits()) {
                self.reverse(trace, race, false, &mut safe)?;
            }
        }
        // What is asked for by one race and added on the safe side for another is asked for.
        for at in safe.drain(..) {
            self.ask_for_all(trace, at)?;
        }
        self.safe = safe;
        self.races = races;
        match asleep {
            Some(step) => self.go_on_awake(trace, step),
            None => Ok(()),
        }
    }

    /// Asks for what leads to the other order of a race, with what let the later step go or without. If that cannot go there, to ask for
    /// everything else is left for later.
    fn reverse(
        &mut self,
        trace: &Trace,
        (at, later): Race,
        let_go: bool,
        safe: &mut Vec<usize>,
    ) -> Result<(), Failure> {
        let mut steps = std::mem::take(&mut self.steps);
        self.order.leading(&trace.steps, at, later, let_go, &mut steps);
        let thread = |k: usize| trace.steps[steps[k]].thread;
        // The thread of the later step itself, unless it has to wait for others.
        let own = (0..steps.len()).find(|&k| thread(k) == trace.steps[later].thread);
        let first = thread(own.filter(|&k| self.order.can_begin(&steps, k)).unwrap_or(0));
        self.steps = steps;
        if trace.is_enabled(at, first) {
            self.ask_for(trace, at, first, Reason::Race)
        } else {
            safe.push(at);
            Ok(())
        }
    }

    /// The step that was made here was asleep. Another thread goes, if one is awake; else blocked threads do not show what
    /// they would have raced with.
    fn go_on_awake(&mut self, trace: &Trace, step: usize) -> Result<(), Failure> {
        let Frontier { sleep, order, lanes, .. } = &*self;
        let awake = |&t: &ThreadId| !sleep.is_asleep(trace, order, lanes, t, step);
        if let Some(thread) = trace.enabled(step).iter().find(awake) {
            return self.ask_for(trace, step, thread, Reason::Race);
        }
        self.let_go(trace, step)
    }

    /// Asks for executions in which threads that are blocked before this step go before whatever touched what they wait for.
    fn let_go(&mut self, trace: &Trace, step: usize) -> Result<(), Failure> {
        for thread in self.lanes.threads() {
            let Some(next) = self.lanes.next(thread, step) else { continue };
            if trace.is_enabled(step, thread) {
                continue;
            }
            let last = self.lanes.last_before(thread, step);
            for at in 0..step {
                if dependent(&trace.steps[at].accesses, &trace.steps[next].accesses)
                    && !last.is_some_and(|last| self.order.before(at, last))
                {
                    self.ask_for_or_all(trace, at, thread)?;
                }
            }
        }
        for (at, thread) in trace.kept_waiting() {
            let last = self.lanes.last_before(thread, step);
            if at < step && !last.is_some_and(|last| self.order.before(at, last)) {
                self.ask_for_or_all(trace, at, thread)?;
            }
        }
        Ok(())
    }

    fn ask_for_or_all(&mut self, trace: &Trace, step: usize, thread: ThreadId) -> Result<(), Failure> {
        if trace.is_enabled(step, thread) {
            self.ask_for(trace, step, thread, Reason::Conservative)
        } else {
            self.ask_for_all(trace, step)
        }
    }

    fn ask_for_all(&mut self, trace: &Trace, step: usize) -> Result<(), Failure> {
        for thread in trace.enabled(step).iter() {
            self.ask_for(trace, step, thread, Reason::Conservative)?;
        }
        Ok(())
    }

    fn ask_for(
        &mut self,
        trace: &Trace,
        step: usize,
        thread: ThreadId,
        reason: Reason,
    ) -> Result<(), Failure> {
        let (owner, choice, own) = (self.owner(step), trace.choice(step), trace.steps[step].thread);
        // Where the execution departs from its owner, the owner has remembered what it did itself, unless it was another outcome
        // for the same thread.
        if self.tried.is_new(owner, choice, own, thread)
            && !self.sleep.is_asleep(trace, &self.order, &self.lanes, thread, step)
        {
            self.sleep.depart(owner, choice, own);
            self.add(owner, trace, (step, thread, 0), reason, 0)?;
        }
        Ok(())
    }

    /// The execution in whose own part the step is: the last that departs before it.
    fn owner(&self, step: usize) -> NodeId {
        let before = self.departed.iter().rposition(|&at| at < step);
        self.line[before.map_or(0, |before| before + 1)]
    }
}
