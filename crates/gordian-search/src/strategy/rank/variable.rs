//! Variables: the objects at whose accesses threads may be preempted.
//!
//! Within an execution an object is known by its number. Over executions it has a name: the place where it was created,
//! and the how-manieth of that place it is, in the order of first use (Bindal et al., section 2.4). Names decide what is tried
//! first, and with a bound on loops what is left out; two objects of one place may swap theirs from one execution to
//! another. How many variables an execution preempts at is counted by number.

use gordian_model::object::Channel;
use gordian_model::{ObjectId, ObjectKind, SiteId, Trace};
use rustc_hash::FxHashMap;

/// What a variable is called over all executions.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(crate) struct Name {
    pub(crate) site: SiteId,
    /// Counts from one.
    pub(crate) nth: u32,
}

/// A variable in an execution.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Variable {
    pub(crate) object: ObjectId,
    pub(crate) name: Name,
}

impl Variable {
    /// What a thread is preempted at that has touched nothing yet.
    pub(super) const NOTHING: Variable =
        Variable { object: ObjectId::NONE, name: Name { site: SiteId::UNKNOWN, nth: 1 } };
}

/// The variables of an execution.
#[derive(Debug, Default)]
pub(super) struct Naming {
    variables: Vec<Variable>,
    counts: FxHashMap<SiteId, u32>,
}

impl Naming {
    pub(super) fn begin(&mut self, trace: &Trace) {
        self.variables.clear();
        self.counts.clear();
        while let Some(info) = trace.objects.get(self.variables.len()) {
            // A channel is one variable with several numbers.
            let numbers = if info.kind == ObjectKind::Channel { Channel::NUMBERS } else { 1 };
            let count = self.counts.entry(info.site).or_default();
            *count += 1;
            let name = Name { site: info.site, nth: *count };
            let variable = Variable { object: ObjectId(self.variables.len() as u32), name };
            self.variables.extend((0..numbers).map(|_| variable));
        }
    }

    /// The variable that an object is, if it is one. The life of a thread is.
    pub(super) fn variable(&self, object: ObjectId) -> Option<Variable> {
        if object.as_life().is_some() {
            return Some(Variable { object, ..Variable::NOTHING });
        }
        self.variables.get(object.index()).copied()
    }
}
