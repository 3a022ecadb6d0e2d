//! What a check does: the settings that count, the search, the repetition of one execution, and the report of either.

use super::{Checker, Observer};
use crate::closure::{Closure, show_better};
use crate::insight::{Looked, look_into};
use crate::record::Progress;
use crate::report::{Failure, Report};
use crate::runtime::{self, Debugged, Engine};
use crate::settings::{self, Settings};
use crate::spill::spill;
use crate::surroundings::Replay;
use gordian_model::{FailureKind, Insight, Names, Plan, Trace};
use gordian_search::{Guarantee, Limits, Search, Setting, Statistics, Summary, Target, explore};
use std::sync::PoisonError;
use std::time::Duration;

impl Checker {
    /// The settings that count, and what is to be repeated instead of a search.
    pub(super) fn resolve(&self) -> Result<(Settings, Option<Replay>), String> {
        if let Some(wrong) = &self.wrong {
            return Err(wrong.clone());
        }
        let Some(surroundings) = &self.surroundings else { return Ok((self.settings.clone(), None)) };
        let environment = settings::environment()?;
        let file = settings::file(&surroundings.package)?;
        let mut settings = environment.settings.or(self.settings.clone()).or(file);
        if let Some(budget) = environment.budget {
            settings.time = Some(settings.time.map_or(budget, |time| time.min(budget)));
        }
        let Some(path) = environment.replay else { return Ok((settings, None)) };
        let variable = if environment.explains { "GORDIAN_EXPLAIN" } else { "GORDIAN_REPLAY" };
        let loaded = surroundings.load(&path).map_err(|error| format!("{variable}: {error}"))?;
        let replay = Replay { explains: environment.explains, stop_at: environment.stop_at, ..loaded };
        match self.other_program(&replay.recording.plan) {
            Some(message) => Err(format!("{variable}={}: {message}", path.display())),
            None => Ok((settings, Some(replay))),
        }
    }

    pub(super) fn other_program(&self, plan: &Plan) -> Option<String> {
        let other = !self.name.is_empty() && !plan.program.is_empty() && self.name != plan.program;
        other.then(|| {
            format!(
                "this is an execution of the test {}, but the test that runs is {}; replay it with cargo test {} -- --exact",
                plan.program, self.name, plan.program
            )
        })
    }

    /// Searches, and tells of every execution.
    pub(crate) fn search_in(
        &self,
        target: &mut dyn Target,
        settings: &Settings,
        mut plan: Plan,
        tell: &mut dyn FnMut(&Trace),
    ) -> Summary {
        let default;
        let search = match &settings.search {
            Some(search) => search,
            None => {
                default = Search::default();
                &default
            }
        };
        let limits = Limits {
            setting: Setting {
                seed: settings.seed.unwrap_or_default(),
                memory: Some(settings.memory.unwrap_or(MEMORY)),
                spill: Some(spill),
            },
            executions: settings.executions,
            time: settings.time,
            keep_going: self.keep_going,
            steps_in_doubt: None,
        };
        let Settings { steps, fair_rounds, leaks, weak_failures, spurious_wakeups, .. } = *settings;
        // Nobody has said how long an execution may be.
        let limits = match steps {
            None => Limits { steps_in_doubt: Some(100 * plan.limits.steps), ..limits },
            Some(_) => limits,
        };
        plan.limits.steps = steps.unwrap_or(plan.limits.steps);
        plan.limits.fair_rounds = fair_rounds.unwrap_or(plan.limits.fair_rounds);
        plan.options.leaks = leaks.unwrap_or(plan.options.leaks);
        plan.options.weak_failures = weak_failures.unwrap_or(plan.options.weak_failures);
        plan.options.spurious_wakeups = spurious_wakeups.unwrap_or(plan.options.spurious_wakeups);
        explore(target, search, limits, plan, |_, trace| tell(trace))
    }

    pub(super) fn explore(&self, settings: &Settings, body: &dyn Fn()) -> Report {
        let engine = Engine::new(stack_size(settings), None);
        let mut closure = Closure { engine, body, referee: self.referee.as_deref() };
        let mut progress = self.surroundings.as_ref().and_then(|_| Progress::wanted());
        let mut summary = self.search_in(&mut closure, settings, Plan::default(), &mut |trace| {
            if let Some(progress) = &mut progress {
                progress.count(trace.len());
            }
            if let Some(Observer(observer)) = &self.observer {
                (observer.lock().unwrap_or_else(PoisonError::into_inner))(trace);
            }
        });
        let (executions, waited) = closure.engine.outside.waited();
        summary.statistics.set_outside(executions, waited);
        let spawned = closure.engine.names().threads() > 1;
        let nothing = summary.failure.is_none() && summary.steps == 0 && summary.executions > 0 && !spawned;
        if nothing {
            return misuse(
                "nothing to check: the closure spawned no thread and used none of gordian's primitives, so there is only one \
                 execution; use gordian::thread and gordian::sync in it (and in the code it tests) instead of std's",
            );
        }
        let covered = closure.engine.covered();
        let unreached: Vec<String> =
            self.must_cover.iter().filter(|name| !covered.contains(&name.as_str())).cloned().collect();
        let looked = summary.failure.take().map(|(failure, trace)| {
            // A search may say of an execution that it cannot be, although it came to its end.
            if self.keep_going || trace.failure() != Some(&failure) {
                return (failure, Looked { trace, original: None, insight: Insight::default() });
            }
            let trace = show_better(&mut closure, trace, &failure, &summary.plan);
            let looked = look_into(&mut closure, trace, &summary.plan, settings, false);
            (looked.trace.failure().cloned().unwrap_or(failure), looked)
        });
        let mut report = self.report(summary, looked, closure.engine.names(), settings);
        report.set_unreached(unreached);
        report.alone = !spawned;
        report.search = Some(match &settings.search {
            Some(search) => search.as_str().to_owned(),
            None => Search::default().to_string(),
        });
        report.keep_exploration();
        report
    }

    /// Repeats one execution, of which it may be known what it did.
    pub(super) fn follow(
        &self,
        settings: &Settings,
        plan: &Plan,
        recorded: Option<&Trace>,
        debugged: Option<Debugged>,
        body: &dyn Fn(),
    ) -> Report {
        let mut engine = Engine::new(stack_size(settings), plan.names.clone());
        debugged.into_iter().for_each(|debugged| engine.watch(debugged));
        let mut closure = Closure { engine, body, referee: self.referee.as_deref() };
        let plan = Plan { replay: true, ..plan.clone() };
        let (insight, plan_steps) = (plan.insight, plan.prefix.len());
        let start = std::time::Instant::now();
        let trace = closure.run(&plan).clone();
        let failure = trace.failure().cloned();
        let mut statistics = Statistics::default();
        statistics.take_in(&trace);
        let summary = Summary {
            executions: 1,
            blocked: 0,
            steps: trace.len() as u64,
            complete: false,
            elapsed: start.elapsed(),
            frontier: None,
            guarantee: match failure {
                Some(_) => Guarantee::Failed,
                None => {
                    Guarantee::Partial { executions: 1, limit: "being a replay of one execution".to_owned() }
                }
            },
            statistics,
            course: None,
            failure: None,
            races: Vec::new(),
            plan,
        };
        let looked = failure.map(|failure| {
            // What is known holds for what was recorded.
            let insight = if trace.len() == plan_steps { insight } else { Insight::default() };
            // That a loop was known to wait is in what was recorded, not in its choices.
            let same = |recorded: &&Trace| {
                recorded.failure() == Some(&failure) && recorded.choices().eq(trace.choices())
            };
            let trace = recorded.filter(same).cloned().unwrap_or(trace);
            (failure, Looked { trace, original: None, insight })
        });
        self.report(summary, looked, closure.engine.names(), settings)
    }

    /// Repeats a saved execution and says whether it went as it was recorded.
    pub(super) fn repeat(&self, settings: &Settings, replay: &Replay, body: &dyn Fn()) -> Report {
        let Replay { recording, shown, .. } = replay;
        let debugged = replay.stop_at.map(|step| Debugged::new(step, recording));
        let mut report = self.follow(settings, &recording.plan, recording.trace.as_ref(), debugged, body);
        let recorded = recording.trace.as_ref().and_then(|t| Some((t.failure()?, t.len())));
        let outcome = match (recorded, report.failure()) {
            (None, _) => "it recorded no failure".to_owned(),
            (Some((then, steps)), Some(now))
                if now.message() == then.message && now.trace().len() == steps =>
            {
                format!("the same failure in the same {steps} steps")
            }
            (Some((then, _)), Some(_)) => {
                format!("it went otherwise than recorded, which was: {}", then.message)
            }
            (Some((then, _)), None) => {
                format!("the recorded failure did not happen again, which was: {}", then.message)
            }
        };
        report.replayed = Some(format!("replayed {}: {outcome}", shown.display()));
        report
    }

    pub(crate) fn report(
        &self,
        summary: Summary,
        looked: Option<(gordian_model::Failure, Looked)>,
        names: &Names,
        settings: &Settings,
    ) -> Report {
        let mut failures = Vec::new();
        if let Some((failure, Looked { trace, original, insight })) = looked {
            let plan = Plan {
                program: self.name.clone(),
                names: Some(names.clone()),
                prefix: trace.choices().collect(),
                sleep: Vec::new(),
                sleep_from: 0,
                deviations: Vec::new(),
                inputs: trace.inputs.clone(),
                replay: true,
                insight,
                ..summary.plan.clone()
            };
            let detailed = settings.detailed.unwrap_or_default();
            failures.push(Failure::new(failure, trace, plan, original, detailed));
        }
        Report::new(summary, failures)
    }
}

/// The memory for executions that have yet to be made, if nothing is said.
const MEMORY: usize = 256 << 20;

pub(crate) fn stack_size(settings: &Settings) -> usize {
    settings.stack_size.unwrap_or(256 * 1024)
}

/// Why no check can be done here.
pub(super) fn cannot_work() -> Option<String> {
    if runtime::active() {
        return Some(
            "a check inside a check: the closure of a check, or a thread it spawned, starts another one; run them one \
             after the other instead"
                .to_owned(),
        );
    }
    if cfg!(panic = "abort") {
        return Some(
            "this program is built with panic = \"abort\", so a panic in the tested code cannot be caught; build the \
             profile that runs checks with panic = \"unwind\" (cargo test does so by itself)"
                .to_owned(),
        );
    }
    None
}

pub(crate) fn misuse(message: impl Into<String>) -> Report {
    let failure = gordian_model::Failure::new(FailureKind::Misuse, message);
    let summary = Summary {
        executions: 0,
        blocked: 0,
        steps: 0,
        complete: false,
        elapsed: Duration::ZERO,
        guarantee: Guarantee::Failed,
        frontier: None,
        statistics: Statistics::default(),
        course: None,
        failure: None,
        races: Vec::new(),
        plan: Plan::default(),
    };
    Report::new(summary, vec![Failure::without_trace(failure)])
}
