//! Checks: how a search is set up and run.

use crate::report::{Failure, Report};
use crate::runtime::{self, Engine};
use gordian_model::{FailureKind, ObjectId, Op, OpKind, Plan, Trace};
use gordian_search::{Guarantee, Limits, Search, Summary, Target, explore};
use std::fmt;
use std::panic::Location;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

/// How a check is done. One builder for the attribute, the environment and code.
#[derive(Clone, Debug)]
pub struct Checker {
    search: Result<Search, String>,
    limits: Limits,
    plan: Plan,
    stack_size: usize,
    save_to: Option<PathBuf>,
    environment: bool,
    observer: Option<Observer>,
}

/// Called with the trace of each execution.
#[derive(Clone)]
struct Observer(Arc<Mutex<dyn FnMut(&Trace) + Send>>);

impl fmt::Debug for Observer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Observer")
    }
}

impl Default for Checker {
    fn default() -> Self {
        Checker {
            search: Ok(Search::default()),
            limits: Limits::default(),
            plan: Plan::default(),
            stack_size: 256 * 1024,
            save_to: None,
            environment: false,
            observer: None,
        }
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

struct Closure<'a> {
    engine: Engine,
    body: &'a dyn Fn(),
}

impl Target for Closure<'_> {
    fn run(&mut self, plan: &Plan) -> &Trace {
        self.engine.run(plan, self.body)
    }
}

impl Checker {
    /// A check with the default search and no limits but that on the steps of one execution.
    pub fn new() -> Checker {
        Checker::default()
    }

    /// How to search: a text of the grammar, or a [`Search`].
    pub fn search(mut self, search: impl IntoSearch) -> Checker {
        self.search = search.into_search();
        self
    }

    /// At most so many executions.
    pub fn executions(mut self, most: u64) -> Checker {
        self.limits.executions = Some(most);
        self
    }

    /// At most so much time.
    pub fn time(mut self, most: Duration) -> Checker {
        self.limits.time = Some(most);
        self
    }

    /// At most so many steps in one execution; more is a failure.
    pub fn steps(mut self, most: u32) -> Checker {
        self.plan.limits.steps = most;
        self
    }

    /// How often a thread may pause in a row, changing nothing, before the others go first.
    pub fn fair_rounds(mut self, rounds: u32) -> Checker {
        self.plan.limits.fair_rounds = rounds;
        self
    }

    /// The size of each thread's stack, in bytes.
    pub fn stack_size(mut self, bytes: usize) -> Checker {
        self.stack_size = bytes;
        self
    }

    /// Are values that are never dropped failures? They are by default.
    pub fn leaks(mut self, are_failures: bool) -> Checker {
        self.plan.options.leaks = are_failures;
        self
    }

    /// May `compare_exchange_weak` fail although the value is the expected one? Not by default.
    pub fn weak_failures(mut self, may: bool) -> Checker {
        self.plan.options.weak_failures = may;
        self
    }

    /// May a condition variable wake a thread that nobody notified? Not by default.
    pub fn spurious_wakeups(mut self, may: bool) -> Checker {
        self.plan.options.spurious_wakeups = may;
        self
    }

    /// The name of the test; failures are saved under it.
    pub fn name(mut self, name: impl Into<String>) -> Checker {
        self.plan.program = name.into();
        self
    }

    /// Goes on after a failure; the report keeps the first. An execution that fails ends there, so what its threads
    /// would have done afterwards is seen only in executions that do not.
    #[doc(hidden)]
    pub fn keep_going(mut self, on: bool) -> Checker {
        self.limits.keep_going = on;
        self
    }

    /// Calls the closure with what each execution did: for tests of Gordian itself.
    #[doc(hidden)]
    pub fn observe(mut self, observer: impl FnMut(&Trace) + Send + 'static) -> Checker {
        self.observer = Some(Observer(Arc::new(Mutex::new(observer))));
        self
    }

    /// Runs the closure in every interleaving that the search asks for. Failures of the tested code are in the report.
    pub fn run<F>(&self, body: F) -> Report
    where
        F: Fn() + Send + Sync + 'static,
    {
        if let Some(report) = self.cannot_work() {
            return report;
        }
        let search = match &self.search {
            Ok(search) => search,
            Err(message) => return misuse(message.clone()),
        };
        let mut closure = Closure { engine: Engine::new(self.stack_size, None), body: &body };
        let mut plan = self.plan.clone();
        plan.names = None;
        let summary = explore(&mut closure, search, self.limits, plan, |_, trace| {
            if let Some(Observer(observer)) = &self.observer {
                (observer.lock().unwrap_or_else(PoisonError::into_inner))(trace);
            }
        });
        self.report(summary, &closure.engine)
    }

    fn cannot_work(&self) -> Option<Report> {
        if runtime::active() {
            return Some(misuse(
                "a check inside a check: the closure of a check, or a thread it spawned, starts another one; run them one \
                 after the other instead",
            ));
        }
        if cfg!(panic = "abort") {
            return Some(misuse(
                "this program is built with panic = \"abort\", so a panic in the tested code cannot be caught; build the \
                 profile that runs checks with panic = \"unwind\" (cargo test does so by itself)",
            ));
        }
        None
    }

    fn report(&self, mut summary: Summary, engine: &Engine) -> Report {
        let mut failures = Vec::new();
        if let Some((failure, trace)) = summary.failure.take() {
            let plan = Plan {
                program: self.plan.program.clone(),
                names: Some(engine.names().clone()),
                prefix: trace.choices().collect(),
                sleep: Vec::new(),
                sleep_from: 0,
                replay: true,
                ..summary.plan.clone()
            };
            failures.push(Failure::new(failure, trace, plan, engine.names()));
        } else if summary.steps == 0 {
            return misuse(
                "nothing to check: no thread of this test uses any of gordian's primitives, so there is only one execution; use \
                 gordian::thread and gordian::sync in it (and in the code it tests) instead of std's",
            );
        }
        Report::new(summary, failures)
    }
}

fn misuse(message: impl Into<String>) -> Report {
    let failure = gordian_model::Failure::new(FailureKind::Misuse, message);
    let summary = Summary {
        executions: 0,
        blocked: 0,
        steps: 0,
        complete: false,
        elapsed: Duration::ZERO,
        guarantee: Guarantee::Failed,
        failure: None,
        plan: Plan::default(),
    };
    let failure = Failure::new(failure, Trace::default(), Plan::default(), &gordian_model::Names::default());
    Report::new(summary, vec![failure])
}

/// Checks the closure with the default search and panics with the report when something fails.
#[track_caller]
pub fn check<F>(body: F)
where
    F: Fn() + Send + Sync + 'static,
{
    let report = Checker::new().run(body);
    if report.failure().is_some() {
        panic!("{report}");
    }
}

/// Repeats one execution.
pub fn replay<F>(plan: &Plan, body: F) -> Report
where
    F: Fn() + Send + Sync + 'static,
{
    let checker = Checker { plan: plan.clone(), ..Checker::default() };
    if let Some(report) = checker.cannot_work() {
        return report;
    }
    let mut engine = Engine::new(checker.stack_size, plan.names.clone());
    let plan = Plan { replay: true, ..plan.clone() };
    let start = std::time::Instant::now();
    let trace = engine.run(&plan, &body).clone();
    let failure = trace.failure().cloned();
    let summary = Summary {
        executions: 1,
        blocked: 0,
        steps: trace.len() as u64,
        complete: false,
        elapsed: start.elapsed(),
        guarantee: match failure {
            Some(_) => Guarantee::Failed,
            None => Guarantee::Partial { executions: 1, limit: "being a replay of one execution".to_owned() },
        },
        failure: failure.map(|f| (f, trace)),
        plan,
    };
    checker.report(summary, &engine)
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
