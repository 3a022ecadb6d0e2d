//! What an execution has used up of the bounds.

use super::variable::{Name, Variable};
use crate::guarantee::count;
use gordian_model::ThreadId;
use smallvec::SmallVec;

/// How far a search goes.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) struct Bounds {
    /// Preemptions are made at accesses to so many variables.
    pub(crate) variables: usize,
    /// At most so many preemptions.
    pub(crate) preemptions: usize,
    /// Only at the first so many variables of each place in the source.
    pub(crate) loops: Option<u32>,
}

impl Bounds {
    /// The same bounds, said with the least numbers: no variables, no preemptions, and the other way round.
    pub(super) fn normal(self) -> Bounds {
        let preemptions = if self.variables == 0 { 0 } else { self.preemptions };
        Bounds { preemptions, variables: self.variables.min(preemptions), ..self }
    }

    fn variables(&self) -> String {
        let objects = count(self.variables as u64, "object");
        match self.loops {
            None => format!("at most {objects}"),
            Some(1) => format!("at most {objects} that is the first of its place in the source"),
            Some(l) => format!("at most {objects} among the first {l} of each place in the source"),
        }
    }

    /// "with at most 3 preemptions, all just after accesses to at most 1 object".
    pub(super) fn of_preemptions(&self) -> String {
        match self.preemptions {
            0 => "without preemptions".to_owned(),
            c => {
                let preemptions = count(c as u64, "preemption");
                // With as many variables as preemptions they are no bound.
                if self.variables == c && self.loops.is_none() {
                    return format!("with at most {preemptions}");
                }
                format!("with at most {preemptions}, all just after accesses to {}", self.variables())
            }
        }
    }

    /// "an order of 2 threads that changes at most 2 times, just after accesses to at most 1 object".
    pub(super) fn of_order(&self, threads: &str) -> String {
        match self.preemptions {
            0 => format!("an order of {threads}"),
            c => {
                let times = if c == 1 { "once".to_owned() } else { format!("{c} times") };
                format!(
                    "an order of {threads} that changes at most {times}, just after accesses to {}",
                    self.variables()
                )
            }
        }
    }
}

/// A step of a thread, the how-manieth from one: the same in equivalent executions.
pub(crate) type Event = (ThreadId, u32);

/// The preemptions made so far.
#[derive(Clone, PartialEq, Debug, Default)]
pub(crate) struct Spent {
    /// Just after which steps.
    pub(crate) cuts: SmallVec<[Event; 4]>,
    /// At which variables, each with the first step that it was for.
    pub(super) variables: SmallVec<[(Variable, Event); 2]>,
}

impl Spent {
    /// With one more preemption, if the bounds allow it.
    pub(super) fn and(&self, variable: Variable, after: Event, bounds: &Bounds) -> Option<Spent> {
        let known = self.variables.iter().any(|(v, _)| v.object == variable.object);
        if self.cuts.len() == bounds.preemptions
            || (!known && self.variables.len() == bounds.variables)
            || bounds.loops.is_some_and(|most| variable.name.nth > most)
        {
            return None;
        }
        let mut spent = self.clone();
        spent.cuts.push(after);
        if !known {
            spent.variables.push((variable, after));
        }
        Some(spent)
    }

    /// The names of the variables, in order.
    pub(super) fn names(&self) -> SmallVec<[Name; 2]> {
        let mut names: SmallVec<[Name; 2]> = self.variables.iter().map(|(v, _)| v.name).collect();
        names.sort_unstable();
        names
    }
}
