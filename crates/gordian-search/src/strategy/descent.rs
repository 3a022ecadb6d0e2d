//! The way down of a depth-first search: its nodes, what sleeps at them, and the last one that has something left to try. Which threads are
//! to be tried from a node is for [`Left`] to say.

use super::Next;
use super::grown::Grown;
use super::stack::Stack;
use gordian_model::conductor::wake_dependent;
use gordian_model::{Plan, Planned, Sleeper, ThreadId, Trace, Tree};

/// The threads that are left to try at a node.
pub(super) trait Left: Default {
    /// A new node, at which these threads are enabled (as a set's words) and one of them goes first.
    fn begin(&mut self, enabled: &[u64], first: ThreadId);

    /// The next one, which is left no longer.
    fn pop(&mut self) -> Option<ThreadId>;

    fn iter(&self) -> impl Iterator<Item = ThreadId>;
}

/// A node on the way.
#[derive(Debug, Default)]
pub(super) struct Node<L> {
    thread: ThreadId,
    outcome: u32,
    outcomes: u32,
    /// Branches that are done with.
    tried: u32,
    pub(super) left: L,
    /// Asleep here; grows as steps are done.
    sleep: Vec<Sleeper>,
    /// The current step, if it is to sleep.
    seen: Option<Sleeper>,
}

impl<L: Left> Node<L> {
    fn clear(&mut self) {
        self.sleep.clear();
        self.seen = None;
        self.tried = 0;
    }

    /// Branches that are left to try, as far as that is known.
    fn untried(&self) -> u32 {
        let asleep = |thread, outcome| self.sleep.iter().any(|s| s.thread == thread && s.outcome == outcome);
        let outcomes = (self.outcome + 1..self.outcomes).filter(|&o| !asleep(self.thread, o)).count();
        let threads = self.left.iter().filter(|&t| !asleep(t, 0)).count();
        (outcomes + threads) as u32
    }

    /// Goes on to the next step from here that is not asleep.
    fn next(&mut self) -> bool {
        self.tried += 1;
        if self.seen.is_none() && self.sleep.is_empty() {
            if self.outcome + 1 < self.outcomes {
                self.outcome += 1;
                return true;
            }
            let next = self.left.pop();
            self.thread = next.unwrap_or_default();
            self.outcome = 0;
            return next.is_some();
        }
        self.sleep.extend(self.seen.take());
        let asleep = |thread, outcome| self.sleep.iter().any(|s| s.thread == thread && s.outcome == outcome);
        if let Some(outcome) = (self.outcome + 1..self.outcomes).find(|&o| !asleep(self.thread, o)) {
            self.outcome = outcome;
            return true;
        }
        while let Some(thread) = self.left.pop() {
            // How many outcomes an op has is known of those that are asleep; the others have at least one.
            let outcomes = self.sleep.iter().find(|s| s.thread == thread).map_or(1, |s| s.outcomes);
            if let Some(outcome) = (0..outcomes).find(|&o| !asleep(thread, o)) {
                self.thread = thread;
                self.outcome = outcome;
                return true;
            }
        }
        false
    }
}

/// The nodes of the last execution.
#[derive(Debug, Default)]
pub(super) struct Descent<L> {
    started: bool,
    done: bool,
    pub(super) nodes: Stack<Node<L>>,
    path: Vec<Planned>,
    grown: Grown,
}

impl<L: Left> Descent<L> {
    pub(super) fn reset(&mut self) {
        self.started = false;
        self.done = false;
        self.grown.clear();
        while let Some(node) = self.nodes.last_mut() {
            node.clear();
            self.nodes.pop();
        }
        self.path.clear();
    }

    /// Of each node, how many branches were done with, and how many there are, as far as that is known.
    fn counted(&self) -> impl Iterator<Item = (u32, u32)> + '_ {
        self.nodes.iter().map(|node| (node.tried, node.tried + 1 + node.untried()))
    }

    /// Goes back to the last node with something left to try; `false` if there is none.
    fn backtrack(&mut self) -> bool {
        while let Some(node) = self.nodes.last_mut() {
            if node.next() {
                return true;
            }
            node.clear();
            self.nodes.pop();
        }
        false
    }

    /// Plans the next execution.
    #[inline]
    pub(super) fn plan(&mut self, plan: &mut Plan) -> Next {
        if !std::mem::replace(&mut self.started, true) {
            return Next::Run;
        }
        if !self.backtrack() {
            self.done = true;
            return Next::Done;
        }
        let depth = self.nodes.len() - 1;
        let node = &self.nodes[depth];
        let to = Planned { thread: node.thread, outcome: node.outcome, expected: None };
        self.grown.branch(depth, self.path.get(depth), &to);
        self.path.truncate(depth);
        self.path.push(to);
        plan.prefix.clear();
        plan.prefix.extend_from_slice(&self.path);
        plan.sleep_from = depth;
        plan.sleep.clear();
        plan.sleep.extend(node.sleep.iter().cloned());
        Next::Run
    }

    /// Makes nodes of the steps of an execution that are new; gives the number of the first. Are steps that were tried to sleep?
    #[inline]
    pub(super) fn learn(&mut self, trace: &Trace, sleeping: bool) -> usize {
        self.grown.learn();
        let branch = self.nodes.len().saturating_sub(1);
        for (i, step) in trace.steps.iter().enumerate().skip(branch) {
            if i >= self.nodes.len() {
                let node = self.nodes.push();
                node.left.begin(trace.enabled_words(i), step.thread);
                if sleeping && i > 0 {
                    let (above, node) = self.nodes.split_at_mut(i);
                    let (before, node) = (&above[i - 1], &mut node[0]);
                    node.sleep.extend(before.sleep.iter().cloned());
                    let accesses = &trace.steps[i - 1].accesses;
                    wake_dependent(&mut node.sleep, before.thread, accesses, &trace.objects);
                }
            }
            let node = &mut self.nodes[i];
            node.thread = step.thread;
            node.outcome = step.outcome;
            node.outcomes = step.outcomes;
            if sleeping {
                node.seen = Some(step.sleeper());
            }
            self.path.truncate(i);
            self.path.push(step.planned());
        }
        branch
    }

    pub(super) fn estimate(&self) -> Option<f64> {
        self.grown.estimate(self.done, self.counted())
    }

    pub(super) fn tree(&self) -> Option<Tree> {
        Some(self.grown.tree(self.done, self.counted()))
    }
}
