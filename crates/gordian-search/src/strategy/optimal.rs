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

mod ask;
mod covered;

use super::grown::Grown;
use super::recycled::Recycle;
use super::sleepers::Sleepers;
use super::stack::Stack;
use super::tree::{Branch, look, prune, take_first};
use super::{Next, Strategy};
use crate::order::{Order, Race};
use crate::search::{Maker, Word};
use ask::outcome_without;
use covered::sleeps_itself;
use gordian_model::{
    End, Failure, FailureKind, Plan, Planned, Sleeper, Step, ThreadId, Trace, Tree, dependent,
};
use std::cell::RefCell;
use std::sync::{Arc, OnceLock};
use std::thread::LocalKey;

pub(crate) const WORD: Word = Word {
    name: "exhaustive",
    usage: &["exhaustive"],
    read: |text| {
        text.nothing()?;
        static MAKER: OnceLock<Maker> = OnceLock::new();
        Ok(Arc::clone(MAKER.get_or_init(|| Arc::new(|_| Optimal::recycled(|_| ())))))
    },
};

#[derive(Debug, Default)]
struct Node {
    /// The current step, if there are others to be tried.
    seen: Option<Sleeper>,
    /// Branches that are done with.
    tried: u32,
    tree: Vec<Branch>,
    /// There may be leaves in doubt in the tree.
    doubtful: bool,
}

impl Node {
    /// Has it never had branches?
    fn is_new(&self) -> bool {
        self.tree.is_empty() && self.seen.is_none() && self.tried == 0 && !self.doubtful
    }
}

/// A race that was covered by what sleeps of a thread; or by branches of the tree, perhaps.
#[derive(Clone, Copy, Debug)]
struct Kept {
    /// The steps; a step and itself stands for its other outcomes.
    race: Race,
    /// The outcome asked for.
    outcome: u32,
    by: Option<ThreadId>,
}

/// The search.
#[derive(Debug, Default)]
pub(super) struct Optimal {
    started: bool,
    nodes: Stack<Node>,
    sleepers: Sleepers,
    /// There may be doubtful nodes.
    in_doubt: bool,
    path: Vec<Planned>,
    grown: Grown,
    order: Order,
    /// Where the last plan left the path of the execution before it.
    branch: usize,
    /// So many nodes may have had branches; those beyond are as they were made.
    reached: usize,
    races: Vec<Race>,
    steps: Vec<usize>,
    /// Memory for branches.
    spare: Vec<Vec<Branch>>,
    /// Memory for plans between searches.
    idle: (Vec<Planned>, Vec<Sleeper>),
    /// Races that were covered, and will be looked at again.
    kept: Vec<Kept>,
    /// Executions have failed, and were not carried to the end of what they would have shown.
    failed: bool,
    /// A leaf was tried of which it is open whether it is covered.
    open: bool,
    /// The program does things that nobody watches, see [`Trace::loose`]: then it may come to a cut that was not foreseen.
    loose: bool,
    /// Executions that came to their end, each of a class of its own.
    classes: u64,
    done: bool,
}

impl Recycle for Optimal {
    fn place() -> &'static LocalKey<RefCell<Option<Box<Self>>>> {
        thread_local!(static PLACE: RefCell<Option<Box<Optimal>>> = const { RefCell::new(None) });
        &PLACE
    }

    fn reset(&mut self) {
        self.started = false;
        self.nodes.truncate(self.reached);
        while let Some(node) = self.nodes.last_mut() {
            node.seen = None;
            node.tried = 0;
            node.tree.clear();
            node.doubtful = false;
            self.nodes.pop();
        }
        self.sleepers.truncate(0);
        self.in_doubt = false;
        self.path.clear();
        self.grown.clear();
        self.order.truncate(0);
        self.branch = 0;
        self.reached = 0;
        self.kept.clear();
        self.failed = false;
        self.open = false;
        self.loose = false;
        self.classes = 0;
        self.done = false;
    }
}

impl Optimal {
    /// Of each node, how many branches were done with, and how many there are, as far as that is known.
    fn counted(&self) -> impl Iterator<Item = (u32, u32)> + '_ {
        self.nodes.iter().map(|node| (node.tried, node.tried + 1 + node.tree.len() as u32))
    }

    /// Goes back to the deepest node that has a branch to follow, the first of its tree. Is there one?
    fn backtrack(&mut self) -> bool {
        debug_assert!(self.nodes.iter().skip(self.reached).all(Node::is_new));
        self.nodes.truncate(self.reached);
        while let Some(at) = self.nodes.len().checked_sub(1) {
            let node = &mut self.nodes[at];
            if !node.tree.is_empty() {
                self.sleepers.truncate(at + 1);
                self.sleepers.reach(at);
                if let Some(seen) = node.seen.take() {
                    self.sleepers.add(seen);
                }
                if node.doubtful {
                    prune(&mut node.tree, self.sleepers.at(at));
                }
                if !node.tree.is_empty() {
                    node.tried += 1;
                    return true;
                }
            }
            node.seen = None;
            node.tried = 0;
            node.doubtful = false;
            self.nodes.pop();
        }
        false
    }

    fn reverse(&mut self, race: Race, trace: &Trace) {
        let (earlier, later) = race;
        let second = &trace.steps[later];
        // How many outcomes there are is seen when the step is carried out; but if the first sleeps it will not be.
        let (first_asleep, more_asleep) = {
            let mut asleep = self.sleepers.at(earlier).iter().filter(|s| s.thread == second.thread);
            (asleep.next(), asleep.next().is_some())
        };
        let outcomes = first_asleep.map_or(1, |s| s.outcomes);
        let usual = outcome_without(&trace.steps[earlier], second);
        // If nothing has to come before the later step, and it sleeps itself, that is soon seen.
        if let Some(sleeper) = first_asleep
            && sleeper.outcomes == 1
            && sleeper.outcome == usual
            && (earlier + 1..later).all(|k| self.order.before(earlier, k))
            && ((!more_asleep && sleeps_itself(sleeper, second))
                || self.stays_covered(race, second.thread, trace))
        {
            debug_assert!(self.stays_covered(race, second.thread, trace));
            return;
        }
        if outcomes > 1 {
            self.order.without(earlier, later, &mut self.steps);
            // What comes before it and touches the same may leave it with another number of outcomes, and wakes it.
            let is_first = self.steps.iter().map(|&s| (s, &trace.steps[s])).all(|(s, step)| {
                s == later || (step.thread != second.thread && !dependent(&step.accesses, &second.accesses))
            });
            for other in (1..outcomes).filter(|&o| is_first && o != usual) {
                self.ask_for(race, other, trace, false);
            }
        }
        self.ask_for(race, usual, trace, false);
    }

    /// Asks for the other outcomes of step `at`: they race with the one it had.
    fn vary(&mut self, at: usize, trace: &Trace) {
        let step = &trace.steps[at];
        for outcome in (0..step.outcomes).filter(|&o| o != step.outcome) {
            self.ask_for((at, at), outcome, trace, false);
        }
    }
}

impl Strategy for Optimal {
    fn plan(&mut self, plan: &mut Plan) -> Next {
        if !std::mem::replace(&mut self.started, true) {
            if plan.prefix.is_empty() && plan.sleep.is_empty() {
                (plan.prefix, plan.sleep) = std::mem::take(&mut self.idle);
            }
            return Next::Run;
        }
        if !self.backtrack() {
            self.done = true;
            self.idle = (std::mem::take(&mut plan.prefix), std::mem::take(&mut plan.sleep));
            self.idle.0.clear();
            self.idle.1.clear();
            return Next::Done;
        }
        let depth = self.nodes.len() - 1;
        let tree = &mut self.nodes[depth].tree;
        self.open |= tree[0].doubtful && tree[0].is_open(self.failed);
        let (planned, mut children) = take_first(tree);
        self.branch = depth;
        self.reached = depth + 1;
        self.kept.retain(|k| k.race.1 < depth);
        self.order.truncate(depth);
        plan.sleep.clear();
        for sleeper in self.sleepers.at(depth).iter() {
            plan.sleep.push(sleeper.clone());
        }
        plan.sleep_from = depth;
        self.grown.branch(depth, self.path.get(depth), &planned);
        // The steps of a plan were seen to be possible, so no execution ends before it has made them.
        debug_assert!(self.path.len() >= depth);
        self.path.truncate(depth);
        self.path.push(planned);
        while !children.is_empty() {
            let (planned, below) = take_first(&mut children);
            let node = self.nodes.push();
            if !children.is_empty() {
                node.doubtful = children.iter().any(|b| b.doubtful);
                self.in_doubt |= node.doubtful;
                std::mem::swap(&mut node.tree, &mut children);
                self.reached = self.nodes.len();
            }
            self.spare.push(children);
            self.path.push(planned);
            children = below;
        }
        plan.prefix.clear();
        plan.prefix.extend_from_slice(&self.path);
        Next::Run
    }

    fn learn(&mut self, trace: &Trace) -> Result<(), Failure> {
        self.loose |= trace.loose;
        if trace.end == End::Asleep && !self.open && !self.loose {
            let message = format!(
                "nondeterminism, or a bug of Gordian: the optimal search never asks for an execution that its sleep set cuts off, \
                 but this one was, after {} steps. Does the program do the same when it makes the same choices? If it does, please \
                 report this with the plan {:?}",
                trace.len(),
                self.path
            );
            return Err(Failure::new(FailureKind::Nondeterminism, message));
        }
        self.grown.learn();
        self.sleepers.reach(self.branch);
        let steps = &trace.steps[..];
        let new = steps.get(self.branch..).unwrap_or_default();
        if !new.is_empty() {
            self.path.truncate(self.branch);
        }
        // Nodes that the plan did not come to have no branches yet.
        let planned = self.nodes.get_mut(self.branch..).unwrap_or_default();
        for (node, step) in planned.iter_mut().zip(new) {
            if !node.tree.is_empty() {
                node.seen = Some(step.sleeper());
            }
        }
        self.nodes.reach(steps.len());
        self.races.clear();
        let varies = self.order.extend(steps, &mut self.races);
        if let [before_last @ .., _] = new {
            self.sleepers.follow(before_last, trace);
        }
        self.classes += u64::from(trace.end == End::Complete);
        self.failed |= trace.failure().is_some();
        if self.in_doubt {
            self.in_doubt = self.nodes.iter().any(|node| node.doubtful);
            for (i, node) in self.nodes[..trace.len()].iter_mut().enumerate().filter(|(_, n)| n.doubtful) {
                look(&mut node.tree, i, trace, &self.order);
            }
        }
        self.look_again(trace);
        if varies {
            for i in self.branch..trace.len() {
                self.vary(i, trace);
            }
        }
        for k in 0..self.races.len() {
            self.reverse(self.races[k], trace);
        }
        // The next plan follows this execution up to a node with branches at most.
        let needed = self.reached.min(steps.len());
        if needed > self.path.len() {
            self.path.extend(steps[self.path.len()..needed].iter().map(Step::planned));
        }
        Ok(())
    }

    fn estimate(&self) -> Option<f64> {
        self.grown.estimate(self.done, self.counted())
    }

    fn tree(&self) -> Option<Tree> {
        Some(self.grown.tree(self.done, self.counted()))
    }

    fn classes(&self) -> Option<u64> {
        (self.done && !self.failed).then_some(self.classes)
    }

    fn retire(self: Box<Self>) {
        self.keep();
    }
}
