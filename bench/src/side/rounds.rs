//! The measurements: tools take turns on each program, in another order each round, and medians are taken over rounds.

use super::catalogue::{BUGGY, Program, RIGHT};
use super::cell::{Aim, Cell, MEASURABLE};
use super::libraries::End;
use super::measured::Measured;
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
pub const FULL: Effort = Effort { cap: 3.0, truth: 6.0, rounds: 5, sizes: 3, seeds: 20 };
/// To see that it works.
pub const QUICK: Effort = Effort { cap: 0.15, truth: 0.3, rounds: 1, sizes: 1, seeds: 5 };

/// A program in a size.
pub struct Row {
    /// The program.
    pub program: &'static Program,
    /// Threads and ops.
    pub size: (usize, usize),
    /// What is true of it.
    pub truth: Truth,
    /// What the tools did.
    pub tools: Vec<Measured>,
}

/// Measures a list of programs with a list of tools; and writes their `outcomes` down, in searches that are not measured.
fn rounds(
    binary: &Path,
    effort: Effort,
    programs: &[(&'static Program, (usize, usize))],
    tools: &[Tool],
    outcomes: bool,
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
                // What crashed would do so again. What hit the cap would, too: then only its speed is measured again, as often as that of the others.
                let over = measured.rounds.iter().any(|found| found.crashed.is_some());
                let capped = measured.rounds.iter().any(|found| found.capped.is_some());
                if measured.unsupported.is_some() || over || capped && !outcomes {
                    continue;
                }
                let cap = if capped { MEASURABLE } else { effort.cap };
                let (tool, program) = (measured.tool, program.name);
                let cell = Cell { tool, program, size: *size, cap, times: times(tool), aim: Aim::Time };
                let mut found = cell.measure(binary);
                if outcomes && round == 0 {
                    let other = Cell { aim: Aim::Outcomes, ..cell }.measure(binary);
                    found.outcomes = other.outcomes;
                    found.crashed = found.crashed.or(other.crashed);
                }
                measured.rounds.push(found);
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
    let measured = rounds(binary, effort, &programs, &COMPLETING, true, |_| 0);
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
    let measured = rounds(binary, effort, &programs, &HUNTING, false, |_| effort.seeds);
    let truths = programs.iter().map(|(program, size)| Truth::needs_preemption(binary, program.name, *size));
    let truths = truths.collect();
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
            let (program, cap) = (program.name, effort.cap);
            let cell = Cell { tool: *tool, program, size: at(n), cap, times: 0, aim: Aim::Time };
            let measured = Measured { tool: *tool, unsupported: None, rounds: vec![cell.measure(binary)] };
            match (measured.end(), measured.seconds()) {
                (Some(End::Complete), Some(seconds)) => points.push((n, seconds)),
                _ => *over = true,
            }
        }
    }
    lines
}
