//! Looking into a failure as soon as it is found: making it small, and finding the steps whose order decides.

use crate::settings::Settings;
use gordian_model::{FailureKind, Insight, Plan, Trace};
use gordian_search::{Effort, Target, decisive, minimise};

/// The most executions to make a failure small with, if nothing is said.
const EXECUTIONS: u64 = 1_000;
/// An execution that was found first is kept if it has no more steps than this.
const KEPT: usize = 2_000;

/// A failing execution, and what was found out about it.
pub(crate) struct Looked {
    pub(crate) trace: Trace,
    /// What it was made from.
    pub(crate) original: Option<Trace>,
    pub(crate) insight: Insight,
}

/// Runs a failing test again, to find out more. What cannot be repeated, or not safely, stays as it is.
/// `crashes` says that a crash can be repeated.
pub(crate) fn look_into(
    target: &mut dyn Target,
    trace: Trace,
    plan: &Plan,
    settings: &Settings,
    crashes: bool,
) -> Looked {
    let executions = settings.minimise.unwrap_or(EXECUTIONS);
    let mut looked = Looked { trace, original: None, insight: Insight::default() };
    let repeatable = looked.trace.failure().is_some_and(|failure| match failure.kind {
        FailureKind::Nondeterminism | FailureKind::Misuse => false,
        FailureKind::Crash => crashes,
        _ => true,
    });
    if executions == 0 || !repeatable {
        return looked;
    }
    let Some((smaller, minimised)) = minimise(target, &looked.trace, plan, Effort::of(executions)) else {
        return looked;
    };
    looked.insight.minimised = Some(minimised);
    if smaller.choices().ne(looked.trace.choices()) {
        let original = std::mem::replace(&mut looked.trace, smaller);
        looked.original = Some(original).filter(|original| original.len() <= KEPT);
    }
    let effort = Effort::of(executions.div_ceil(10));
    (looked.insight.decisive, looked.insight.reversed) = decisive(target, &looked.trace, plan, effort);
    looked
}
