//! What races ask for: dynamic partial-order reduction, in any order.
//!
//! For each race between step i and a later step j, the thread of j goes at i if it could; otherwise every thread that could
//! goes there (Flanagan and Godefroid, "Dynamic partial-order reduction for model checking software", POPL 2005; GAMBIT, figure 4,
//! FindDporBacktrackingPoints). What an execution asks for does not depend on what was made before, so the executions are
//! the same whatever the order in which they are made. Only races whose later step is new are looked at: the others were
//! found in the execution from which this one departs.

use super::{Frontier, NodeId};
use crate::priority::Reason;
use gordian_model::{Failure, ThreadId, Trace};

impl Frontier {
    pub(super) fn add_races(&mut self, trace: &Trace) -> Result<(), Failure> {
        let node = *self.line.last().expect("planned");
        let own_part = self.own_part();
        for step in own_part..trace.len() {
            for outcome in 1..trace.steps[step].outcomes {
                let thread = trace.steps[step].thread;
                self.add(node, trace, (step, thread, outcome), Reason::Outcome, 0)?;
            }
        }
        let mut races = std::mem::take(&mut self.races);
        races.retain(|race| race.1 + 1 >= own_part);
        // What is asked for by one race and added on the safe side for another is asked for.
        for &(earlier, later) in &races {
            let thread = trace.steps[later].thread;
            if trace.is_enabled(earlier, thread) {
                self.ask_for(trace, earlier, thread, Reason::Race)?;
            }
        }
        for &(earlier, later) in &races {
            if !trace.is_enabled(earlier, trace.steps[later].thread) {
                for thread in trace.enabled(earlier).iter() {
                    self.ask_for(trace, earlier, thread, Reason::Conservative)?;
                }
            }
        }
        self.races = races;
        Ok(())
    }

    fn ask_for(
        &mut self,
        trace: &Trace,
        step: usize,
        thread: ThreadId,
        reason: Reason,
    ) -> Result<(), Failure> {
        let owner = self.owner(step);
        // Where the execution departs from its owner, the owner has remembered what it did itself, unless it was another outcome
        // for the same thread.
        if self.tried.is_new(owner, trace.choice(step), trace.steps[step].thread, thread) {
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
