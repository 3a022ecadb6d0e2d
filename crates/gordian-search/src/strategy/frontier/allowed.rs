//! Everything that a bound allows: after each execution, every enabled thread and every other outcome at the steps after its last
//! departure (GAMBIT, figure 4, FindBacktrackingPoints). Each execution has one last departure, so none is found twice.

use super::{Frontier, LastThread, Within};
use crate::priority::Reason;
use gordian_model::{Failure, ThreadId, Trace};

impl Frontier {
    pub(super) fn add_allowed(&mut self, trace: &Trace, within: &Within) -> Result<(), Failure> {
        let node = *self.line.last().expect("planned");
        // In the order of the steps, so that races are found as the steps go on.
        self.races.sort_unstable();
        for step in self.own_part()..trace.len() {
            if let Some(last) = within.classes
                && self.is_covered(trace, step, last)
            {
                return Ok(());
            }
            let (own, outcomes) = (trace.steps[step].thread, trace.steps[step].outcomes);
            for thread in trace.enabled(step).iter().filter(|&t| t != own) {
                let Some(price) = self.within(within, trace, step, thread) else { continue };
                let reason = self.reason(trace, step, thread);
                self.add(node, trace, (step, thread, 0), reason, price)?;
            }
            if outcomes > 1
                && let Some(price) = self.within(within, trace, step, own)
            {
                for outcome in 1..outcomes {
                    self.add(node, trace, (step, own, outcome), Reason::Outcome, price)?;
                }
            }
        }
        Ok(())
    }

    /// What it costs in all to let the thread go at that step, if the bound allows it.
    fn within(&mut self, within: &Within, trace: &Trace, step: usize, thread: ThreadId) -> Option<u32> {
        let price = within.bound.price(trace, step, thread).and_then(|price| price.checked_add(self.price));
        let price = price.filter(|&price| price <= within.most);
        self.left_out |= price.is_none();
        price
    }

    fn is_covered(&mut self, trace: &Trace, step: usize, last: LastThread) -> bool {
        let last = match last {
            _ if step == 0 => return false,
            LastThread::Matters => Some(trace.steps[step - 1].thread),
            LastThread::MattersIfEnabled => trace.goes_on(step),
        };
        let has_room = self.memory.is_none_or(|memory| self.classes.bytes() < memory / 2);
        self.classes.is_covered(step, last, self.price, has_room)
    }

    /// Would a race have asked for it?
    fn reason(&self, trace: &Trace, step: usize, thread: ThreadId) -> Reason {
        let from = self.races.partition_point(|race| race.0 < step);
        let later = self.races[from..].iter().take_while(|race| race.0 == step);
        let reason = |&(_, later): &(usize, usize)| {
            let racing = trace.steps[later].thread;
            if racing == thread {
                Reason::Race
            } else if trace.is_enabled(step, racing) {
                Reason::Allowed
            } else {
                Reason::Conservative
            }
        };
        later.map(reason).min().unwrap_or(Reason::Allowed)
    }
}
