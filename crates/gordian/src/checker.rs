//! Checks: how a search is set up and run.

use crate::closure::{Closure, Referee, show_better};
use crate::insight::{Looked, look_into};
use crate::record::Progress;
use crate::report::{Failure, Report};
use crate::runtime::{self, Debugged, Engine};
use crate::settings::{self, Settings};
use crate::spill::spill;
use crate::surroundings::{Replay, Surroundings};
use gordian_model::{FailureKind, Insight, Names, ObjectId, Op, OpKind, Plan, Trace};
use gordian_search::{Guarantee, Limits, Search, Setting, Statistics, Summary, Target, explore};
use std::fmt;
use std::panic::Location;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

/// How a check is done. What is not said here has a default.
#[derive(Clone, Debug, Default)]
pub struct Checker {
    pub(crate) settings: Settings,
    /// What was wrong with something said above.
    pub(crate) wrong: Option<String>,
    pub(crate) name: String,
    pub(crate) must_cover: Vec<String>,
    /// The environment and the file count too, and failures are saved.
    pub(crate) surroundings: Option<Surroundings>,
    /// Go on after a failure, for tests of the search itself.
    pub(crate) keep_going: bool,
    pub(crate) observer: Option<Observer>,
    /// Who has the last word on how executions end.
    pub(crate) referee: Option<Arc<dyn Referee>>,
}

/// Called with the trace of each execution.
#[derive(Clone)]
pub(crate) struct Observer(Arc<Mutex<Watch>>);

type Watch = dyn FnMut(&Trace) + Send;

impl Observer {
    pub(crate) fn new(observer: impl FnMut(&Trace) + Send + 'static) -> Observer {
        Observer(Arc::new(Mutex::new(observer)))
    }
}

impl fmt::Debug for Observer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Observer")
    }
}

/// A search, or a text that says which.
pub trait IntoSearch {
    /// The search, or what is wrong with the text.
    fn into_search(self) -> Result<Search, String>;
}

impl IntoSearch for Search {
    fn into_search(self) -> Result<Search, String> {
        Ok(self)
    }
}

impl IntoSearch for &str {
    fn into_search(self) -> Result<Search, String> {
        self.parse().map_err(|e: gordian_search::SearchError| e.to_string())
    }
}

impl Checker {
    /// A check with the default search and no limits but that on the steps of one execution.
    pub fn new() -> Checker {
        Checker::default()
    }

    /// How to search: a text of the grammar, or a [`Search`].
    pub fn search(mut self, search: impl IntoSearch) -> Checker {
        match search.into_search() {
            Ok(search) => self.settings.search = Some(search),
            Err(message) => self.wrong = Some(message),
        }
        self
    }

    /// At most so many executions.
    pub fn executions(mut self, most: u64) -> Checker {
        self.settings.executions = Some(most);
        self
    }

    /// At most so much time.
    pub fn time(mut self, most: Duration) -> Checker {
        self.settings.time = Some(most);
        self
    }

    /// What random choices start from: those of `random`, `urw`, `pos`, `surw`, `pct` and `pctvb`. A seed means the same
    /// executions on every machine.
    pub fn seed(mut self, seed: u64) -> Checker {
        self.settings.seed = Some(seed);
        self
    }

    /// At most so much memory, in bytes, for executions that have yet to be made; what does not fit goes to a temporary file.
    /// Those that they depart from have to stay; [`Report::frontier`] tells how much was needed in all.
    pub fn memory(mut self, bytes: usize) -> Checker {
        self.settings.memory = Some(bytes);
        self
    }

    /// At most so many steps in one execution; more is a failure. If this is not said it is 20,000, and an execution that takes more is
    /// made again with 100 times as many: it has failed if it takes more than those, else the search goes on with that limit.
    pub fn steps(mut self, most: u32) -> Checker {
        self.settings.steps = Some(most);
        self
    }

    /// How often a thread may pause in a row, changing nothing, before the others go first.
    pub fn fair_rounds(mut self, rounds: u32) -> Checker {
        self.settings.fair_rounds = Some(rounds);
        self
    }

    /// The size of each thread's stack, in bytes.
    pub fn stack_size(mut self, bytes: usize) -> Checker {
        self.settings.stack_size = Some(bytes);
        self
    }

    /// Are values that are never dropped failures? They are by default.
    pub fn leaks(mut self, are_failures: bool) -> Checker {
        self.settings.leaks = Some(are_failures);
        self
    }

    /// May `compare_exchange_weak` fail although the value is the expected one? Not by default.
    pub fn weak_failures(mut self, may: bool) -> Checker {
        self.settings.weak_failures = Some(may);
        self
    }

    /// May a condition variable wake a thread that nobody notified? Not by default.
    pub fn spurious_wakeups(mut self, may: bool) -> Checker {
        self.settings.spurious_wakeups = Some(may);
        self
    }

    /// At most so many executions to make a failure small with: fewest preemptions, then threads, then steps. 1,000 if nothing is
    /// said; 0 shows failures as they are found.
    pub fn minimise(mut self, executions: u64) -> Checker {
        self.settings.minimise = Some(executions);
        self
    }

    /// The name of the test; failures are saved under it, and a plan with another name is not replayed.
    pub fn name(mut self, name: impl Into<String>) -> Checker {
        self.name = name.into();
        self
    }

    /// Markers of [`cover!`](crate::cover) that some execution must reach; if the search is complete and none did, that is
    /// a failure.
    pub fn must_cover<N: Into<String>>(mut self, names: impl IntoIterator<Item = N>) -> Checker {
        self.must_cover.extend(names.into_iter().map(Into::into));
        self
    }

    /// Do as `#[gordian::test]` does: let the environment (`GORDIAN_SEARCH` and so on) beat what is said here, let
    /// `gordian.toml` fill in what is not, save a failure, and repeat the one in `GORDIAN_REPLAY`.
    pub fn from_environment(mut self) -> Checker {
        self.surroundings = Some(Surroundings::new(None));
        self
    }

    /// Goes on after a failure; the report keeps the first. An execution that fails ends there, so what its threads
    /// would have done afterwards is seen only in executions that do not.
    #[doc(hidden)]
    pub fn keep_going(mut self, on: bool) -> Checker {
        self.keep_going = on;
        self
    }

    /// Calls the closure with what each execution did: for tests of Gordian itself.
    #[doc(hidden)]
    pub fn observe(mut self, observer: impl FnMut(&Trace) + Send + 'static) -> Checker {
        self.observer = Some(Observer::new(observer));
        self
    }

    /// Runs the closure in every interleaving that the search asks for. Failures of the tested code are in the report.
    pub fn run<F>(&self, body: F) -> Report
    where
        F: Fn() + Send + Sync + 'static,
    {
        if let Some(message) = cannot_work() {
            return misuse(message);
        }
        match self.resolve() {
            Err(message) => misuse(message),
            Ok((settings, Some(replay))) => {
                let mut report = self.repeat(&settings, &replay, &body);
                report.keep(&settings, self.referee.as_ref(), body);
                if replay.explains {
                    report.explain();
                }
                report
            }
            Ok((settings, None)) => {
                let mut report = self.explore(&settings, &body);
                if let (Some(surroundings), Some(failure)) = (&self.surroundings, report.failure_mut()) {
                    surroundings.save(failure, settings.report.as_deref());
                    surroundings.save_page(&mut report);
                }
                report.keep(&settings, self.referee.as_ref(), body);
                report
            }
        }
    }

    /// Repeats one execution. A plan for a test of another name is an error.
    pub fn replay<F>(&self, plan: &Plan, body: F) -> Report
    where
        F: Fn() + Send + Sync + 'static,
    {
        match cannot_work().or_else(|| self.other_program(plan)) {
            Some(message) => misuse(message),
            None => {
                let mut report = self.follow(&self.settings, plan, None, None, &body);
                report.keep(&self.settings, self.referee.as_ref(), body);
                report
            }
        }
    }

    /// The settings that count, and what is to be repeated instead of a search.
    fn resolve(&self) -> Result<(Settings, Option<Replay>), String> {
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

    fn other_program(&self, plan: &Plan) -> Option<String> {
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

    fn explore(&self, settings: &Settings, body: &dyn Fn()) -> Report {
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
    fn follow(
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
    fn repeat(&self, settings: &Settings, replay: &Replay, body: &dyn Fn()) -> Report {
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
fn cannot_work() -> Option<String> {
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

/// Repeats one execution.
pub fn replay<F>(plan: &Plan, body: F) -> Report
where
    F: Fn() + Send + Sync + 'static,
{
    Checker::new().replay(plan, body)
}

/// A choice among `n`: every value below `n` is tried.
#[track_caller]
pub fn choose(n: usize) -> usize {
    assert!(n > 0, "gordian::choose(0): there is nothing to choose from");
    if !runtime::active() {
        return 0;
    }
    let site = runtime::site(Location::caller());
    runtime::op(Op { arg: n as u64, ..Op::new(OpKind::Choose, ObjectId::NONE, site) }).value as usize
}
