//! A closure as the thing under test, and who has the last word on how its executions ended.

use crate::runtime::Engine;
use gordian_model::{End, Failure, Names, Plan, Planned, Policy, Trace};
use gordian_search::{Target, fails_alike};
use std::fmt;

/// Judges executions by more than what went wrong in them.
pub(crate) trait Referee: fmt::Debug + Send + Sync {
    /// How the execution really ended, if otherwise than the trace says.
    fn rule(&self, trace: &Trace) -> Option<End>;

    /// Choices that lead to another execution which fails in the same way, and shows better why.
    fn witness(&self, trace: &Trace) -> Option<Vec<Planned>>;

    /// Does only what an execution itself shows count from now on?
    fn be_strict(&self, strict: bool);
}

/// A closure as a target: each execution runs it once.
pub(crate) struct Closure<'a> {
    pub(crate) engine: Engine,
    pub(crate) body: &'a dyn Fn(),
    pub(crate) referee: Option<&'a dyn Referee>,
}

impl Target for Closure<'_> {
    fn run(&mut self, plan: &Plan) -> &Trace {
        self.run_named(plan).0
    }

    fn run_named(&mut self, plan: &Plan) -> (&Trace, Option<&Names>) {
        let trace = self.engine.run(plan, self.body);
        if let Some(end) = self.referee.and_then(|referee| referee.rule(trace)) {
            self.engine.rule(end);
        }
        (self.engine.trace(), Some(self.engine.names()))
    }
}

/// The execution that the referee would rather show, if it fails in the same way.
pub(crate) fn show_better(target: &mut Closure<'_>, trace: Trace, failure: &Failure, plan: &Plan) -> Trace {
    let Some(referee) = target.referee else { return trace };
    let Some(prefix) = referee.witness(&trace) else { return trace };
    referee.be_strict(true);
    let plan = Plan {
        prefix,
        sleep: Vec::new(),
        sleep_from: 0,
        deviations: Vec::new(),
        policy: Policy::default(),
        ..plan.clone()
    };
    let better = target.run(&plan);
    if better.failure().is_some_and(|f| fails_alike(f, failure)) {
        return better.clone();
    }
    referee.be_strict(false);
    trace
}
