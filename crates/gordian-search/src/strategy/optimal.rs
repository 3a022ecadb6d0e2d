//! Optimal DPOR: exactly one execution for each equivalence class, and none that is cut off by a sleep set.
//!
//! After an execution, each race (i, j) in it asks for an execution in which j comes before i. What has to be
//! done for that, the steps that do not happen after i and then j, is put into the wakeup tree of the node
//! before i, unless a sleeping step or the tree covers it. Executions follow the wakeup tree before any free choice.
//! (Abdulla et al., POPL 2014, algorithm 2.)
//!
//! Each outcome of an op is a step of its own. When one has been carried out, the others are put into the
//! wakeup tree beside it, unless they are covered: a `compare_exchange_weak` that fails only reads, and what it leads to may
//! have been seen although what its success leads to has not.

use super::recycled::Recycle;
use super::stack::Stack;
use super::tree::{Branch, Sequence, Tried, insert};
use super::{Next, Strategy};
use crate::order::{Order, Race};
use gordian_model::conductor::wake_dependent;
use gordian_model::{Act, End, Failure, FailureKind, OpKind, Plan, Planned, Sleeper, Step, Trace};
use std::cell::RefCell;
use std::thread::LocalKey;

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
    }
}

impl Optimal {
    /// The next branch to follow at the deepest node that has one.
    fn backtrack(&mut self) -> Option<Branch> {
        while let Some(node) = self.nodes.last_mut() {
            node.sleep.extend(node.seen.take());
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
        let sequence = Sequence {
            trace,
            order: &self.order,
            steps: std::mem::take(&mut self.steps),
            last: later,
            last_outcome: outcome_without(first, second),
            last_accesses: self.order.touched_without(&trace.steps, earlier, later),
            node: earlier,
            objects: first.objects,
            walked: Vec::new(),
        };
        self.steps = self.nodes[earlier].ask_for(sequence);
    }

    /// Asks for the other outcomes of step `at`.
    fn vary(&mut self, at: usize, trace: &Trace) {
        let step = &trace.steps[at];
        for outcome in (0..step.outcomes).filter(|&o| o != step.outcome) {
            let sequence = Sequence {
                trace,
                order: &self.order,
                steps: vec![at],
                last: at,
                last_outcome: outcome,
                last_accesses: touched_with(step, outcome),
                node: at,
                objects: step.objects,
                walked: Vec::new(),
            };
            self.nodes[at].ask_for(sequence);
        }
    }
}

/// The outcome to ask for when `later` goes before `earlier`. How many there are then is seen when it is carried out; if
/// the two race only because a thread ends, the same.
fn outcome_without(earlier: &Step, later: &Step) -> u32 {
    let touched = |object| earlier.accesses.iter().any(|a| a.object == object);
    let only_the_end = later.accesses.iter().all(|a| a.act == Act::Exit || !touched(a.object));
    if only_the_end { later.outcome } else { 0 }
}

/// What a step would have touched with another outcome.
fn touched_with(step: &Step, outcome: u32) -> gordian_model::Accesses {
    let mut accesses = step.accesses.clone();
    if step.kind == OpKind::CompareExchangeWeak {
        accesses[0].act = if outcome == 0 { Act::Write } else { Act::Read };
    }
    accesses
}

impl Node {
    /// Puts a sequence into the wakeup tree unless it is covered; gives its memory back.
    fn ask_for(&mut self, sequence: Sequence<'_>) -> Vec<usize> {
        let covered = |s: &Sleeper| sequence.may_begin_with(Tried::from(s)).is_some();
        if self.sleep.iter().any(covered) {
            return sequence.steps;
        }
        insert(&mut self.tree, sequence)
    }
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
        if trace.end == End::Asleep {
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
                wake_dependent(&mut node.sleep, trace.steps[i - 1].thread, &trace.steps[i - 1].accesses);
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
