//! Priorities: which of the executions that have yet to be made goes first.
//!
//! A best-first search learns of further executions from each that it makes: at this step, this thread could go instead
//! ([`Point`]). Every one of them is made in the end; priorities decide when (Coons, Burckhardt, Musuvathi, "GAMBIT", PPoPP
//! 2010, section 4). Several priorities are combined hierarchically: the second decides between executions that are equal by the first.

mod dpor;
mod mdpor;
mod method;
mod pb;
mod rand;
mod runs;
mod ss;
mod var;

pub use dpor::Dpor;
pub use mdpor::Mdpor;
pub use method::Method;
pub use pb::Pb;
pub use rand::Rand;
pub(crate) use runs::Runs;
pub use ss::Ss;
pub use var::Var;

use crate::order::Order;
use crate::strategy::Lanes;
use gordian_model::{Site, SiteId, Step, ThreadId, Trace, dependent};

/// Decides when an execution is made.
pub trait Priority: Send + Sync {
    /// The lowest goes first, of equals in turn the one that was found last and the one that was found first; now and then one goes that
    /// is not the lowest, so that none waits for ever.
    fn priority(&self, point: &Point<'_>) -> u16;
}

/// Why an execution is to be made.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Reason {
    /// The thread takes part in a race with the step that was made there.
    Race,
    /// The op has another outcome.
    Outcome,
    /// Another thread takes part in such a race and could not go there, so every thread that could is tried.
    Conservative,
    /// The bound allows it.
    Allowed,
}

/// A departure from an execution that was made: another execution, which has yet to be.
#[derive(Clone, Copy)]
pub struct Point<'a> {
    /// The execution that was made.
    pub trace: &'a Trace,
    /// The step at which to depart from it.
    pub step: usize,
    /// The thread that goes there instead...
    pub thread: ThreadId,
    /// ...and the outcome of its op.
    pub outcome: u32,
    /// Why.
    pub reason: Reason,
    /// The steps at which the execution departed from the default schedule.
    pub(crate) departed: &'a [usize],
    /// Which of these were preemptions that count.
    pub(crate) preempted: &'a [bool],
    pub(crate) lanes: &'a Lanes,
    /// The order of the steps, where an execution stands for all that come to the same.
    pub(crate) order: Option<&'a Order>,
    pub(crate) sites: &'a [Site],
    pub(crate) chance: u64,
}

impl<'a> Point<'a> {
    /// The step that the execution made there.
    pub fn instead_of(&self) -> &'a Step {
        &self.trace.steps[self.step]
    }

    /// What the thread did next in the execution, if it came to do something: its op is the one that it is about to do here.
    pub fn next(&self) -> Option<&'a Step> {
        self.lanes.next(self.thread, self.step).map(|at| &self.trace.steps[at])
    }

    /// The preemptions up to and with this departure. The default schedule, which goes on from here, makes none.
    ///
    /// Where an execution stands for all that come to the same, only those count that the others may need, too.
    pub fn preemptions(&self) -> u32 {
        let Point { trace, lanes, order, .. } = *self;
        let runs = Runs { trace, lanes, order };
        let before = self.departed.iter().zip(self.preempted).take_while(|(at, _)| **at < self.step);
        let before = before.filter(|(_, preempted)| **preempted).count();
        before as u32 + u32::from(runs.is_preemption(self.step, self.thread))
    }

    /// Would a search with sleep sets leave it out? It does where the thread could have gone before an earlier departure, and what it
    /// does depends on nothing that has happened since: then going earlier comes to the same.
    pub fn is_asleep(&self) -> bool {
        let Some(next) = self.next() else { return false };
        let since = self.lanes.last_before(self.thread, self.step).map_or(0, |last| last + 1);
        let independent = |at: &usize| !dependent(&self.trace.steps[*at].accesses, &next.accesses);
        let from = (since..self.step).rev().take_while(independent).last();
        from.is_some_and(|from| {
            let departures = self.departed.iter().copied();
            departures
                .filter(|at| (from..self.step).contains(at))
                .any(|at| self.default_at(at) == Some(self.thread))
        })
    }

    /// What the default schedule would have done at a step where the execution departed from it: go on, or the lowest that
    /// can go. (It prefers those that would not time out, which a trace does not tell of threads other than the last.)
    fn default_at(&self, step: usize) -> Option<ThreadId> {
        if self.trace.is_preemption(step) {
            Some(self.trace.steps[step - 1].thread)
        } else {
            self.trace.enabled(step).iter().next()
        }
    }

    /// Where in the source, if the front end told.
    pub fn site(&self, site: SiteId) -> Option<&'a Site> {
        (site.0 as usize).checked_sub(1).and_then(|i| self.sites.get(i))
    }

    /// A random number of this point's own.
    pub fn chance(&self) -> u64 {
        self.chance
    }
}
