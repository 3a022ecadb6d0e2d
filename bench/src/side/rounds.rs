//! The measurements: tools take turns on each program, in another order each round, and medians are taken over rounds.

use super::catalogue::{BUGGY, Program, RIGHT};
use super::cell::{Cell, Found};
use super::libraries::End;
use super::tool::{COMPLETING, HUNTING, Library, Tool};
use super::truth::Truth;
use std::path::Path;

/// How much is measured.
#[derive(Debug, Clone, Copy)]
pub struct Effort {
    /// CPU seconds after which a cell is ended.
    pub cap: f64,
    /// CPU seconds that brute force gets to establish what is true.
    pub truth: f64,
    /// How often everything that does not hit the cap is measured.
    pub rounds: usize,
    /// How many of the sizes.
    pub sizes: usize,
    /// Seeds of randomised modes.
    pub seeds: u64,
}

/// Everything.
pub const FULL: Effort = Effort { cap: 3.0, truth: 10.0, rounds: 5, sizes: 3, seeds: 20 };
/// To see that it works.
pub const QUICK: Effort = Effort { cap: 0.15, truth: 0.3, rounds: 1, sizes: 1, seeds: 5 };

/// What one tool did with one program.
#[derive(Debug, Clone)]
pub struct Measured {
    /// Whose it is.
    pub tool: Tool,
    /// Why there is nothing.
    pub unsupported: Option<&'static str>,
    /// What each round found out.
    pub rounds: Vec<Found>,
}

/// A program in a size.
pub struct Row {
    /// The program.
    pub program: &'static Program,
    /// Threads and ops.
    pub size: (usize, usize),
    /// What is true of it; buggy programs have no use for it.
    pub truth: Truth,
    /// What the tools did.
    pub tools: Vec<Measured>,
}

/// The middle one.
pub fn median(mut values: Vec<f64>) -> Option<f64> {
    values.sort_by(f64::total_cmp);
    let (len, half) = (values.len(), values.len() / 2);
    match len {
        0 => None,
        _ if len % 2 == 1 => Some(values[half]),
        _ => Some(f64::midpoint(values[half - 1], values[half])),
    }
}

impl Measured {
    /// The first round, which decides what is said about verdicts and outcomes.
    pub fn first(&self) -> Option<&Found> {
        self.rounds.first()
    }

    /// How the search ended, if it did.
    pub fn end(&self) -> Option<&End> {
        self.first()?.runs.first().map(|run| &run.end)
    }

    /// CPU seconds of a search that ended.
    pub fn seconds(&self) -> Option<f64> {
        median(
            self.rounds
                .iter()
                .filter_map(|found| median(found.runs.iter().map(|run| run.seconds).collect()))
                .collect(),
        )
    }

    /// Executions, and whether these are all.
    pub fn executions(&self) -> Option<(u64, bool)> {
        let first = self.first()?;
        let all = first.runs.first().map(|run| (run.executions, true));
        all.or(first.capped.map(|(executions, _)| (executions, false)))
    }

    /// Executions per CPU second.
    pub fn rate(&self) -> Option<f64> {
        match (self.executions()?, self.seconds()) {
            ((executions, true), Some(seconds)) => Some(executions as f64 / seconds),
            _ => self.first()?.capped.map(|(executions, seconds)| executions as f64 / seconds),
        }
    }

    /// How many of the searches found the bug, and of how many.
    pub fn found(&self, seeds: u64) -> (usize, u64) {
        let of = if self.tool.random { seeds } else { 1 };
        let runs = self.first().map_or(&[][..], |found| &found.runs);
        let failed = runs.iter().filter(|run| matches!(run.end, End::Failure(_))).count();
        (failed.min(of as usize), of)
    }

    /// Median executions and CPU seconds to the bug; searches that do not find it count as endless.
    pub fn to_the_bug(&self, seeds: u64) -> Option<(f64, f64)> {
        let all = |found: &Found| {
            let mut values: Vec<(f64, f64)> = found
                .runs
                .iter()
                .map(|run| match run.end {
                    End::Failure(_) => (run.executions as f64, run.seconds),
                    _ => (f64::INFINITY, f64::INFINITY),
                })
                .collect();
            if self.tool.random {
                values.resize(seeds as usize, (f64::INFINITY, f64::INFINITY));
            }
            let executions = median(values.iter().map(|v| v.0).collect())?;
            Some((executions, median(values.iter().map(|v| v.1).collect())?))
        };
        let rounds: Vec<(f64, f64)> = self.rounds.iter().filter_map(all).collect();
        let executions = median(rounds.iter().map(|v| v.0).collect())?;
        let seconds = median(rounds.iter().map(|v| v.1).collect())?;
        seconds.is_finite().then_some((executions, seconds))
    }
}

/// Measures a list of programs with a list of tools.
fn rounds(
    binary: &Path,
    effort: Effort,
    programs: &[(&'static Program, (usize, usize))],
    tools: &[Tool],
    times: impl Fn(Tool) -> u64,
) -> Vec<Vec<Measured>> {
    let mut all: Vec<Vec<Measured>> = programs
        .iter()
        .map(|(program, size)| {
            let entry = |&tool: &Tool| {
                let unsupported = program.unsupported(tool.library, *size);
                Measured { tool, unsupported, rounds: Vec::new() }
            };
            tools.iter().map(entry).collect()
        })
        .collect();
    for round in 0..effort.rounds {
        for (row, (program, size)) in programs.iter().enumerate() {
            eprintln!("round {} of {}: {} {}x{}", round + 1, effort.rounds, program.name, size.0, size.1);
            for turn in 0..tools.len() {
                let measured = &mut all[row][(turn + round + row) % tools.len()];
                // What hit the cap, or crashed, would do so again.
                let over =
                    measured.rounds.iter().any(|found| found.capped.is_some() || found.crashed.is_some());
                if measured.unsupported.is_some() || over {
                    continue;
                }
                let tool = measured.tool;
                let cell =
                    Cell { tool, program: program.name, size: *size, cap: effort.cap, times: times(tool) };
                measured.rounds.push(cell.measure(binary));
            }
        }
    }
    all
}

fn rows(
    programs: Vec<(&'static Program, (usize, usize))>,
    truths: Vec<Truth>,
    measured: Vec<Vec<Measured>>,
) -> Vec<Row> {
    let rows = programs.into_iter().zip(truths).zip(measured);
    rows.map(|(((program, size), truth), tools)| Row { program, size, truth, tools }).collect()
}

/// Full searches of the programs without a bug.
pub fn complete(binary: &Path, effort: Effort) -> Vec<Row> {
    let sizes =
        |program: &'static Program| program.sizes.iter().take(effort.sizes).map(move |size| (program, *size));
    let programs: Vec<_> = RIGHT.iter().flat_map(sizes).collect();
    let measured = rounds(binary, effort, &programs, &COMPLETING, |_| 0);
    let truths = programs
        .iter()
        .zip(&measured)
        .map(|((program, size), tools)| Truth::establish(binary, effort, program.name, *size, tools))
        .collect();
    rows(programs, truths, measured)
}

/// Searches for the bugs.
pub fn hunt(binary: &Path, effort: Effort) -> Vec<Row> {
    let programs: Vec<_> = BUGGY.iter().map(|program| (program, program.sizes[0])).collect();
    // Modes without chance are repeated too, so that all of them are measured warm.
    let measured = rounds(binary, effort, &programs, &HUNTING, |_| effort.seeds);
    let truths = programs.iter().map(|_| Truth::default()).collect();
    rows(programs, truths, measured)
}

/// A line of a plot: a tool, and CPU seconds by size as far as it got.
pub type Line = (Tool, Vec<(usize, f64)>);

/// How the cost of a program grows; `at` makes a size of a number.
pub fn growth(
    binary: &Path,
    effort: Effort,
    program: &'static Program,
    sizes: std::ops::RangeInclusive<usize>,
    at: fn(usize) -> (usize, usize),
) -> Vec<Line> {
    let mut lines: Vec<Line> = COMPLETING.iter().map(|&tool| (tool, Vec::new())).collect();
    lines.retain(|(tool, _)| tool.library != Library::Gordian || tool.mode == "exhaustive");
    let mut over = vec![false; lines.len()];
    for n in sizes {
        for ((tool, points), over) in lines.iter_mut().zip(&mut over) {
            *over = *over || program.unsupported(tool.library, at(n)).is_some();
            if *over {
                continue;
            }
            let cell = Cell { tool: *tool, program: program.name, size: at(n), cap: effort.cap, times: 0 };
            let measured = Measured { tool: *tool, unsupported: None, rounds: vec![cell.measure(binary)] };
            match (measured.end(), measured.seconds()) {
                (Some(End::Complete), Some(seconds)) => points.push((n, seconds)),
                _ => *over = true,
            }
        }
    }
    lines
}
