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
use gordian_search::{Guarantee, Limits, Search, Setting, Statistics, Summary, Target, explore_into};
use std::sync::PoisonError;

/// What counts for a check.
#[derive(Default)]
pub(super) struct Resolved {
    /// The settings, if others than the checker's own count.
    pub(super) settings: Option<Box<Settings>>,
    /// What is to be repeated instead of a search.
    pub(super) replay: Option<Box<Replay>>,
}

impl Checker {
    /// What counts, or why no check can be done.
    pub(super) fn resolve(&self) -> Result<Resolved, String> {
        if let Some(message) = cannot_work() {
            return Err(message);
        }
        if let Some(wrong) = &self.wrong {
            return Err(wrong.clone());
        }
        let Some(surroundings) = &self.surroundings else { return Ok(Resolved::default()) };
        let environment = settings::environment()?;
        let file = settings::file(&surroundings.package)?;
        let mut settings = environment.settings.or(self.settings.clone()).or(file);
        if let Some(budget) = environment.budget {
            settings.time = Some(settings.time.map_or(budget, |time| time.min(budget)));
        }
        let settings = Some(Box::new(settings));
        let Some(path) = environment.replay else { return Ok(Resolved { settings, replay: None }) };
        let variable = if environment.explains { "GORDIAN_EXPLAIN" } else { "GORDIAN_REPLAY" };
        let loaded = surroundings.load(&path).map_err(|error| format!("{variable}: {error}"))?;
        let replay = Replay { explains: environment.explains, stop_at: environment.stop_at, ..loaded };
        match self.other_program(&replay.recording.plan) {
            Some(message) => Err(format!("{variable}={}: {message}", path.display())),
            None => Ok(Resolved { settings, replay: Some(Box::new(replay)) }),
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

    /// Searches, and tells of every execution. The summary is a new one.
    pub(crate) fn search_in(
        &self,
        target: &mut dyn Target,
        settings: &Settings,
        summary: &mut Summary,
        tell: &mut dyn FnMut(&Trace),
    ) {
        let plan = &mut summary.plan;
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
        explore_into(summary, target, search, limits, |_, trace| tell(trace));
    }

    /// Searches; the report is a new one.
    pub(super) fn explore(&self, settings: &Settings, body: &dyn Fn(), report: &mut Report) {
        let engine = Engine::new(stack_size(settings), None);
        let mut closure = Closure { engine, body, referee: self.referee.as_deref() };
        let mut progress = self.surroundings.as_ref().and_then(|_| Progress::wanted());
        let summary = &mut report.summary;
        self.search_in(&mut closure, settings, summary, &mut |trace| {
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
            *report = misuse(
                "nothing to check: the closure spawned no thread and used none of gordian's primitives, so there is only one \
                 execution; use gordian::thread and gordian::sync in it (and in the code it tests) instead of std's",
            );
            return;
        }
        if let Some(found) = summary.failure.take() {
            let failure = self.look_at(found, &summary.plan, &mut closure, settings);
            report.failures.push(failure);
        }
        if !self.must_cover.is_empty() {
            let covered = closure.engine.covered();
            let unreached = self.must_cover.iter().filter(|name| !covered.contains(&name.as_str()));
            report.set_unreached(unreached.cloned().collect());
        }
        report.alone = !spawned;
        report.keep_exploration(settings.search.as_ref());
    }

    /// Saves the failure, if there is one and the surroundings count.
    pub(super) fn save(&self, settings: &Settings, report: &mut Report) {
        if let (Some(surroundings), Some(failure)) = (&self.surroundings, report.failure_mut()) {
            surroundings.save(failure, settings.report.as_deref());
            surroundings.save_page(report);
        }
    }

    /// What is to be told of the failure that a search has found.
    #[cold]
    #[inline(never)]
    fn look_at(
        &self,
        (failure, trace): (gordian_model::Failure, Box<Trace>),
        plan: &Plan,
        closure: &mut Closure<'_>,
        settings: &Settings,
    ) -> Failure {
        // A search may say of an execution that it cannot be, although it came to its end.
        let (failure, looked) = if self.keep_going || trace.failure() != Some(&failure) {
            (failure, Looked { trace: *trace, original: None, insight: Insight::default() })
        } else {
            let trace = show_better(closure, *trace, &failure, plan);
            let looked = look_into(closure, trace, plan, settings, false);
            (looked.trace.failure().cloned().unwrap_or(failure), looked)
        };
        self.failure(failure, looked, plan, closure.engine.names(), settings)
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
        let failure = failure.map(|failure| {
            // What is known holds for what was recorded.
            let insight = if trace.len() == plan_steps { insight } else { Insight::default() };
            // That a loop was known to wait is in what was recorded, not in its choices.
            let same = |recorded: &&Trace| {
                recorded.failure() == Some(&failure) && recorded.choices().eq(trace.choices())
            };
            let trace = recorded.filter(same).cloned().unwrap_or(trace);
            let looked = Looked { trace, original: None, insight };
            self.failure(failure, looked, &summary.plan, closure.engine.names(), settings)
        });
        Report::new(summary, failure.into_iter().collect())
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

    /// What is to be told of a failure; the plan is the one that its search had last.
    pub(crate) fn failure(
        &self,
        failure: gordian_model::Failure,
        Looked { trace, original, insight }: Looked,
        plan: &Plan,
        names: &Names,
        settings: &Settings,
    ) -> Failure {
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
            ..plan.clone()
        };
        Failure::new(failure, trace, plan, original, settings.detailed.unwrap_or_default())
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
    Report::new(Summary::new(Plan::default()), vec![Failure::without_trace(failure)])
}
