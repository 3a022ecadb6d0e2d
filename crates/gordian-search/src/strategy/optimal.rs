//! Optimal DPOR: exactly one execution for each equivalence class, and none that is cut off by a sleep set.
//!
//! After an execution, each race (i, j) in it asks for an execution in which j comes before i. What has to be
//! done for that, the steps that do not happen after i and then j, is put into the wakeup tree of the node
//! before i, unless a sleeping thread or the tree covers it. Executions follow the wakeup tree before any free choice.
//! (Abdulla et al., POPL 2014, algorithm 2.)
//!
//! Ops with several outcomes are branches too: all outcomes of a thread's step are explored before its siblings, with the same
//! sleep set, and only then does the thread sleep.

use super::tree::{Branch, Sequence, insert};
use super::{Next, Strategy};
use crate::order::{Order, Race, touched_without};
use gordian_model::conductor::wake_dependent;
use gordian_model::{Accesses, End, Plan, Planned, Sleeper, ThreadId, Trace};

#[derive(Debug, Default)]
struct Node {
    thread: ThreadId,
    outcome: u32,
    outcomes: u32,
    /// Outcomes of the current thread's step that are done or under way.
    tried: Vec<u32>,
    sleep: Vec<Sleeper>,
    seen: Vec<Sleeper>,
    tree: Vec<Branch>,
}

/// The search.
#[derive(Debug, Default)]
pub(super) struct Optimal {
    started: bool,
    nodes: Vec<Node>,
    spare: Vec<Node>,
    path: Vec<Planned>,
    order: Order,
    /// Where the last plan left the path of the execution before it.
    branch: usize,
    races: Vec<Race>,
    steps: Vec<usize>,
}

impl Optimal {
    /// The next branch to follow at the deepest node that has one.
    fn backtrack(&mut self) -> Option<Branch> {
        while let Some(node) = self.nodes.last_mut() {
            if let Some(branch) = node.next() {
                return Some(branch);
            }
            let mut node = self.nodes.pop().expect("just seen");
            node.sleep.clear();
            node.seen.clear();
            node.tried.clear();
            self.spare.push(node);
        }
        None
    }

    fn push_node(&mut self) -> &mut Node {
        let node = self.spare.pop().unwrap_or_default();
        self.nodes.push(node);
        self.nodes.last_mut().expect("just pushed")
    }

    fn reverse(&mut self, (earlier, later): Race, trace: &Trace) {
        self.order.without(earlier, later, &mut self.steps);
        let (first, second) = (&trace.steps[earlier], &trace.steps[later]);
        let node = &mut self.nodes[earlier];
        let sequence = Sequence {
            trace,
            order: &self.order,
            steps: std::mem::take(&mut self.steps),
            last: later,
            last_accesses: touched_without(first, second),
            objects: first.objects,
        };
        let mut i = 0;
        while i < node.sleep.len() {
            let thread = node.sleep[i].thread;
            let mut end = i + 1;
            while node.sleep.get(end).is_some_and(|s| s.thread == thread) {
                end += 1;
            }
            let touched: Vec<&Accesses> = node.sleep[i..end].iter().map(|s| &s.accesses).collect();
            if sequence.may_begin_with(thread, &touched).is_some() {
                return;
            }
            i = end;
        }
        insert(&mut node.tree, sequence);
    }
}

impl Node {
    /// What is tried next from here: the other outcomes of the same step first.
    fn next(&mut self) -> Option<Branch> {
        let same = |b: &Branch| b.planned.thread == self.thread && !self.tried.contains(&b.planned.outcome);
        if let Some(i) = self.tree.iter().position(same) {
            let branch = self.tree.remove(i);
            self.tried.push(branch.planned.outcome);
            return Some(branch);
        }
        if let Some(outcome) = (0..self.outcomes).find(|o| !self.tried.contains(o)) {
            self.tried.push(outcome);
            let planned = Planned { thread: self.thread, outcome, expected: None };
            return Some(Branch { planned, accesses: Accesses::new(), children: Vec::new() });
        }
        self.sleep.append(&mut self.seen);
        let thread = self.thread;
        self.tree.retain(|b| b.planned.thread != thread);
        if self.tree.is_empty() {
            return None;
        }
        let branch = self.tree.remove(0);
        self.tried.clear();
        self.tried.push(branch.planned.outcome);
        self.thread = branch.planned.thread;
        Some(branch)
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
            let node = self.push_node();
            node.tree = children;
            node.thread = first.planned.thread;
            node.tried.push(first.planned.outcome);
            self.path.push(first.planned);
            children = first.children;
        }
        plan.prefix.clear();
        plan.prefix.extend_from_slice(&self.path);
        Next::Run
    }

    fn learn(&mut self, trace: &Trace) {
        assert!(
            trace.end != End::Asleep,
            "a bug of Gordian: an execution of the optimal search was cut off by its sleep set; plan {:?}",
            self.path
        );
        for i in self.branch..trace.len() {
            let step = &trace.steps[i];
            let is_new = i >= self.nodes.len();
            if is_new {
                let node = self.push_node();
                node.tried.push(step.outcome);
            }
            if i > self.branch {
                let (above, node) = self.nodes.split_at_mut(i);
                let (before, node) = (&above[i - 1], &mut node[0]);
                node.sleep.extend(before.sleep.iter().cloned());
                wake_dependent(&mut node.sleep, trace.steps[i - 1].thread, &trace.steps[i - 1].accesses);
            }
            let node = &mut self.nodes[i];
            node.thread = step.thread;
            node.outcome = step.outcome;
            node.outcomes = step.outcomes;
            node.seen.push(Sleeper { thread: step.thread, accesses: step.accesses.clone() });
            self.path.truncate(i);
            self.path.push(step.planned());
        }
        let mut races = std::mem::take(&mut self.races);
        for _ in self.branch..trace.len() {
            self.order.push(&trace.steps, &mut races);
        }
        for race in races.drain(..) {
            self.reverse(race, trace);
        }
        self.races = races;
    }
}
