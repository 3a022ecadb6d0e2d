//! Sleep sets, in any order.
//!
//! Of the executions that depart from one at the same choice, those that were made earlier sleep in the later ones: an execution in
//! which a sleeping thread goes before anything that its step depends on has happened comes to the same as one that begins with that
//! step, and is found there (Godefroid, "Partial-Order Methods", chapter 5). Any order of the departures would do, as long as it stays: that one sleeps
//! in the other and not the other way round.
//!
//! Nothing but the threads is kept, as what their steps touch can be seen when they are made. So an execution is made to its
//! end, and what comes after a sleeping step is not looked at. A step with several outcomes never sleeps, because some of them may not have been made. If others were awake there, one of them goes instead, in another execution.

use super::lanes::Lanes;
use super::node::{Departure, NodeId};
use super::tried::Tried;
use crate::order::Order;
use gordian_model::{OpKind, Step, ThreadId, Trace, dependent};

/// Of a node, the choice at which those that sleep in it are kept; no execution is so long.
const OWN: u32 = (1 << 24) - 1;

/// Who sleeps where.
#[derive(Debug, Default)]
pub(super) struct Sleep {
    /// By node and choice what has gone there; and what slept when the node's own execution was begun.
    gone: Tried,
    /// In the execution that was made last: the threads that sleep, and from which step on.
    asleep: Vec<(usize, ThreadId)>,
}

impl Sleep {
    pub(super) fn clear(&mut self) {
        self.gone.clear();
    }

    pub(super) fn bytes(&self) -> usize {
        self.gone.bytes()
    }

    pub(super) fn forget(&mut self, node: NodeId) {
        self.gone.forget(node);
    }

    /// The node's execution, which did this there, is departed from for the first time.
    pub(super) fn depart(&mut self, node: NodeId, choice: u32, own: ThreadId) {
        self.gone.is_new(node, choice, own, own);
    }

    /// The node's execution is about to be made.
    pub(super) fn begin(&mut self, parent: NodeId, node: NodeId, departure: &Departure) {
        let Departure { choice, planned, .. } = *departure;
        self.gone.copy((parent, choice), (node, OWN));
        if planned.outcome == 0 {
            self.gone.is_new(parent, choice, planned.thread, planned.thread);
        }
    }

    /// An execution was made that departed at these steps from those before it in the line.
    pub(super) fn follow(&mut self, line: &[NodeId], departed: &[usize]) {
        self.asleep.clear();
        for (&node, &step) in line[1..].iter().zip(departed) {
            self.asleep.extend(self.gone.threads(node, OWN).map(|thread| (step, thread)));
        }
    }

    /// The first step, not before this one, that was asleep.
    pub(super) fn first(&self, trace: &Trace, order: &Order, lanes: &Lanes, from: usize) -> Option<usize> {
        let steps = self.asleep.iter().filter_map(|&(since, thread)| {
            let step = lanes.next(thread, since).filter(|&step| step >= from)?;
            sleeps(trace, order, lanes, since, step).then_some(step)
        });
        steps.min()
    }

    /// Is it certain that the thread sleeps before this step?
    pub(super) fn is_asleep(
        &self,
        trace: &Trace,
        order: &Order,
        lanes: &Lanes,
        thread: ThreadId,
        at: usize,
    ) -> bool {
        let Some(next) = lanes.next(thread, at) else { return false };
        let step = &trace.steps[next];
        let independent = |made: &Step| !dependent(&made.accesses, &step.accesses);
        self.asleep.iter().any(|&(since, sleeper)| {
            sleeper == thread
                && since <= at
                && step.outcomes == 1
                && lanes.next(thread, since) == Some(next)
                && (sleeps(trace, order, lanes, since, next)
                    || (touches_the_same(step.kind) && trace.steps[since..at].iter().all(independent)))
        })
    }
}

/// Does it touch the same whatever happened before?
fn touches_the_same(kind: OpKind) -> bool {
    use OpKind::*;
    matches!(kind, Load | Store | Swap | FetchAdd | FetchSub | FetchAnd | FetchNand | FetchOr | FetchXor)
        || matches!(kind, Lock | Unlock | ReadLock | ReadUnlock | WriteLock | WriteUnlock)
}

/// Has nothing that the step depends on happened since?
fn sleeps(trace: &Trace, order: &Order, lanes: &Lanes, since: usize, step: usize) -> bool {
    trace.steps[step].outcomes == 1
        && order.is_first_since(step, since, |thread, number| lanes.nth(thread, number))
}
