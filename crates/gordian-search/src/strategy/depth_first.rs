//! Depth first: every choice at every node, last node first; with sleep sets if wanted.
//!
//! With sleep sets a thread that has been explored from a node sleeps while its siblings are, until something
//! it depends on happens (Godefroid, "Partial-Order Methods", chapter 5).

use super::{Next, Strategy};
use gordian_model::conductor::wake_dependent;
use gordian_model::{Plan, Planned, Sleeper, ThreadId, ThreadSet, Trace};

#[derive(Debug, Default)]
struct Node {
    thread: ThreadId,
    outcome: u32,
    outcomes: u32,
    /// Enabled threads that were not asleep and have not been tried.
    left: ThreadSet,
    /// Asleep here; grows as threads are done.
    sleep: Vec<Sleeper>,
    /// What the current thread's step touched, for each outcome tried.
    seen: Vec<Sleeper>,
}

/// Depth-first search.
#[derive(Debug)]
pub(super) struct DepthFirst {
    sleeping: bool,
    started: bool,
    nodes: Vec<Node>,
    path: Vec<Planned>,
    /// Nodes whose subtree is done, for their memory.
    spare: Vec<Node>,
}

impl DepthFirst {
    pub(super) fn new(sleeping: bool) -> DepthFirst {
        DepthFirst { sleeping, started: false, nodes: Vec::new(), path: Vec::new(), spare: Vec::new() }
    }

    /// Goes back to the last node with something left to try; `false` if there is none.
    fn backtrack(&mut self) -> bool {
        while let Some(node) = self.nodes.last_mut() {
            if node.outcome + 1 < node.outcomes {
                node.outcome += 1;
                return true;
            }
            if let Some(thread) = node.left.pop() {
                node.sleep.append(&mut node.seen);
                node.thread = thread;
                node.outcome = 0;
                return true;
            }
            let mut node = self.nodes.pop().expect("just seen");
            node.sleep.clear();
            node.seen.clear();
            self.spare.push(node);
        }
        false
    }
}

impl Strategy for DepthFirst {
    fn plan(&mut self, plan: &mut Plan) -> Next {
        if !std::mem::replace(&mut self.started, true) {
            return Next::Run;
        }
        if !self.backtrack() {
            return Next::Done;
        }
        let depth = self.nodes.len() - 1;
        let node = &self.nodes[depth];
        self.path.truncate(depth);
        self.path.push(Planned { thread: node.thread, outcome: node.outcome, expected: None });
        plan.prefix.clear();
        plan.prefix.extend_from_slice(&self.path);
        plan.sleep_from = depth;
        plan.sleep.clear();
        if self.sleeping {
            plan.sleep.extend(node.sleep.iter().cloned());
        }
        Next::Run
    }

    fn learn(&mut self, trace: &Trace) {
        let branch = self.nodes.len().saturating_sub(1);
        for (i, step) in trace.steps.iter().enumerate().skip(branch) {
            if i >= self.nodes.len() {
                let mut node = self.spare.pop().unwrap_or_default();
                if self.sleeping && i > 0 {
                    let before = &self.nodes[i - 1];
                    node.sleep.extend(before.sleep.iter().cloned());
                    wake_dependent(&mut node.sleep, before.thread, &trace.steps[i - 1].accesses);
                }
                node.left = trace.enabled(i);
                node.left.remove(step.thread);
                for sleeper in &node.sleep {
                    node.left.remove(sleeper.thread);
                }
                node.thread = step.thread;
                node.outcome = step.outcome;
                self.nodes.push(node);
            }
            let node = &mut self.nodes[i];
            node.outcomes = step.outcomes;
            if self.sleeping {
                node.seen.push(Sleeper { thread: step.thread, accesses: step.accesses.clone() });
            }
            self.path.truncate(i);
            self.path.push(step.planned());
        }
    }
}
