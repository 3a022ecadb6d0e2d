//! Depth first: every choice at every node, last node first; with sleep sets if wanted.
//!
//! With sleep sets a step that has been explored from a node sleeps while its siblings are, until something
//! it depends on happens (Godefroid, "Partial-Order Methods", chapter 5). Each outcome of an op is a step of its own.

use super::dpor::{Dpor, Sets};
use super::grown::Grown;
use super::optimal::Optimal;
use super::recycled::{Recycle, Recycled};
use super::stack::Stack;
use super::{Next, Strategy};
use crate::search::{Maker, Text, Word, Wrong};
use gordian_model::conductor::wake_dependent;
use gordian_model::{Failure, Plan, Planned, Sleeper, ThreadId, ThreadSet, Trace, Tree};
use std::cell::RefCell;
use std::sync::Arc;
use std::thread::LocalKey;

pub(crate) const WORD: Word = Word { name: "dfs", usage: USAGE, read };

const USAGE: &[&str] =
    &["dfs", "dfs:none", "dfs:sleep", "dfs:dpor", "dfs:source", "dfs:observers", "dfs:optimal"];

fn read(text: Text<'_>) -> Result<Maker, Wrong> {
    Ok(match text.as_str() {
        "" | "none" => Arc::new(|_| Box::new(Recycled::<DepthFirst>::new(|s| s.sleeping = false))),
        "sleep" => Arc::new(|_| Box::new(Recycled::<DepthFirst>::new(|s| s.sleeping = true))),
        "dpor" => dpor(Sets::Persistent, false),
        "source" => dpor(Sets::Source, false),
        "observers" => dpor(Sets::Source, true),
        "optimal" => Arc::new(|_| Box::new(Recycled::<Optimal>::new(|_| ()))),
        _ => {
            return Err(text.none_of(["none", "sleep", "dpor", "source", "observers", "optimal"].into_iter()));
        }
    })
}

fn dpor(sets: Sets, observers: bool) -> Maker {
    Arc::new(move |_| Box::new(Recycled::<Dpor>::new(|s| (s.sets, s.observers) = (sets, observers))))
}

#[derive(Debug, Default)]
struct Node {
    thread: ThreadId,
    outcome: u32,
    outcomes: u32,
    /// Branches that are done with.
    tried: u32,
    /// Enabled threads that have not been tried.
    left: ThreadSet,
    /// Asleep here; grows as steps are done.
    sleep: Vec<Sleeper>,
    /// The current step.
    seen: Option<Sleeper>,
}

impl Node {
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

/// Depth-first search.
#[derive(Debug, Default)]
pub(super) struct DepthFirst {
    pub(super) sleeping: bool,
    started: bool,
    done: bool,
    nodes: Stack<Node>,
    path: Vec<Planned>,
    grown: Grown,
}

impl Recycle for DepthFirst {
    fn place() -> &'static LocalKey<RefCell<Option<Box<Self>>>> {
        thread_local!(static PLACE: RefCell<Option<Box<DepthFirst>>> = const { RefCell::new(None) });
        &PLACE
    }

    fn reset(&mut self) {
        self.started = false;
        self.done = false;
        self.grown.clear();
        while let Some(node) = self.nodes.last_mut() {
            node.clear();
            self.nodes.pop();
        }
        self.path.clear();
    }
}

impl DepthFirst {
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
}

impl Strategy for DepthFirst {
    fn plan(&mut self, plan: &mut Plan) -> Next {
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

    fn learn(&mut self, trace: &Trace) -> Result<(), Failure> {
        self.grown.learn();
        let branch = self.nodes.len().saturating_sub(1);
        for (i, step) in trace.steps.iter().enumerate().skip(branch) {
            if i >= self.nodes.len() {
                let node = self.nodes.push();
                node.left.assign_words(trace.enabled_words(i));
                node.left.remove(step.thread);
                if self.sleeping && i > 0 {
                    let (above, node) = self.nodes.split_at_mut(i);
                    let (before, node) = (&above[i - 1], &mut node[0]);
                    node.sleep.extend(before.sleep.iter().cloned());
                    wake_dependent(
                        &mut node.sleep,
                        before.thread,
                        &trace.steps[i - 1].accesses,
                        &trace.objects,
                    );
                }
            }
            let node = &mut self.nodes[i];
            node.thread = step.thread;
            node.outcome = step.outcome;
            node.outcomes = step.outcomes;
            if self.sleeping {
                node.seen = Some(step.sleeper());
            }
            self.path.truncate(i);
            self.path.push(step.planned());
        }
        Ok(())
    }

    fn estimate(&self) -> Option<f64> {
        self.grown.estimate(self.done, self.counted())
    }

    fn tree(&self) -> Option<Tree> {
        Some(self.grown.tree(self.done, self.counted()))
    }
}
