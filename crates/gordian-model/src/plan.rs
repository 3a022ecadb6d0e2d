//! Plans: what an execution is to do, as data.

use crate::access::{Access, Accesses, copied, dependent};
use crate::file::{self, FileError};
use crate::id::{ObjectId, SiteId, ThreadId};
use crate::input::{Input, Inputs};
use crate::insight::Insight;
use crate::names::Names;
use crate::op::OpKind;
use crate::policy::Policy;
use crate::race::Races;
use crate::trace::ObjectInfo;
use serde::{Deserialize, Serialize};
use std::path::Path;

/// One choice to repeat, with what is expected to happen there.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Planned {
    /// The thread that steps.
    pub thread: ThreadId,
    /// The outcome of its op.
    pub outcome: u32,
    /// The op it announced when this was recorded, and where it stood; unknown for a step not seen yet.
    pub expected: Option<(OpKind, SiteId)>,
}

/// A choice that departs from what the policy would do at one step. Between deviations an execution follows its policy, so
/// a few of them name a whole execution (Coons, Burckhardt, Musuvathi, "GAMBIT", PPoPP 2010, section 3.2).
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Deviation {
    /// The number of the choice, see [`Trace::choice`](crate::Trace::choice).
    pub choice: u32,
    /// What happens there.
    pub planned: Planned,
}

/// An outcome of a thread's next step that need not be tried until something it depends on happens, because what
/// follows from here has been seen already (sleep sets; Godefroid).
#[derive(PartialEq, Debug, Serialize, Deserialize)]
pub struct Sleeper {
    /// The thread.
    pub thread: ThreadId,
    /// The op it has announced, and where it stands.
    pub expected: (OpKind, SiteId),
    /// The outcome of its next step...
    pub outcome: u32,
    /// ...out of so many.
    pub outcomes: u32,
    /// What the step touched.
    pub accesses: Accesses,
    /// Preemptions are counted: it wakes also when a thread comes to a stop that it might have kept from stopping. Some of
    /// what it touched may be known only by the place where it was created
    /// ([`ObjectId::from_site`](crate::ObjectId::from_site)).
    #[serde(default)]
    pub bounded: bool,
}

impl Clone for Sleeper {
    #[inline]
    fn clone(&self) -> Sleeper {
        Sleeper { accesses: copied(&self.accesses), ..*self }
    }
}

impl Sleeper {
    /// Does it depend on a step that touched this, in an execution with these objects?
    #[inline]
    pub fn depends_on(&self, accesses: &[Access], objects: &[ObjectInfo]) -> bool {
        dependent(&self.accesses, accesses) || (self.bounded && self.may_depend_on(accesses, objects))
    }

    /// One object or another from the same place, it may be the same.
    #[cold]
    fn may_depend_on(&self, accesses: &[Access], objects: &[ObjectInfo]) -> bool {
        let created = |object: ObjectId| objects.get(object.index()).map(|info| info.site);
        self.accesses.iter().filter_map(|a| Some((a, a.object.as_site()?))).any(|(a, site)| {
            let here = accesses.iter().filter(|b| created(b.object) == Some(site));
            here.into_iter().any(|b| dependent(&[*a], &[Access { object: a.object, ..*b }]))
        })
    }

    /// Might it let a thread go that waits at this object?
    pub fn touches(&self, object: ObjectId, objects: &[ObjectInfo]) -> bool {
        let created =
            |object: ObjectId| object.as_site().or_else(|| objects.get(object.index()).map(|info| info.site));
        self.accesses.iter().any(|a| {
            // A channel takes up several numbers, all from one place.
            a.object == object || (object.as_life().is_none() && created(a.object) == created(object))
        })
    }
}

/// Limits on one execution.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Limits {
    /// The most steps an execution may take.
    pub steps: u32,
    /// How often a thread may pause (yield, spin hint, sleep, a timeout that runs out) without getting anywhere before
    /// the others go first.
    pub fair_rounds: u32,
}

impl Default for Limits {
    fn default() -> Self {
        Limits { steps: 20_000, fair_rounds: 4 }
    }
}

/// Which of the permitted behaviours of the primitives are tried.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Options {
    /// `compare_exchange_weak` may fail although the value is the expected one.
    pub weak_failures: bool,
    /// A condition variable may wake a waiter that nobody notified.
    pub spurious_wakeups: bool,
    /// Values that are never dropped are failures.
    pub leaks: bool,
    /// Counting references up and down are steps of their own. Needed only when the program looks at a
    /// count, so a search begins without and starts again when it does.
    pub count_steps: bool,
    /// Keep the clocks by which data races are judged. Needed only when the program has cells, so a search begins
    /// without and starts again when it meets one.
    pub clocks: bool,
    /// The end of a thread is a step of its own, not part of its last. Needed only when the program asks whether
    /// a thread has ended, because then it matters which step is the last; so a search begins without and starts again
    /// when it does.
    pub end_steps: bool,
    /// Threads look, where they can be called out of what they do, whether others want them to end. Needed only when one asks another
    /// to end, so a search begins without and starts again when one does.
    pub cancels: bool,
    /// What becomes of data races.
    pub races: Races,
    /// Where times and random numbers come from.
    pub inputs: Inputs,
}

impl Default for Options {
    fn default() -> Self {
        Options {
            weak_failures: false,
            spurious_wakeups: false,
            leaks: true,
            count_steps: false,
            clocks: false,
            end_steps: false,
            cancels: false,
            races: Races::Fail,
            inputs: Inputs::Virtual,
        }
    }
}

/// What an execution is to do.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Plan {
    /// The test this plan is for; empty if it was not said.
    pub program: String,
    /// The names that the prefix uses, when the plan has left its search.
    pub names: Option<Names>,
    /// The choices to repeat.
    pub prefix: Vec<Planned>,
    /// A sleep set...
    pub sleep: Vec<Sleeper>,
    /// ...and the number of the step before which it holds.
    pub sleep_from: usize,
    /// What to do after it.
    pub policy: Policy,
    /// Where to depart from the policy after the prefix, in order. The policy has to be [`Policy::RunOn`], which does the
    /// same in every execution.
    pub deviations: Vec<Deviation>,
    /// What is said the first times that a thread's state is compared with that of a round before, if there are deviations. It depends
    /// on what earlier executions left on the stack, too, and on it who goes next: so who names an execution by its deviations says it, too.
    #[serde(skip)]
    pub comparisons: Vec<bool>,
    /// The limits.
    pub limits: Limits,
    /// Which behaviours are tried.
    pub options: Options,
    /// Places whose plain accesses are steps, as the target knows them: those of data races that were met so far.
    pub points: Vec<u64>,
    /// What the execution that is repeated got from outside; nothing if that is made up.
    pub inputs: Vec<Input>,
    /// The plan repeats a whole execution; going on beyond the prefix is a departure.
    pub replay: bool,
    /// Where the prefix cannot be followed, the execution goes on by the policy; else that is a failure.
    pub lenient: bool,
    /// What is known about the execution that it repeats.
    pub insight: Insight,
}

impl Plan {
    /// Reads a plan, from a plan file or from the recording of a failure.
    pub fn load(path: impl AsRef<Path>) -> Result<Plan, FileError> {
        Ok(file::load(path.as_ref())?.plan)
    }

    /// Writes the plan to a file of its own.
    pub fn save(&self, path: impl AsRef<Path>) -> Result<(), FileError> {
        file::Recording::of(self.clone()).save(path.as_ref())
    }
}
