//! Depth first with sets of threads that are enough: persistent sets found on the way, and source sets.
//!
//! A node begins with one thread. When an execution below it shows that a later step races with the one taken there,
//! a thread is added that may lead to the other order. For `dpor` that is the thread of the later step, or of one that leads to
//! it if there are such, or every enabled one if none of them is (Flanagan, Godefroid, "Dynamic partial-order reduction
//! for model checking software", POPL 2005). For `source` nothing is added if some thread that is there already can begin what reverses the race; otherwise
//! one that can is (Abdulla, Aronis, Jonsson, Sagonas, "Source sets", JACM 2017, section 4). Both use sleep sets, so no two
//! executions that come to their end are equivalent, but some are cut off.
//!
//! `observers` uses source sets too, but races of writes that nobody sees are no races. A sleeping write still wakes at any
//! other to the same object, because it is not known yet who will see them; so some executions differ only in such writes.

use super::grown::Grown;
use super::recycled::Recycle;
use super::stack::Stack;
use super::{Next, Strategy};
use crate::observers::Observed;
use crate::order::{Order, Race};
use gordian_model::conductor::wake_dependent;
use gordian_model::{Failure, Plan, Planned, Sleeper, ThreadId, ThreadSet, Trace, Tree};
use std::cell::RefCell;
use std::thread::LocalKey;

/// Which threads are enough.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) enum Sets {
    #[default]
    Persistent,
    Source,
}

#[derive(Debug, Default)]
struct Node {
    thread: ThreadId,
    outcome: u32,
    outcomes: u32,
    /// Branches that are done with.
    tried: u32,
    enabled: ThreadSet,
    /// To be tried from here.
    wanted: ThreadSet,
    /// Tried, or being tried.
    done: ThreadSet,
    /// Asleep here; grows as steps are done.
    sleep: Vec<Sleeper>,
    /// The current step.
    seen: Option<Sleeper>,
}

impl Node {
    fn clear(&mut self) {
        self.wanted.clear();
        self.done.clear();
        self.sleep.clear();
        self.seen = None;
        self.tried = 0;
    }

    /// Branches that are left to try, as far as that is known.
    fn untried(&self) -> u32 {
        let asleep = |thread, outcome| self.sleep.iter().any(|s| s.thread == thread && s.outcome == outcome);
        let outcomes = (self.outcome + 1..self.outcomes).filter(|&o| !asleep(self.thread, o)).count();
        let wanted = self.wanted.iter().filter(|&t| !self.done.contains(t) && !asleep(t, 0)).count();
        (outcomes + wanted) as u32
    }

    /// The thread is to be tried from here, or everybody if it cannot be.
    fn want(&mut self, thread: ThreadId) {
        if self.enabled.contains(thread) {
            self.wanted.insert(thread);
        } else {
            self.wanted.clone_from(&self.enabled);
        }
    }

    /// Goes on to the next step from here that is wanted and not asleep.
    fn next(&mut self) -> bool {
        self.tried += 1;
        self.sleep.extend(self.seen.take());
        let asleep = |thread, outcome| self.sleep.iter().any(|s| s.thread == thread && s.outcome == outcome);
        if let Some(outcome) = (self.outcome + 1..self.outcomes).find(|&o| !asleep(self.thread, o)) {
            self.outcome = outcome;
            return true;
        }
        while let Some(thread) = self.wanted.iter().find(|&t| !self.done.contains(t)) {
            self.done.insert(thread);
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

/// The search.
#[derive(Debug, Default)]
pub(super) struct Dpor {
    pub(super) sets: Sets,
    /// Writes conflict only if the later one is read.
    pub(super) observers: bool,
    observed: Observed,
    started: bool,
    finished: bool,
    nodes: Stack<Node>,
    path: Vec<Planned>,
    grown: Grown,
    order: Order,
    races: Vec<Race>,
    /// Steps that reverse a race.
    steps: Vec<usize>,
}

impl Recycle for Dpor {
    fn place() -> &'static LocalKey<RefCell<Option<Box<Self>>>> {
        thread_local!(static PLACE: RefCell<Option<Box<Dpor>>> = const { RefCell::new(None) });
        &PLACE
    }

    fn reset(&mut self) {
        self.started = false;
        self.finished = false;
        self.grown.clear();
        while let Some(node) = self.nodes.last_mut() {
            node.clear();
            self.nodes.pop();
        }
        self.path.clear();
        self.order.truncate(0);
    }
}

impl Dpor {
    /// Of each node, how many branches were done with, and how many there are, as far as that is known.
    fn counted(&self) -> impl Iterator<Item = (u32, u32)> + '_ {
        self.nodes.iter().map(|node| (node.tried, node.tried + 1 + node.untried()))
    }

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

    /// Adds to the node before `earlier` what may lead to the other order of the race.
    fn reverse(&mut self, (earlier, later): Race, trace: &Trace) {
        let node = &mut self.nodes[earlier];
        if self.sets == Sets::Persistent {
            let waits = trace.steps[later].accesses.iter().any(|a| a.act.waits());
            for let_go in [true, false].into_iter().take(1 + usize::from(waits)) {
                self.order.leading(&trace.steps, earlier, later, let_go, &mut self.steps);
                node.want(trace.steps[self.steps[0]].thread);
            }
            return;
        }
        self.order.without(earlier, later, &mut self.steps);
        let is_first = |k: usize| {
            let step = self.steps[k];
            self.steps[..k].iter().all(|&s| !self.order.before(s, step))
        };
        let begins = |k: usize| node.wanted.contains(trace.steps[self.steps[k]].thread) && is_first(k);
        if !(0..self.steps.len()).any(begins) {
            node.want(trace.steps[self.steps[0]].thread);
        }
    }
}

impl Strategy for Dpor {
    fn plan(&mut self, plan: &mut Plan) -> Next {
        if !std::mem::replace(&mut self.started, true) {
            return Next::Run;
        }
        if !self.backtrack() {
            self.finished = true;
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
                node.enabled.assign_words(trace.enabled_words(i));
                node.wanted.insert(step.thread);
                node.done.insert(step.thread);
                if i > 0 {
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
            node.seen = Some(step.sleeper());
            self.path.truncate(i);
            self.path.push(step.planned());
        }
        let mut races = std::mem::take(&mut self.races);
        // What is read at the end may make races of writes at the beginning.
        self.order.truncate(if self.observers { 0 } else { branch });
        let steps = if self.observers { self.observed.steps(trace) } else { &trace.steps };
        while self.order.len() < trace.len() {
            self.order.push(steps, &mut races);
        }
        for race in races.drain(..) {
            self.reverse(race, trace);
        }
        self.races = races;
        // Where everything else sleeps, blocked threads do not show what they would have raced with.
        for (at, thread) in trace.kept_waiting() {
            if !self.order.last_of(thread).is_some_and(|last| self.order.before(at, last)) {
                self.nodes[at].want(thread);
            }
        }
        Ok(())
    }

    fn estimate(&self) -> Option<f64> {
        self.grown.estimate(self.finished, self.counted())
    }

    fn tree(&self) -> Option<Tree> {
        Some(self.grown.tree(self.finished, self.counted()))
    }
}
