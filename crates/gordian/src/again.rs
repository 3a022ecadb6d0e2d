//! Running a test again after it has failed, to find out what the failure needs.

use crate::checker::stack_size;
use crate::closure::{Closure, Referee};
use crate::report::Report;
use crate::runtime::{self, Engine};
use crate::settings::Settings;
use gordian_model::{Failure, FailureKind, Plan, Policy};
use gordian_search::{Character, Limits, Setting, Unexplained, characterise};
use std::fmt;
use std::sync::Arc;

/// What it takes to run a test again.
#[derive(Clone)]
pub(crate) struct Again {
    body: Arc<dyn Fn() + Send + Sync>,
    settings: Settings,
    referee: Option<Arc<dyn Referee>>,
}

impl fmt::Debug for Again {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Again").field("settings", &self.settings).finish_non_exhaustive()
    }
}

/// The most executions that finding out may take, if the check has no limit of its own.
const EXECUTIONS: u64 = 1_000_000;

impl Again {
    /// What a failure needs. The plan is the one that repeats it.
    pub(crate) fn characterise(&self, failure: &Failure, plan: &Plan) -> Result<Character, Unexplained> {
        if runtime::active() {
            return Err(Unexplained::InsideACheck);
        }
        let Settings { seed, time, .. } = self.settings;
        let engine = Engine::new(stack_size(&self.settings), plan.names.clone());
        let mut target = Closure { engine, body: &*self.body, referee: self.referee.as_deref() };
        let limits = Limits {
            setting: Setting { seed: seed.unwrap_or_default(), ..Setting::default() },
            executions: Some(EXECUTIONS),
            time,
            keep_going: false,
            steps_in_doubt: None,
        };
        // What it says may name values, which differ from one execution to the next; where it shows does not.
        let is_it = |other: &Failure| other.kind == failure.kind && other.site == failure.site;
        let plan = Plan { prefix: Vec::new(), policy: Policy::default(), replay: false, ..plan.clone() };
        characterise(&mut target, &is_it, limits, plan)
    }
}

impl Report {
    /// Keeps what it takes to run the test again, if an execution failed.
    pub(crate) fn keep(
        &mut self,
        settings: &Settings,
        referee: Option<&Arc<dyn Referee>>,
        body: impl Fn() + Send + Sync + 'static,
    ) {
        let failed = |kind| !matches!(kind, FailureKind::Misuse | FailureKind::NotCovered);
        if self.failure().is_some_and(|failure| failed(failure.kind())) {
            self.again = Some(Box::new(Again {
                body: Arc::new(body),
                settings: settings.clone(),
                referee: referee.cloned(),
            }));
        }
    }

    /// Adds what the failure needs to how the replay went.
    pub(crate) fn explain(&mut self) {
        let explained = match self.characterise() {
            Ok(needed) => format!("\nit needs {needed} (found in {} executions)", needed.executions),
            Err(error) => format!("\nit could not be explained: {error}"),
        };
        self.replayed.get_or_insert_default().push_str(&explained);
    }
}
