//! Races that ask for nothing, because steps that sleep cover it: how long that is so.

use super::{Kept, Optimal};
use crate::order::{Race, met_by_others};
use gordian_model::{Access, Acts, Sleeper, Step, ThreadId, Trace};

/// Is the step one that sleeps, so that whatever conflicts with what sleeps comes after it? `false` if that has to be looked at more closely.
#[inline]
pub(super) fn sleeps_itself(sleeper: &Sleeper, step: &Step) -> bool {
    match sleeper.accesses[..] {
        [access] => is_followed(access, step),
        _ => false,
    }
}

/// Does the step touch the same first, and does whatever conflicts with that come after it?
#[inline]
fn is_followed(access: Access, step: &Step) -> bool {
    step.accesses.first() == Some(&access) && access.act.conflicts_only_with(access.act.precedes(), true)
}

impl Optimal {
    /// Is what a race asks for covered by what sleeps of a thread as long as executions have the race? So it is if whatever could wake
    /// that comes after one of the two steps, and so after the earlier one: then it is not in the sequence.
    pub(super) fn stays_covered(&self, (node, last): Race, by: ThreadId, trace: &Trace) -> bool {
        let (first, second) = (&trace.steps[node], &trace.steps[last]);
        self.sleepers.at(node).iter().filter(|s| s.thread == by).all(|sleeper| {
            // One of several outcomes may not be the one that it has when its turn comes.
            let is_sure = by == second.thread || sleeper.outcomes == 1;
            is_sure
                && met_by_others(sleeper.expected.0, &sleeper.accesses).iter().all(|access| {
                    // Most often it sleeps itself, and whatever conflicts with it comes after it.
                    if is_followed(*access, second) {
                        return true;
                    }
                    let (mut ordered, mut twin) = (Acts::NONE, false);
                    for step in [first, second] {
                        for met in step.accesses.iter().filter(|met| met.object == access.object) {
                            ordered = ordered.and(met.act.precedes());
                            twin |= met == access;
                        }
                    }
                    access.act.conflicts_only_with(ordered, twin)
                })
        })
    }

    /// Is there a step from `from` on that does not happen after the one at the node, and on which what sleeps there of a
    /// thread depends? Once the thread itself makes a step nothing wakes it any more.
    pub(super) fn is_woken(&self, node: usize, thread: ThreadId, from: usize, trace: &Trace) -> bool {
        let sleepers = || self.sleepers.at(node).iter().filter(|s| s.thread == thread);
        let own = self.order.first_of(thread, from).filter(|&own| !self.order.before(node, own));
        let end = own.unwrap_or(trace.len());
        sleepers().any(|s| self.order.is_touched(&s.accesses, node, from..end))
            || own.is_some_and(|own| sleepers().all(|s| s.outcome != trace.steps[own].outcome))
    }

    /// Looks again at the races that were covered and may be so no longer.
    pub(super) fn look_again(&mut self, trace: &Trace) {
        if self.kept.is_empty() {
            return;
        }
        let mut kept = std::mem::take(&mut self.kept);
        kept.retain(|&Kept { race, outcome, by }| {
            let still = by.is_some_and(|by| !self.is_woken(race.0, by, self.branch, trace));
            if !still {
                self.ask_for(race, outcome, trace, true);
            }
            still
        });
        kept.append(&mut self.kept);
        self.kept = kept;
    }
}
