//! The beginning of an execution, kept small.

use gordian_model::{Planned, Step, ThreadId};
use rustc_hash::FxHasher;
use std::hash::{Hash, Hasher};

/// Steps of one thread in a row, with the same outcome.
#[derive(Clone, Copy, Debug)]
struct Run {
    thread: ThreadId,
    outcome: u32,
    steps: u32,
}

/// The choices that lead somewhere.
#[derive(Debug, Default)]
pub(super) struct Path {
    runs: Vec<Run>,
    /// For each step, and the one after, whether the thread of the step before could have gone on.
    goes_on: Vec<bool>,
    /// What was done on the way.
    hash: u64,
}

impl Path {
    pub(super) fn assign(&mut self, steps: &[Step], goes_on: &[bool]) {
        self.goes_on.clear();
        self.goes_on.extend_from_slice(goes_on);
        self.runs.clear();
        for step in steps {
            match self.runs.last_mut() {
                Some(run) if run.thread == step.thread && run.outcome == step.outcome => run.steps += 1,
                _ => self.runs.push(Run { thread: step.thread, outcome: step.outcome, steps: 1 }),
            }
        }
        self.hash = hash(steps);
    }

    /// The memory it takes up.
    pub(super) fn bytes(&self) -> usize {
        self.runs.capacity() * size_of::<Run>() + self.goes_on.capacity()
    }

    /// For each step, and the one after, whether the thread of the step before could have gone on.
    pub(super) fn goes_on(&self) -> &[bool] {
        &self.goes_on
    }

    /// Are these the steps that were on the way?
    pub(super) fn is(&self, steps: &[Step]) -> bool {
        self.hash == hash(steps)
    }

    /// Makes `path`, the choices of another execution, those of this path; gives how many they have in common.
    pub(super) fn redirect(&self, path: &mut Vec<Planned>) -> usize {
        let choices =
            self.runs.iter().flat_map(|r| std::iter::repeat_n((r.thread, r.outcome), r.steps as usize));
        let mut common = None;
        let mut len = 0;
        for (thread, outcome) in choices {
            if common.is_none() && path.get(len).is_none_or(|p| p.thread != thread || p.outcome != outcome) {
                common = Some(len);
                path.truncate(len);
            }
            if common.is_some() {
                path.push(Planned { thread, outcome, expected: None });
            }
            len += 1;
        }
        path.truncate(len);
        common.unwrap_or(len)
    }
}

fn hash(steps: &[Step]) -> u64 {
    let mut hasher = FxHasher::default();
    for step in steps {
        (step.thread, step.kind, step.outcome, step.site).hash(&mut hasher);
    }
    hasher.finish()
}
