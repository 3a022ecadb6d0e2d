//! Checks: how a search is set up and run.

mod run;

use crate::closure::Referee;
use crate::report::Report;
use crate::runtime;
use crate::settings::Settings;
use crate::surroundings::Surroundings;
use gordian_model::{ObjectId, Op, OpKind, Plan, Trace};
use gordian_search::{Search, Summary};
use run::{Resolved, cannot_work};
pub(crate) use run::{misuse, stack_size};
use std::fmt;
use std::panic::Location;
use std::sync::{Arc, Mutex};
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
        self.set_search(search.into_search());
        self
    }

    fn set_search(&mut self, search: Result<Search, String>) {
        match search {
            Ok(search) => self.settings.search = Some(search),
            Err(message) => self.wrong = Some(message),
        }
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
        let mut report = Report::new(Summary::new(Plan::default()), Vec::new());
        match self.resolve() {
            Err(message) => report = misuse(message),
            Ok(Resolved { settings, replay }) => {
                let settings = settings.as_deref().unwrap_or(&self.settings);
                match &replay {
                    None => {
                        self.explore(settings, &body, &mut report);
                        self.save(settings, &mut report);
                    }
                    Some(replay) => report = self.repeat(settings, replay, &body),
                }
                report.keep(settings, self.referee.as_ref(), body);
                if replay.is_some_and(|replay| replay.explains) {
                    report.explain();
                }
            }
        }
        report
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
