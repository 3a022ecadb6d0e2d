//! Goes along an execution and asks at each node what else could be tried there.
//!
//! The same execution may be explained in several ways: a thread that was preempted may have been let go on, and only
//! where it stands in the order of the threads has changed. So a node may be come to in several states; all of them are followed
//! along the one trace, so that no schedule is run twice.

use super::frontier::{Frontier, Item, State, States};
use super::precedence::Precedence;
use super::spent::{Bounds, Event};
use super::variable::{Naming, Variable};
use crate::fingerprint::{Fingerprints, mix};
use gordian_model::{Act, OpKind, Planned, ThreadId, ThreadSet, Trace};
use rustc_hash::{FxHashSet, FxHasher};
use std::hash::{Hash, Hasher};
use std::rc::Rc;

/// Turns executions into others to try.
#[derive(Debug, Default)]
pub(super) struct Walker {
    naming: Naming,
    fingerprints: Fingerprints,
    prefixes: Vec<u64>,
    /// For each step: the how-manieth of its thread, and what a thread that is preempted after it is preempted at.
    steps: Vec<(Event, Option<Variable>)>,
    /// For each node: the threads, of the first 64, that have come to their end.
    ended: Vec<u64>,
    /// By thread: steps so far, and the variable last touched.
    threads: Vec<(u32, Option<Variable>)>,
    /// Nodes that have been come to, each in a state. Executions of one class lead to the same state of the
    /// program, so what follows has been seen if the same is known and the same is left of the bounds (happens-before pruning:
    /// Bindal et al., section 5). Numbers of 64 bits stand for nodes: among ten million two are mistaken for each other with a probability of
    /// three in a million.
    seen: FxHashSet<u64>,
    /// Executions looked at.
    executions: u64,
    enabled: ThreadSet,
    found: Vec<(ThreadId, State)>,
}

impl Walker {
    pub(super) fn clear(&mut self) {
        self.seen.clear();
    }

    /// Asks for what else could be tried after the step that the item asked for.
    pub(super) fn walk(&mut self, trace: &Trace, item: Item, bounds: &Bounds, frontier: &mut Frontier) {
        let from = item.cut + usize::from(item.step.is_some());
        self.executions += 1;
        if trace.len() < from {
            return;
        }
        let best = item.best();
        self.look_at(trace, matches!(best.precedence, Precedence::Free));
        if best.spent.cuts.is_empty() {
            self.note_shared(trace, frontier);
        }
        let prunes = !pauses(trace);
        let mut path = Path { trace, planned: None, frontier };
        if item.is_first {
            path.other_outcomes(item.cut, &item.states);
        }
        let mut states = item.states;
        for i in from..trace.len() {
            self.enabled.assign_words(trace.enabled_words(i));
            for mut state in states.drain(..) {
                state.precedence.forget(self.ended[i]);
                if self.is_new(trace, i, &state, prunes) {
                    self.alternatives(trace, i, &state, bounds);
                }
            }
            // One execution for each thread, whatever explains that it goes.
            self.found.sort_by_key(|(thread, _)| *thread);
            for same in self.found.chunk_by(|a, b| a.0 == b.0) {
                let (thread, all) = (same[0].0, same.iter().map(|(_, state)| state.clone()).collect());
                if thread == trace.steps[i].thread {
                    path.other_outcomes(i, &all);
                    states = all;
                } else {
                    path.ask(i, (thread, 0), true, all);
                }
            }
            self.found.clear();
        }
    }

    /// Works out whose the steps are and what they touched.
    fn look_at(&mut self, trace: &Trace, remembers: bool) {
        self.naming.begin(trace);
        self.fingerprints.of_prefixes(trace, &mut self.prefixes);
        self.steps.clear();
        self.threads.fill((0, None));
        let mut ended = 0;
        self.ended.clear();
        self.ended.push(ended);
        for step in &trace.steps {
            for exit in step.accesses.iter().filter(|a| a.act == Act::Exit) {
                ended |= exit.object.as_life().and_then(|t| 1u64.checked_shl(t.0)).unwrap_or(0);
            }
            self.ended.push(ended);
            let i = step.thread.index();
            if self.threads.len() <= i {
                self.threads.resize(i + 1, (0, None));
            }
            let (nth, last) = &mut self.threads[i];
            *nth += 1;
            let touched = self.naming.variable(step.object);
            // In an order of threads it is the change that counts, which can be made as well at the access before.
            let variable = if remembers { touched.or(*last).or(Some(Variable::NOTHING)) } else { touched };
            *last = touched.or(*last);
            self.steps.push(((step.thread, *nth), variable));
        }
    }

    fn note_shared(&mut self, trace: &Trace, frontier: &mut Frontier) {
        let mut users: Vec<(Variable, ThreadId)> = Vec::new();
        for step in &trace.steps {
            let Some(variable) = self.naming.variable(step.object) else { continue };
            match users.iter().find(|(v, _)| v.object == variable.object) {
                None => users.push((variable, step.thread)),
                Some(&(_, thread)) if thread != step.thread => {
                    frontier.shared.insert(variable.name);
                }
                Some(_) => {}
            }
        }
    }

    fn is_new(&mut self, trace: &Trace, i: usize, state: &State, prunes: bool) -> bool {
        let mut hasher = FxHasher::default();
        if prunes {
            self.prefixes[i].hash(&mut hasher);
            trace.enabled_words(i).hash(&mut hasher);
        } else {
            (self.executions, i).hash(&mut hasher);
        }
        i.checked_sub(1).map(|last| trace.steps[last].thread).hash(&mut hasher);
        state.precedence.hash(&mut hasher);
        state.spent.cuts.len().hash(&mut hasher);
        let mut key = mix(hasher.finish());
        for (_, event) in &state.spent.variables {
            let mut hasher = FxHasher::default();
            event.hash(&mut hasher);
            key = key.wrapping_add(mix(hasher.finish()));
        }
        self.seen.insert(key)
    }

    /// Who may go at node `i`, in `found`.
    fn alternatives(&mut self, trace: &Trace, i: usize, state: &State, bounds: &Bounds) {
        let Walker { enabled, found, steps, .. } = self;
        let State { spent, precedence } = state;
        let before = i.checked_sub(1).map(|last| &trace.steps[last]);
        // An order of the threads lets one go that would only time out, and there it can be changed too.
        let free = matches!(precedence, Precedence::Free);
        let last = before.filter(|step| {
            if free { trace.steps[i].goes_on } else { enabled.contains(step.thread) && !step.kind.is_pause() }
        });
        precedence.next(enabled, last.map(|step| step.thread), |thread, precedence| {
            found.push((thread, State { spent: spent.clone(), precedence }));
        });
        let Some(last) = last else { return };
        let (event, Some(variable)) = steps[i - 1] else { return };
        if let Some(more) = spent.and(variable, event, bounds) {
            precedence.preempting(enabled, last.thread, spent.cuts.len(), |thread, precedence| {
                found.push((thread, State { spent: more.clone(), precedence }));
            });
        }
    }
}

/// Does somebody pause or time out? Then who is enabled may depend on more than what happened before what.
fn pauses(trace: &Trace) -> bool {
    use OpKind::{ParkTimed, ReceiveTimed, WakeTimed};
    trace.steps.iter().any(|s| s.kind.is_pause() || matches!(s.kind, ParkTimed | ReceiveTimed | WakeTimed))
}

/// An execution that others depart from.
struct Path<'a> {
    trace: &'a Trace,
    /// Its choices, once they are needed.
    planned: Option<Rc<[Planned]>>,
    frontier: &'a mut Frontier,
}

impl Path<'_> {
    fn other_outcomes(&mut self, i: usize, states: &States) {
        let step = &self.trace.steps[i];
        for outcome in (0..step.outcomes).filter(|&o| o != step.outcome) {
            self.ask(i, (step.thread, outcome), false, states.clone());
        }
    }

    fn ask(&mut self, cut: usize, step: (ThreadId, u32), is_first: bool, states: States) {
        if !states.is_empty() {
            let path = self.planned.get_or_insert_with(|| self.trace.choices().collect()).clone();
            self.frontier.push(Item { path, cut, step: Some(step), is_first, states });
        }
    }
}
