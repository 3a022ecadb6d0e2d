//! docs/benchmarks.md.

use super::libraries::VERSIONS;
use super::measured::Measured;
use super::rounds::{Effort, Row};
use super::summary::{fault, summary, times};
use super::tool::{AUTO, EXHAUSTIVE};
use super::truth::Verdict;
use std::fmt::Write;

const INTRODUCTION: &str = "\
Every measurement is made in a process of its own. The tools take turns on each program, in another order each round; searches \
shorter than 200 ms are repeated, those shorter than 1 ms several at a time, since a look at the clock takes as long as some executions, and \
medians are taken within and over rounds. CPU time is that of the whole process while the search runs. Executions per CPU second are those of \
the fastest 20 ms of each tool, over all rounds: the same search was seen to run at two speeds, up to 1.8 times apart, for reasons outside it that are not known. The first table says as well what \
becomes of the ratios when the 20 ms in the middle count instead. Outcomes are written down in \
searches of their own, which are not measured: to do so would take the fastest tool the largest part of its time. \
Programs are written once (`bench/src/side/programs`) and compiled against each library; all orderings are SeqCst, so the true \
outcomes are those of sequential consistency. They come from Gordian's brute force (`dfs`), or from sleep sets alone (`dfs:sleep`, \
which looks back at no races) where that was too slow; whatever shuttle's brute force saw where it came to its end, or else its random walk, was added, and who lacks it has lost it. `Arc` is std's for all three: loom's own would add executions. loom runs with \
`max_branches` 10,000; shuttle without writing schedules down.";

fn seconds(value: f64) -> String {
    match value {
        v if v < 1e-3 => format!("{:.1} µs", v * 1e6),
        v if v < 1.0 => format!("{:.2} ms", v * 1e3),
        v => format!("{v:.2} s"),
    }
}

fn ratio(mine: Option<f64>, theirs: Option<f64>) -> String {
    match (mine, theirs) {
        (Some(mine), Some(theirs)) => times(theirs / mine),
        _ => String::new(),
    }
}

fn verdict_text(verdict: &Verdict) -> String {
    match verdict {
        Verdict::Right => "right".to_owned(),
        Verdict::NotEnded => "not ended".to_owned(),
        Verdict::Unsupported(why) => format!("not supported: {why}"),
        wrong => format!("**wrong**: {}", fault(wrong).unwrap_or_default()),
    }
}

fn full_row(row: &Row, measured: &Measured, effort: Effort) -> String {
    let verdict = row.truth.judge(measured);
    let mut text = format!(
        "| {} | {}x{} | {} | {} |",
        row.program.name,
        row.size.0,
        row.size.1,
        measured.tool.name,
        verdict_text(&verdict)
    );
    let Some(found) = measured.first().filter(|_| measured.unsupported.is_none()) else {
        return text + " | | | | | |";
    };
    let truth = row.truth.outcomes.as_ref().map_or_else(|| "?".to_owned(), |truth| truth.len().to_string());
    let (executions, all) = measured.executions().unwrap_or((0, false));
    let ended = measured.seconds();
    let mine = row.tools.iter().find(|measured| measured.tool == EXHAUSTIVE).and_then(Measured::seconds);
    let at_least = if all { "" } else { "> " };
    let _ = write!(
        text,
        " {}/{truth} | {at_least}{executions} | {} | {} | {:.1} | {}{} |",
        found.outcomes.len(),
        ended.map_or_else(|| format!("> {} s", effort.cap), seconds),
        measured.rate().map_or_else(String::new, |rate| format!("{rate:.0}")),
        found.memory as f64 / 1024.0,
        if mine.is_some() { at_least } else { "" },
        ratio(mine, ended.or(Some(effort.cap)))
    );
    text
}

fn bug_row(row: &Row, measured: &Measured, effort: Effort) -> String {
    let mut text = format!("| {} | {} |", row.program.name, measured.tool.name);
    if let Some(why) = measured.unsupported {
        let _ = write!(text, " not supported: {why} | | | |");
        return text;
    }
    let (found, of) = measured.found(effort.seeds);
    let mine = row.tools.iter().find(|measured| measured.tool == AUTO);
    let mine = mine.and_then(|mine| mine.to_the_bug(effort.seeds)).map(|(_, seconds)| seconds);
    let _ = match measured.to_the_bug(effort.seeds) {
        Some((executions, time)) => write!(
            text,
            " {found} of {of}{}{} | {executions:.0} | {} | {} |",
            if measured.first().is_some_and(|found| found.aborted) { ", aborts the process" } else { "" },
            if measured.is_impossible(&row.truth) { " †" } else { "" },
            seconds(time),
            ratio(mine, Some(time))
        ),
        None => write!(text, " {found} of {of} | - | - | |"),
    };
    text
}

/// Who established what is true, for the rows in which it was not brute force.
fn doubts(rows: &[Row]) -> String {
    let by = |who: &str| {
        let rows = rows.iter().filter(|row| row.truth.by == who);
        rows.map(|row| format!("{} {}x{}", row.program.name, row.size.0, row.size.1))
            .collect::<Vec<_>>()
            .join(", ")
    };
    let mut text = String::new();
    for (who, says) in [
        (
            "dfs:sleep",
            "True outcomes from `dfs:sleep` and shuttle's random walk, since brute force did not end in time",
        ),
        ("nobody", "True outcomes unknown"),
    ] {
        let rows = by(who);
        if !rows.is_empty() {
            let _ = writeln!(text, "{says}: {rows}.\n");
        }
    }
    text
}

/// The page. `figures` are the names of those that were drawn.
pub fn page(complete: &[Row], bugs: &[Row], effort: Effort, figures: &[(String, String)]) -> String {
    let [(_, loom), (_, shuttle)] = VERSIONS;
    let mut text = format!(
        "# Benchmarks\n\nGordian beside loom {loom} and shuttle {shuttle}, written by `cargo run --release -p gordian-bench` ({} rounds, {} seeds, searches \
         ended after {} CPU seconds). How fast Gordian alone is: [rates](rates.md).\n\n{}\n{INTRODUCTION}\n\n{}",
        effort.rounds,
        effort.seeds,
        effort.cap,
        summary(complete, bugs, effort),
        doubts(complete)
    );
    text.push_str("## Programs\n\nLines to change are those that differ from the program on std: imports, and the attribute (Gordian) or the call around it (loom, shuttle).\n\n| program | what it does | lines to change: gordian | loom | shuttle |\n|---|---|--:|--:|--:|\n");
    for program in super::catalogue::RIGHT.iter().chain(&super::catalogue::BUGGY) {
        let imports = program.imports();
        let _ = writeln!(
            text,
            "| {} | {} | {} | {} | {} |",
            program.name,
            program.about,
            imports + 1,
            imports + 2,
            imports + 2
        );
    }
    text.push_str("\n## Full searches\n\nThe last column is CPU time over that of `gordian exhaustive`.\n\n| program | threads x ops | tool | verdict | outcomes seen/true | executions | CPU time | executions per CPU second | peak MiB | times gordian |\n|---|---|---|---|--:|--:|--:|--:|--:|--:|\n");
    for row in complete {
        for measured in &row.tools {
            let _ = writeln!(text, "{}", full_row(row, measured, effort));
        }
    }
    let _ = writeln!(
        text,
        "\n## Bugs\n\nMedian executions and CPU time to the first failure; the last column is CPU time over that of `gordian auto`. A dash: not found in half of the searches within 1,000,000 executions and {} CPU seconds for all of them. †: loom failed in its first execution, which has no preemption, and Gordian's `preemptions:0` proves that no such execution can fail: loom let a SeqCst load read an old value.\n\n| bug | tool | found | executions | CPU time | times auto |\n|---|---|---|--:|--:|--:|",
        effort.cap
    );
    for row in bugs {
        for measured in &row.tools {
            let _ = writeln!(text, "{}", bug_row(row, measured, effort));
        }
    }
    if !figures.is_empty() {
        text.push_str("\n## Growth\n\nCPU time of a full search by size. A line ends where the tool hits the cap, is wrong about the program, or does not support it.\n");
        for (file, about) in figures {
            let _ = write!(text, "\n![{about}](figures/{file})\n");
        }
    }
    text
}
