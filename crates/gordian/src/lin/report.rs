//! What trying tests has shown.

use super::object::Effort;
use crate::report::Failure;
use gordian_lin::Test;
use std::collections::BTreeMap;
use std::fmt;
use std::time::Duration;

/// A test that failed.
#[derive(Clone, Debug)]
pub(super) struct Found {
    /// Who calls what.
    pub(super) test: Vec<(String, String)>,
    pub(super) first: Test,
    pub(super) small: Test,
    /// How many smaller ones were tried.
    pub(super) tries: u32,
    pub(super) report: crate::Report,
}

/// What was found in tests of one size.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
struct Tests {
    all: u64,
    complete: u64,
}

/// What a check for linearizability found.
#[derive(Clone, Debug)]
pub struct Report {
    search: String,
    tests: u64,
    executions: u64,
    judged: u64,
    histories: u64,
    unfinished: u64,
    /// By threads and calls of each.
    sizes: BTreeMap<(usize, usize), Tests>,
    stopped: Option<Duration>,
    found: Option<Box<Found>>,
    pub(super) elapsed: Duration,
}

impl Report {
    pub(super) fn new(effort: &Effort) -> Report {
        Report::empty(effort.search.to_string())
    }

    fn empty(search: String) -> Report {
        Report {
            search,
            tests: 0,
            executions: 0,
            judged: 0,
            histories: 0,
            unfinished: 0,
            sizes: BTreeMap::new(),
            stopped: None,
            found: None,
            elapsed: Duration::ZERO,
        }
    }

    pub(super) fn misuse(message: String) -> Report {
        Report::of_replay(crate::checker::misuse(message))
    }

    pub(super) fn of_replay(report: crate::Report) -> Report {
        let (executions, elapsed) = (report.executions(), report.elapsed());
        let mut all = Report { tests: 1, executions, elapsed, ..Report::empty(String::new()) };
        all.found(Found {
            test: Vec::new(),
            first: Test::default(),
            small: Test::default(),
            tries: 0,
            report,
        });
        all
    }

    pub(super) fn count(
        &mut self,
        test: &Test,
        report: &crate::Report,
        (judged, histories): (u64, usize),
        unfinished: u64,
    ) {
        self.tests += 1;
        self.executions += report.executions();
        self.judged += judged;
        self.histories += histories as u64;
        self.unfinished += unfinished;
        let calls = test.threads.iter().map(Vec::len).max().unwrap_or(0);
        let size = self.sizes.entry((test.threads.len(), calls)).or_default();
        size.all += 1;
        size.complete += u64::from(report.complete());
    }

    pub(super) fn out_of_time(&mut self, time: Duration) {
        self.stopped = Some(time);
    }

    pub(super) fn found(&mut self, found: Found) {
        self.found = Some(Box::new(found));
    }

    /// How many tests were tried.
    pub fn tests(&self) -> u64 {
        self.tests
    }

    /// How many executions there were, of all tests.
    pub fn executions(&self) -> u64 {
        self.executions
    }

    /// How many different histories there were: what the calls returned, and what depends on what.
    pub fn histories(&self) -> u64 {
        self.histories
    }

    /// How long it took.
    pub fn elapsed(&self) -> Duration {
        self.elapsed
    }

    /// The failure, if a test failed.
    pub fn failure(&self) -> Option<&Failure> {
        self.found.as_ref().and_then(|found| found.report.failure())
    }

    /// The smallest test that fails, by number; [`Object::test`](super::Object::test) takes it.
    pub fn test(&self) -> Option<String> {
        self.found.as_ref().map(|found| found.small.to_string())
    }

    /// The test that failed first, which the smallest was made from.
    pub fn first_test(&self) -> Option<String> {
        self.found.as_ref().map(|found| found.first.to_string())
    }

    /// Who calls what in the smallest test that fails.
    pub fn calls(&self) -> &[(String, String)] {
        self.found.as_ref().map_or(&[], |found| &found.test)
    }

    /// The report on the test that failed.
    pub fn of_test(&self) -> Option<&crate::Report> {
        self.found.as_ref().map(|found| &found.report)
    }

    /// What is true now.
    pub fn guarantee(&self) -> String {
        if self.failure().is_some() {
            return "a failure was found".to_owned();
        }
        let size = |(&(threads, calls), tests): (&(usize, usize), &Tests)| {
            let Tests { all, complete } = *tests;
            let what = if complete == all {
                "in every interleaving".to_owned()
            } else if complete == 0 {
                "in the interleavings tried".to_owned()
            } else {
                format!("{complete} of them in every interleaving")
            };
            let plural = if all == 1 { "test" } else { "tests" };
            format!("{all} {plural} of {threads} threads with up to {calls} calls: {what}")
        };
        let sizes: Vec<String> = self.sizes.iter().map(size).collect();
        let mut text = format!("no violation in {}", sizes.join("; "));
        if self.unfinished > 0 {
            text += &format!(
                "; in {} of {} histories the calls depend so little on each other that not every order of beginnings and ends was looked at",
                self.unfinished, self.histories
            );
        }
        if let Some(time) = self.stopped {
            text += &format!("; stopped by the time limit of {time:?}");
        }
        text
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Some(found) = &self.found else {
            return write!(
                f,
                "{}\n{} tests, {} executions, {} histories judged, {} of them different ({}, {:.1?})",
                self.guarantee(),
                self.tests,
                self.executions,
                self.judged,
                self.histories,
                self.search,
                self.elapsed
            );
        };
        if !found.test.is_empty() {
            let width = found.test.iter().map(|line| line.0.len()).max().unwrap_or(0);
            writeln!(f, "the smallest test that fails:")?;
            for (who, calls) in &found.test {
                writeln!(f, "  {who:width$}  {calls}")?;
            }
            let was = if found.first == found.small {
                String::new()
            } else {
                format!(
                    ", made from one with {} calls by trying {} smaller ones",
                    found.first.len(),
                    found.tries
                )
            };
            writeln!(f, "(test {}{was})\n", self.tests)?;
        }
        write!(f, "{}", found.report)
    }
}
