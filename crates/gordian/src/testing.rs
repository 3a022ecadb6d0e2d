//! Checks that are tests: they take the surroundings into account and panic with the report when something fails.

use crate::checker::Checker;
use crate::record;
use crate::report::Report;
use crate::settings::Wrong;
use crate::surroundings::Surroundings;
use gordian_model::FailureKind;
use std::fmt::Debug;

/// Checks the closure with the default search and panics with the report when something fails.
///
/// The environment and `gordian.toml` count as they do for [`#[gordian::test]`](crate::test). The name of the test is that
/// of the OS thread, which `cargo test` names after the test (but not with `--test-threads=1`; the attribute always
/// knows it).
#[track_caller]
pub fn check<F>(body: F)
where
    F: Fn() + Send + Sync + 'static,
{
    let thread = std::thread::current();
    let name = thread.name().filter(|&name| name != "main").unwrap_or_default();
    let report = Checker::new().name(name).from_environment().run(body);
    stop_if_aborting(&report);
    if report.failure().is_some() {
        panic!("{report}");
    }
    println!("{report}");
}

/// What `#[gordian::test]` says.
pub struct Test {
    /// `module_path!()`
    pub module: &'static str,
    /// The name of the function.
    pub name: &'static str,
    /// Both, in a form that can be found in the bytes of the program: that is how the tests of a program are known without
    /// running any.
    pub marker: &'static str,
    /// The folder of the package when it was built.
    pub manifest: Option<&'static str>,
    /// Keys and values.
    pub settings: &'static [(&'static str, &'static str)],
    /// The kind of failure that has to be found; empty if any will do.
    pub should_fail: Option<&'static str>,
    /// Markers that have to be reached.
    pub cover: &'static [&'static str],
}

impl Test {
    /// The name as `cargo test` shows it: without the crate.
    fn name(&self) -> String {
        match self.module.split_once("::") {
            Some((_, modules)) => format!("{modules}::{}", self.name),
            None => self.name.to_owned(),
        }
    }

    fn checker(&self) -> Checker {
        let mut checker = Checker::new().name(self.name()).must_cover(self.cover.iter().copied());
        for (key, value) in self.settings {
            if let Err(Wrong::Value(expected)) = checker.settings.set(key, value) {
                checker.wrong = Some(format!("#[gordian::test({key} = {value:?})]: {expected}"));
            }
        }
        // Nobody reads it, and yet it has to be in the program.
        std::hint::black_box(self.marker);
        let saves = self.should_fail.is_none();
        checker.surroundings = Some(Surroundings { saves, ..Surroundings::new(self.manifest) });
        checker
    }
}

/// Runs a test.
#[track_caller]
pub fn run_test<F>(test: Test, body: F)
where
    F: Fn() + Send + Sync + 'static,
{
    let report = test.checker().run(body);
    record::write(&test.name(), test.should_fail, &report, &report.to_string());
    stop_if_aborting(&report);
    let found = report.failure().map(|failure| failure.kind());
    match (test.should_fail, found) {
        (None, None) => println!("{report}"),
        (None, Some(_)) | (Some(_), Some(FailureKind::Misuse)) => panic!("{report}"),
        (Some(_), None) => panic!("should_fail: a failure was expected, but there is {report}"),
        (Some(""), Some(_)) => println!("failed, as it should:\n{report}"),
        (Some(expected), Some(kind)) if expected == kind.to_string() => {
            println!("failed, as it should:\n{report}")
        }
        (Some(expected), Some(kind)) => {
            panic!("should_fail = {expected:?}: a {kind} was found instead\n{report}")
        }
    }
}

/// Where a panic ends the process, it would take the sentence that says why with it.
fn stop_if_aborting(report: &Report) {
    if cfg!(panic = "abort") {
        eprintln!("{report}");
        std::process::exit(2);
    }
}

/// What a test function may return.
#[diagnostic::on_unimplemented(
    message = "a check returns nothing or a Result, not `{Self}`",
    label = "the return type of this check"
)]
pub trait Outcome {
    /// Panics if it is a failure.
    fn settle(self);
}

impl Outcome for () {
    fn settle(self) {}
}

impl<T: Outcome, E: Debug> Outcome for Result<T, E> {
    #[track_caller]
    fn settle(self) {
        match self {
            Ok(value) => value.settle(),
            Err(error) => panic!("the test returned Err({error:?})"),
        }
    }
}

/// Turns an `Err` into a panic, which is a failure of the execution.
#[track_caller]
pub fn outcome(result: impl Outcome) {
    result.settle();
}
