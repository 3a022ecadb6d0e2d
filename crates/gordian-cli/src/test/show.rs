//! What a person sees of each test, and the summary.

use super::find::Case;
use super::outcome::{Found, Outcome, Verdict};
use crate::saved;
use console::style;
use gordian_report::{Look, Sources};
use std::collections::HashSet;
use std::io::IsTerminal;
use std::time::Duration;

/// How results are shown.
pub(crate) struct Show {
    look: Look,
    terminal: bool,
    /// There is more than one program, so names alone do not say which test is meant.
    labels: bool,
}

impl Show {
    /// `width` is that of the terminal, if it can be measured.
    pub(crate) fn new(cases: &[Case<'_>], width: Option<usize>) -> Show {
        let terminal = std::io::stdout().is_terminal();
        let look = Look::from_environment(terminal);
        let look = width.map_or(look, |width| look.columns(width));
        let labels: HashSet<&str> = cases.iter().map(|case| &*case.program.label).collect();
        Show { look, terminal, labels: labels.len() > 1 }
    }

    /// The test as people are told.
    pub(crate) fn name(&self, case: &Case<'_>) -> String {
        if self.labels { format!("{} {}", case.program.label, case.name) } else { case.name.clone() }
    }

    /// Prints how a test ended.
    pub(crate) fn outcome(&self, case: &Case<'_>, outcome: &Outcome) {
        let verdict = match outcome.verdict {
            Verdict::Passed => style("passed ").green(),
            Verdict::Failed => style("FAILED ").red().bold(),
            Verdict::Error => style("ERROR  ").red().bold(),
            Verdict::Ignored => style("ignored").yellow(),
        };
        println!("{verdict} {}", self.name(case));
        match (outcome.verdict, &outcome.failure) {
            (Verdict::Ignored, _) => {}
            (Verdict::Passed, _) => {
                outcome.text.trim_end().lines().for_each(|line| println!("        {line}"));
            }
            (_, Some(found)) => println!("{}\n", self.failure(case, found, &outcome.text).trim_end()),
            _ => println!("{}\n", outcome.text.trim_end()),
        }
    }

    /// On a terminal the failure is drawn anew from its trace, with colours.
    fn failure(&self, case: &Case<'_>, found: &Found, text: &str) -> String {
        let rest = text.strip_prefix(&*found.text).filter(|_| self.terminal && !found.text.is_empty());
        let sources = || Sources::from_environment().and_near(case.program.folder());
        let drawn = rest.zip(found.trace.as_deref()).and_then(|(rest, trace)| {
            Some(saved::drawn(&gordian_model::Recording::load(trace).ok()?, &sources(), &self.look)? + rest)
        });
        drawn.unwrap_or_else(|| text.to_owned())
    }

    /// Prints the summary.
    pub(crate) fn summary(&self, results: &[(&Case<'_>, &Outcome)], took: Duration) {
        let of = |verdict| results.iter().filter(move |(_, outcome)| outcome.verdict == verdict);
        let mut parts = Vec::new();
        for (verdict, word) in [
            (Verdict::Passed, "passed"),
            (Verdict::Failed, "failed"),
            (Verdict::Error, "could not be checked"),
            (Verdict::Ignored, "ignored"),
        ] {
            match of(verdict).count() {
                0 => {}
                n => parts.push(format!("{n} {word}")),
            }
        }
        let count = |n: u64, word: &str| format!("{n} {word}{}", if n == 1 { "" } else { "s" });
        let executions = results.iter().map(|(_, outcome)| outcome.executions).sum();
        println!(
            "\n{}: {} ({}, {took:.2?})",
            count(results.len() as u64, "test"),
            parts.join(", "),
            count(executions, "execution")
        );
        let unfinished = |outcome: &Outcome| !outcome.complete && !outcome.as_it_should;
        match of(Verdict::Passed).filter(|(_, outcome)| unfinished(outcome)).count() {
            0 => {}
            1 => println!("1 of those that passed was not searched to the end: see what it guarantees"),
            n => println!("{n} of those that passed were not searched to the end: see what they guarantee"),
        }
        let here = std::env::current_dir().unwrap_or_default();
        for (case, outcome) in of(Verdict::Failed).chain(of(Verdict::Error)) {
            let found = outcome.failure.as_ref();
            println!("  {}: {}", self.name(case), found.map_or("", |found| &found.kind));
            if let Some(page) = found.and_then(Found::page) {
                println!("    {}", page.strip_prefix(&here).unwrap_or(&page).display());
            }
        }
    }
}
