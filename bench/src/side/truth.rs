//! What is true of a program: the outcomes that brute force sees; where that takes too long, those that sleep sets alone leave, which look back at no races. Gordian is not
//! believed alone: whatever shuttle's brute force sees, when it comes to its end, or else its random walk, is true as well, and a search that lacks it is wrong.

use super::cell::{Aim, Cell, Found};
use super::libraries::End;
use super::measured::Measured;
use super::rounds::Effort;
use super::tool::{BRUTE, SHUTTLE, SLEEPING, UNPREEMPTED, WALK};
use std::collections::BTreeSet;
use std::path::Path;

/// The true outcomes, and who says so.
#[derive(Debug, Clone, Default)]
pub struct Truth {
    /// The outcomes; none if nobody knows.
    pub outcomes: Option<BTreeSet<u64>>,
    /// Who has established them.
    pub by: &'static str,
    /// It has a bug, and no execution without preemptions shows it: proved by Gordian.
    pub needs_preemption: bool,
}

/// What a verdict on a correct program comes to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Verdict {
    /// It passed, with every outcome.
    Right,
    /// It passed, and outcomes are missing or impossible.
    Outcomes {
        /// How many true ones were not seen.
        lost: usize,
        /// How many that cannot be were.
        impossible: usize,
    },
    /// It failed.
    FalseAlarm(String),
    /// It did not come to its end.
    NotEnded,
    /// The process died.
    Crashed(String),
    /// The library lacks what the program needs.
    Unsupported(&'static str),
}

fn completed(found: &Found) -> bool {
    found.runs.first().is_some_and(|run| run.end == End::Complete)
}

impl Truth {
    /// Asks brute force, and sleep sets where that does not end in time.
    pub fn establish(
        binary: &Path,
        effort: Effort,
        program: &'static str,
        size: (usize, usize),
        tools: &[Measured],
    ) -> Truth {
        // The two locks let threads in, in the same orders; only how they wait differs.
        let program = if program == "swap" { "spin" } else { program };
        eprintln!("truth: {program} {}x{}", size.0, size.1);
        let ask = |tool, cap| Cell { tool, program, size, cap, times: 0, aim: Aim::Outcomes }.measure(binary);
        let (mut outcomes, mut by) = (None, "nobody");
        for (tool, name) in [(BRUTE, "dfs"), (SLEEPING, "dfs:sleep")] {
            let found = ask(tool, effort.truth);
            if completed(&found) {
                (outcomes, by) = (Some(found.outcomes), name);
                break;
            }
        }
        let shuttle = tools.iter().find(|measured| measured.tool == SHUTTLE).and_then(Measured::first);
        if let Some(shuttle) = shuttle.filter(|found| completed(found)) {
            by = if by == "dfs" { "dfs, shuttle dfs" } else { "shuttle dfs" };
            outcomes.get_or_insert_default().extend(&shuttle.outcomes);
        } else if let Some(outcomes) = &mut outcomes {
            outcomes.extend(&ask(WALK, effort.truth / 6.0).outcomes);
        }
        Truth { outcomes, by, needs_preemption: false }
    }

    /// Finds out whether a bug shows without preemptions.
    pub fn needs_preemption(binary: &Path, program: &'static str, size: (usize, usize)) -> Truth {
        let found =
            Cell { tool: UNPREEMPTED, program, size, cap: 1.0, times: 1, aim: Aim::Time }.measure(binary);
        Truth { needs_preemption: completed(&found), ..Truth::default() }
    }

    /// Judges what a tool did with a program that has no bug.
    pub fn judge(&self, measured: &Measured) -> Verdict {
        if let Some(why) = measured.unsupported {
            return Verdict::Unsupported(why);
        }
        let Some(found) = measured.first() else { return Verdict::NotEnded };
        if let Some(how) = &found.crashed {
            return Verdict::Crashed(how.clone());
        }
        if let Some(End::Failure(text)) = measured.end() {
            return Verdict::FalseAlarm(text.clone());
        }
        let Some(truth) = &self.outcomes else { return Verdict::NotEnded };
        let impossible = found.outcomes.difference(truth).count();
        let lost = if completed(found) { truth.difference(&found.outcomes).count() } else { 0 };
        match (lost, impossible, completed(found)) {
            (0, 0, true) => Verdict::Right,
            (0, 0, false) => Verdict::NotEnded,
            _ => Verdict::Outcomes { lost, impossible },
        }
    }
}
