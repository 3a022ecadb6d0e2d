//! Trying test after test, until one fails or enough were tried, and making the one that fails small.

use super::execution::{Recorder, at_once};
use super::object::{Concurrent, Effort, Object, Shared};
use super::operation::Listed;
use super::referee::Court;
use super::report::{Found, Report};
use crate::checker::{Checker, stack_size};
use crate::runtime;
use crate::settings::{self, Settings};
use gordian_lin::{Choosable, Drawer, Test, smaller};
use gordian_model::{FailureKind, Recording};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// The most tests that making a failing one small may try, and the time that it may take.
const SHRINKS: u32 = 400;
const SHRINK_TIME: Duration = Duration::from_secs(10);

/// The outcome of one test.
struct Tried {
    report: crate::Report,
    judged: (u64, usize),
    unfinished: u64,
}

impl<T: Concurrent, S: Clone + Send + Sync + 'static> Object<T, S> {
    /// Tries tests and tells what was found. Failures of the object are in the report.
    pub fn run(self) -> Report {
        self.go(false)
    }

    /// The same, and panics with the report when something fails. As in [`gordian::check`](crate::check), the environment counts: `GORDIAN_SEARCH`, `GORDIAN_SEED`, `GORDIAN_EXECUTIONS` (for each test),
    /// `GORDIAN_TIME` (for all of them), and `GORDIAN_REPLAY`, which repeats a saved execution. A failure is saved.
    #[track_caller]
    pub fn check(mut self) {
        if self.name.is_empty() {
            let thread = std::thread::current();
            self.name = thread.name().filter(|&name| name != "main").unwrap_or_default().to_owned();
        }
        let report = self.go(true);
        if report.failure().is_some() {
            panic!("{report}");
        }
        println!("{report}");
    }

    fn go(mut self, surrounded: bool) -> Report {
        let start = Instant::now();
        let replayed = if surrounded { self.take_over_environment() } else { Ok(None) };
        let replayed = match replayed {
            Ok(replayed) => replayed,
            Err(wrong) => return Report::misuse(wrong),
        };
        if let Some(wrong) = self.what_is_wrong() {
            return Report::misuse(wrong);
        }
        let shared = Arc::new(self);
        if let Some(test) = replayed {
            let checker = checker(&shared, Duration::MAX).from_environment();
            let tried = try_out(&shared, &test, checker);
            return Report::of_replay(tried.report);
        }
        let mut report = Report::new(&shared.effort);
        let Effort { ref only, small, tests, seed, shape, time, .. } = shared.effort;
        let choosable = |l: &Listed<T, S>| Choosable {
            weight: l.weight,
            arguments: l.operation.arguments(),
            owned: l.owned,
        };
        let ops = shared.listed.iter().map(choosable).collect();
        let drawer = Drawer::new(ops, seed, shape);
        let small = if small && only.is_none() { drawer.small() } else { Vec::new() };
        let drawn = (0..if only.is_none() { tests } else { 0 }).map(|n| drawer.draw(n));
        for test in only.iter().cloned().chain(small).chain(drawn) {
            let left = time.map_or(Duration::MAX, |time| time.saturating_sub(start.elapsed()));
            if left.is_zero() {
                report.out_of_time(time.unwrap_or_default());
                break;
            }
            let tried = try_out(&shared, &test, checker(&shared, left));
            report.count(&test, &tried.report, tried.judged, tried.unfinished);
            if tried.report.failure().is_some() {
                report.found(show(&shared, test, tried, surrounded));
                break;
            }
        }
        report.elapsed = start.elapsed();
        report
    }

    fn what_is_wrong(&self) -> Option<String> {
        if let Some(wrong) = &self.wrong {
            return Some(wrong.clone());
        }
        if runtime::active() {
            return Some(
                "a check for linearizability inside a check: run them one after the other instead".to_owned(),
            );
        }
        if self.listed.is_empty() {
            return Some("there is nothing to call: add operations with Object::op".to_owned());
        }
        if let Some(missing) =
            self.listed.iter().find(|l| self.model.is_some() && !l.operation.is_specified())
        {
            return Some(format!(
                "{} has no part in the specification; add it with Object::op_as",
                missing.operation.name()
            ));
        }
        let shape = self.effort.shape;
        let calls = shape.before + shape.threads * shape.calls + shape.after;
        if calls > Test::MOST_CALLS {
            return Some(format!(
                "tests of up to {calls} calls are too large: {} threads with {} calls each, {} before and {} after; at most {} calls in all can be checked (Object::size, Object::around)",
                shape.threads,
                shape.calls,
                shape.before,
                shape.after,
                Test::MOST_CALLS
            ));
        }
        let fits = |test: &Test| {
            test.calls().all(|c| {
                let op = self.listed.get(usize::from(c.op));
                op.is_some_and(|op| usize::from(c.arg) < op.operation.arguments())
            })
        };
        let unknown = self.effort.only.as_ref().filter(|test| !fits(test));
        unknown.map(|test| format!("the test \"{test}\" calls operations or arguments that are not there"))
    }

    /// The environment beats what was said; the test of a saved execution is the one to repeat.
    fn take_over_environment(&mut self) -> Result<Option<Test>, String> {
        let environment = settings::environment()?;
        let Settings { search, executions, time, seed, steps, .. } = environment.settings;
        self.effort.search = search.unwrap_or_else(|| self.effort.search.clone());
        self.effort.executions = executions.unwrap_or(self.effort.executions);
        self.effort.time = time.or(environment.budget).or(self.effort.time);
        self.effort.seed = seed.unwrap_or(self.effort.seed);
        self.effort.steps = steps.or(self.effort.steps);
        let Some(path) = environment.replay else { return Ok(None) };
        let found = settings::find_trace(&path, &crate::surroundings::Surroundings::new(None).package);
        let recording = Recording::load(&found).map_err(|error| format!("GORDIAN_REPLAY: {error}"))?;
        let test = recording.trace.as_ref().and_then(|t| t.failure()).and_then(|failure| {
            let texts = failure.notes.iter().rev().map(|note| note.text.as_str());
            texts.filter_map(|text| text.split('"').nth(1)).find_map(Test::parse)
        });
        test.map(Some).ok_or_else(|| {
            format!("GORDIAN_REPLAY={}: this is no execution of a test of gordian::lin", path.display())
        })
    }
}

fn checker<T, S>(shared: &Shared<T, S>, time: Duration) -> Checker {
    let effort = &shared.effort;
    let mut checker = Checker::new()
        .search(effort.search.clone())
        .seed(effort.seed)
        .executions(effort.executions)
        .name(shared.name.clone());
    checker.settings.steps = effort.steps;
    checker.settings.minimise = effort.minimise;
    checker.observer.clone_from(&shared.observer);
    if time != Duration::MAX {
        checker = checker.time(time);
    }
    checker
}

fn try_out<T: Concurrent, S: Clone + Send + Sync + 'static>(
    shared: &Shared<T, S>,
    test: &Test,
    mut checker: Checker,
) -> Tried {
    let test = Arc::new(test.clone());
    let recorder = Arc::new(Recorder::default());
    let stack = stack_size(&checker.settings);
    let court = Arc::new(Court::new(Arc::clone(shared), Arc::clone(&test), Arc::clone(&recorder), stack));
    checker.referee = shared.judged.then(|| Arc::clone(&court) as Arc<_>);
    let object = Arc::clone(shared);
    let report = checker.run(move || at_once(&object, &test, &recorder));
    let judge = court.judge();
    Tried { judged: judge.judged(), unfinished: judge.unfinished(), report }
}

/// Makes a failing test small, and looks closely at the smallest.
fn show<T: Concurrent, S: Clone + Send + Sync + 'static>(
    shared: &Shared<T, S>,
    test: Test,
    tried: Tried,
    surrounded: bool,
) -> Found {
    let first = test.clone();
    let kind = tried.report.failure().expect("it failed").kind();
    let (mut test, mut report, mut tries) = (test, tried.report, 0);
    if kind != FailureKind::Misuse && shared.effort.only.is_none() {
        let start = Instant::now();
        let quick = || checker(shared, SHRINK_TIME).minimise(0);
        'again: loop {
            for smaller in smaller(&test) {
                if tries == SHRINKS || start.elapsed() > SHRINK_TIME {
                    break 'again;
                }
                tries += 1;
                let tried = try_out(shared, &smaller, quick());
                if tried.report.failure().is_some_and(|f| f.kind() == kind) {
                    (test, report) = (smaller, tried.report);
                    continue 'again;
                }
            }
            break;
        }
    }
    // Once more: what it needs, and the execution that is saved.
    if tries > 0 || surrounded {
        let mut checker = checker(shared, SHRINK_TIME);
        if surrounded && kind != FailureKind::Misuse {
            checker.surroundings = Some(crate::surroundings::Surroundings::new(None));
        }
        let last = try_out(shared, &test, checker).report;
        if last.failure().is_some_and(|f| f.kind() == kind) {
            report = last;
        }
    }
    Found { test: describe(shared, &test), first, small: test, tries, report }
}

/// A test as a person would write it down.
fn describe<T, S>(shared: &Shared<T, S>, test: &Test) -> Vec<(String, String)> {
    let calls = |calls: &[gordian_lin::Call]| {
        calls.iter().map(|&c| shared.call_text(c)).collect::<Vec<_>>().join(", ")
    };
    let mut lines = Vec::new();
    if !test.before.is_empty() {
        lines.push(("first".to_owned(), calls(&test.before)));
    }
    for (i, thread) in test.threads.iter().enumerate() {
        lines.push((format!("main.{}", i + 1), calls(thread)));
    }
    if !test.after.is_empty() {
        lines.push(("last".to_owned(), calls(&test.after)));
    }
    lines
}
