//! Random priorities with a few random changes (PCT: Burckhardt, Kothari, Musuvathi, Nagarakatte, "A randomized
//! scheduler with probabilistic guarantees of finding bugs", ASPLOS 2010).
//!
//! The threads are in random order of priority, and at D - 1 random steps the thread that has just stepped falls below all others.
//! With at most n threads and k steps each run finds a bug of depth D, one that D ordering constraints suffice to
//! provoke, with probability at least 1 / (n k^(D-1)) (section 3, theorem 9).

use super::sentence::Record;
use super::{Draws, priorities};
use crate::guarantee::count;
use crate::search::{Maker, Text, Word, Wrong};
use crate::strategy::{Next, Proved, Strategy};
use gordian_model::{Change, Failure, Moment, Plan, Trace};
use std::sync::Arc;

pub(crate) const PCT: Word = Word { name: "pct", usage: &["pct:D"], read };

fn read(text: Text<'_>) -> Result<Maker, Wrong> {
    let depth = depth(text)?;
    Ok(Arc::new(move |setting| {
        Box::new(Pct { draws: Draws::new(setting), depth, steps: 0, record: Record::default() })
    }))
}

/// Change points have priorities below those of threads, and one is looked for at each step.
const DEEPEST: u32 = 100;

pub(super) fn depth(text: Text<'_>) -> Result<u32, Wrong> {
    let depth = text.number(1, "the depth of the bug")?;
    if depth > DEEPEST { Err(text.wrong(format!("the depth is at most {DEEPEST}"))) } else { Ok(depth) }
}

struct Pct {
    draws: Draws,
    depth: u32,
    /// The most steps that an execution has had.
    steps: u32,
    record: Record,
}

impl Pct {
    /// Takes in an execution; `true` if it had no more steps than runs are drawn for. Without changes it does not matter how
    /// many there are.
    fn take_in(&mut self, trace: &Trace) -> bool {
        let steps = trace.len() as u32;
        let fits = steps <= self.steps || self.depth == 1;
        self.steps = self.steps.max(steps);
        self.record.add(trace, fits);
        fits
    }
}

impl Strategy for Pct {
    fn plan(&mut self, plan: &mut Plan) -> Next {
        let mut chance = self.draws.next(plan);
        let priorities = priorities(plan);
        // Threads that are not listed get random priorities, so the first n are in random order whoever they are.
        priorities.seed = chance.next();
        if self.steps > 0 {
            for to in 1..self.depth {
                let after = Moment::Step(1 + chance.below(self.steps.into()) as u32);
                priorities.changes.push(Change { after, to });
            }
            priorities.changes.sort_unstable_by_key(|change| match change.after {
                Moment::Step(n) => (n, change.to),
                _ => unreachable!("all are for a number of steps"),
            });
        }
        Next::Run
    }

    fn learn(&mut self, trace: &Trace) -> Result<(), Failure> {
        let fits = self.take_in(trace);
        self.record.runs += u64::from(fits);
        Ok(())
    }

    fn witness(&mut self, trace: &Trace) {
        self.take_in(trace);
    }

    fn proved(&self, _: bool) -> Proved {
        let Pct { depth, steps, .. } = *self;
        let chance = 1.0 / (f64::from(self.record.threads) * f64::from(steps).powi(depth as i32 - 1));
        let bug = format!("a bug of depth {depth}");
        self.record.proved(&bug, chance, &count(steps.into(), "step"), "threads or steps")
    }

    fn is_endless(&self) -> bool {
        true
    }
}
