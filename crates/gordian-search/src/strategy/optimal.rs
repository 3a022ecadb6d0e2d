//! Optimal DPOR: exactly one execution for each equivalence class, and none that is cut off by a sleep set.
//!
//! After an execution, each race (i, j) in it asks for an execution in which j comes before i. What has to be
//! done for that, the steps that do not happen after i and then j, is put into the wakeup tree of the node
//! before i, unless a sleeping step or the tree covers it. Executions follow the wakeup tree before any free choice.
//! (Abdulla et al., POPL 2014, algorithm 2.)
//!
//! Each outcome of an op is a step of its own. When one has been carried out, the others are put into the
//! wakeup tree beside it, unless they are covered: a `compare_exchange_weak` that fails only reads, and what it leads to may
//! have been seen although what its success leads to has not. Here the search is not always optimal: when an outcome
//! covers part of what a sequence leads to, the sequence is tried, and may turn out to lead to nothing new. Such
//! executions are cut off by their sleep set and counted as blocked.

use super::recycled::{Recycle, Recycled};
use super::stack::Stack;
use super::tree::{Branch, Sequence, insert, prune};
use super::{Next, Strategy};
use crate::order::{Order, Race};
use crate::search::Word;
use gordian_model::conductor::wake_dependent;
use gordian_model::{Accesses, Act, End, Failure, FailureKind, OpKind, Plan, Planned, Sleeper, Step, Trace};
use std::cell::{Cell, RefCell};
use std::sync::Arc;
use std::thread::LocalKey;

pub(crate) const WORD: Word = Word {
    name: "exhaustive",
    usage: &["exhaustive"],
    read: |text| {
        text.nothing()?;
        Ok(Arc::new(|_| Box::new(Recycled::<Optimal>::new(|_| ()))))
    },
};

#[derive(Debug, Default)]
struct Node {
    sleep: Vec<Sleeper>,
    /// The current step.
    seen: Option<Sleeper>,
    tree: Vec<Branch>,
}

/// The search.
#[derive(Debug, Default)]
pub(super) struct Optimal {
    started: bool,
    nodes: Stack<Node>,
    path: Vec<Planned>,
    order: Order,
    /// Where the last plan left the path of the execution before it.
    branch: usize,
    races: Vec<Race>,
    steps: Vec<usize>,
    /// Some sequence was asked for that may have been covered; see [`Sequence::inexact`].
    inexact: Cell<bool>,
}

impl Recycle for Optimal {
    fn place() -> &'static LocalKey<RefCell<Option<Box<Self>>>> {
        thread_local!(static PLACE: RefCell<Option<Box<Optimal>>> = const { RefCell::new(None) });
        &PLACE
    }

    fn reset(&mut self) {
        self.started = false;
        while let Some(node) = self.nodes.last_mut() {
            node.sleep.clear();
            node.seen = None;
            node.tree.clear();
            self.nodes.pop();
        }
        self.path.clear();
        self.order.truncate(0);
        self.branch = 0;
        self.inexact.set(false);
    }
}

impl Optimal {
    /// The next branch to follow at the deepest node that has one.
    fn backtrack(&mut self) -> Option<Branch> {
        while let Some(node) = self.nodes.last_mut() {
            node.sleep.extend(node.seen.take());
            prune(&mut node.tree, &node.sleep);
            if !node.tree.is_empty() {
                return Some(node.tree.remove(0));
            }
            node.sleep.clear();
            self.nodes.pop();
        }
        None
    }

    fn reverse(&mut self, (earlier, later): Race, trace: &Trace) {
        self.order.without(earlier, later, &mut self.steps);
        let (first, second) = (&trace.steps[earlier], &trace.steps[later]);
        let outcome = outcome_without(first, second);
        let touched = self.order.touched_without(&trace.steps, earlier, later);
        // How many outcomes there are is seen when the step is carried out; but if the first sleeps it will not be.
        let is_first = self.steps.iter().all(|&s| s == later || trace.steps[s].thread != second.thread);
        let asleep = self.nodes[earlier].sleep.iter().find(|s| is_first && s.thread == second.thread);
        let outcomes = asleep.map_or(1, |s| s.outcomes);
        for other in (1..outcomes).filter(|&o| o != outcome) {
            let accesses = touched_with(second.kind, touched.clone(), other);
            let steps = self.steps.clone();
            self.ask_for(earlier, trace, steps, (later, other, accesses));
        }
        let steps = std::mem::take(&mut self.steps);
        self.steps = self.ask_for(earlier, trace, steps, (later, outcome, touched));
    }

    /// Asks for the other outcomes of step `at`.
    fn vary(&mut self, at: usize, trace: &Trace) {
        let step = &trace.steps[at];
        for outcome in (0..step.outcomes).filter(|&o| o != step.outcome) {
            let accesses = touched_with(step.kind, step.accesses.clone(), outcome);
            let asleep = |s: &Sleeper| s.thread == step.thread && s.outcome == outcome;
            if !self.nodes[at].sleep.iter().any(asleep) {
                self.ask_for(at, trace, vec![at], (at, outcome, accesses));
            }
        }
    }

    /// Puts a sequence into the wakeup tree of a node, unless steps that sleep there or the tree cover it; gives its
    /// memory back.
    fn ask_for(
        &mut self,
        node: usize,
        trace: &Trace,
        steps: Vec<usize>,
        (last, last_outcome, last_accesses): (usize, u32, Accesses),
    ) -> Vec<usize> {
        let sequence = Sequence {
            trace,
            order: &self.order,
            steps,
            last,
            last_outcome,
            last_accesses,
            node,
            objects: trace.steps[node].objects,
            walked: Vec::new(),
            inexact: &self.inexact,
        };
        let Node { sleep, seen, tree } = &mut self.nodes[node];
        if sequence.is_covered_by(sleep) {
            return sequence.steps;
        }
        insert(tree, sequence, sleep.iter().chain(&*seen))
    }
}

/// The outcome to ask for when `later` goes before `earlier`. How many there are then is seen when it is carried out; if
/// the two race only because a thread ends, the same.
fn outcome_without(earlier: &Step, later: &Step) -> u32 {
    let touched = |object| earlier.accesses.iter().any(|a| a.object == object);
    let only_the_end = later.accesses.iter().all(|a| a.act == Act::Exit || !touched(a.object));
    if only_the_end { later.outcome } else { 0 }
}

/// What an op touches with another outcome.
fn touched_with(kind: OpKind, mut accesses: Accesses, outcome: u32) -> Accesses {
    if kind == OpKind::CompareExchangeWeak {
        accesses[0].act = if outcome == 0 { Act::Write } else { Act::Read };
    }
    accesses
}

impl Strategy for Optimal {
    fn plan(&mut self, plan: &mut Plan) -> Next {
        if !std::mem::replace(&mut self.started, true) {
            return Next::Run;
        }
        let Some(branch) = self.backtrack() else { return Next::Done };
        let depth = self.nodes.len() - 1;
        self.branch = depth;
        self.order.truncate(depth);
        plan.sleep.clear();
        plan.sleep.extend(self.nodes[depth].sleep.iter().cloned());
        plan.sleep_from = depth;
        self.path.truncate(depth);
        self.path.push(branch.planned);
        let mut children = branch.children;
        while !children.is_empty() {
            let first = children.remove(0);
            self.nodes.push().tree = children;
            self.path.push(first.planned);
            children = first.children;
        }
        plan.prefix.clear();
        plan.prefix.extend_from_slice(&self.path);
        Next::Run
    }

    fn learn(&mut self, trace: &Trace) -> Result<(), Failure> {
        if trace.end == End::Asleep && !self.inexact.get() {
            let message = format!(
                "nondeterminism, or a bug of Gordian: the optimal search never asks for an execution that its sleep set cuts off, \
                 but this one was, after {} steps. Does the program do the same when it makes the same choices? If it does, please \
                 report this with the plan {:?}",
                trace.len(),
                self.path
            );
            return Err(Failure::new(FailureKind::Nondeterminism, message));
        }
        for (i, step) in trace.steps.iter().enumerate().skip(self.branch) {
            if i >= self.nodes.len() {
                self.nodes.push();
            }
            if i > self.branch {
                let (above, node) = self.nodes.split_at_mut(i);
                let (before, node) = (&above[i - 1], &mut node[0]);
                node.sleep.extend(before.sleep.iter().cloned());
                wake_dependent(
                    &mut node.sleep,
                    trace.steps[i - 1].thread,
                    &trace.steps[i - 1].accesses,
                    &trace.objects,
                );
            }
            self.nodes[i].seen = Some(step.sleeper());
            self.path.truncate(i);
            self.path.push(step.planned());
        }
        let mut races = std::mem::take(&mut self.races);
        for i in self.branch..trace.len() {
            self.order.push(&trace.steps, &mut races);
            if trace.steps[i].outcomes > 1 {
                self.vary(i, trace);
            }
        }
        for race in races.drain(..) {
            self.reverse(race, trace);
        }
        self.races = races;
        Ok(())
    }
}
