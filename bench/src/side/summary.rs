//! The lines at the top of the page, and whether the targets are met.

use super::libraries::{End, VERSIONS};
use super::measured::{Measured, median};
use super::rounds::{Effort, Row};
use super::tool::{AUTO, EXHAUSTIVE, LOOM, Library, SHUTTLE, Tool};
use super::truth::Verdict;
use std::fmt::Write;

/// A ratio of a peer to Gordian, on one row.
struct Ratio {
    value: f64,
    /// The peer was ended at the cap, so that it is at least this.
    at_least: bool,
    row: String,
}

fn name(row: &Row) -> String {
    format!("{} {}x{}", row.program.name, row.size.0, row.size.1)
}

fn of(row: &Row, tool: Tool) -> &Measured {
    row.tools.iter().find(|measured| measured.tool == tool).expect("every row has every tool")
}

fn complete(measured: &Measured) -> Option<f64> {
    (measured.end() == Some(&End::Complete)).then(|| measured.seconds()).flatten()
}

/// CPU time to completion: rows on which one of the two came to its end, and the other did or was ended at the cap.
fn time_ratios(rows: &[Row], mine: Tool, peer: Tool) -> Vec<Ratio> {
    let ratio = |row: &Row| {
        let (mine, peer) = (of(row, mine), of(row, peer));
        // Where Gordian is ended and the peer is not, the peer is faster by at least this.
        let mine =
            complete(mine).or_else(|| complete(peer).and(mine.first()?.capped.map(|(_, used)| used)))?;
        let (theirs, at_least) = match complete(peer) {
            Some(seconds) => (seconds, false),
            None => (peer.first()?.capped?.1, true),
        };
        Some(Ratio { value: theirs / mine, at_least, row: name(row) })
    };
    rows.iter().filter_map(ratio).collect()
}

/// Executions per CPU second, Gordian's over the peer's.
fn rate_ratios(rows: &[Row], mine: Tool, peer: Tool, rate: fn(&Measured) -> Option<f64>) -> Vec<Ratio> {
    let ratio = |row: &Row| {
        let peer = of(row, peer);
        // One execution that ends in a false alarm says nothing about speed.
        let counts = complete(peer).is_some() || peer.first()?.capped.is_some();
        let value = counts.then(|| rate(of(row, mine)))?? / rate(peer)?;
        Some(Ratio { value, at_least: false, row: name(row) })
    };
    rows.iter().filter_map(ratio).collect()
}

fn worst(ratios: &[Ratio]) -> Option<&Ratio> {
    ratios.iter().min_by(|a, b| a.value.total_cmp(&b.value))
}

fn middle(ratios: &[Ratio]) -> f64 {
    median(ratios.iter().map(|ratio| ratio.value).collect()).unwrap_or(f64::NAN)
}

/// A ratio as people write it.
pub fn times(value: f64) -> String {
    match value {
        v if v >= 100.0 => format!("{v:.0}"),
        v if v >= 10.0 => format!("{v:.1}"),
        v => format!("{v:.2}"),
    }
}

fn met(yes: bool) -> &'static str {
    if yes { "met" } else { "**missed**" }
}

fn version(library: Library) -> String {
    let name = if library == Library::Loom { "loom" } else { "shuttle" };
    let version = VERSIONS.iter().find(|(library, _)| *library == name).map_or("?", |(_, version)| version);
    format!("{name} {version}")
}

/// What is wrong about a verdict, if anything.
pub fn fault(verdict: &Verdict) -> Option<String> {
    match verdict {
        Verdict::Outcomes { lost, impossible } => {
            let outcomes = |n: usize| if n == 1 { "outcome" } else { "outcomes" };
            let text = |n: usize, what| (n > 0).then(|| format!("{n} {what} {}", outcomes(n)));
            let (lost, impossible) = (text(*lost, "lost"), text(*impossible, "impossible"));
            Some(lost.into_iter().chain(impossible).collect::<Vec<_>>().join(", "))
        }
        Verdict::FalseAlarm(text) => {
            Some(format!("false alarm ({})", text.chars().take(60).collect::<String>().replace('|', "/")))
        }
        Verdict::Crashed(how) => Some(format!("crashed ({how})")),
        Verdict::Right | Verdict::NotEnded | Verdict::Unsupported(_) => None,
    }
}

/// How `auto` does against the best mode of the other libraries on each bug: its time over theirs. `all`: count failures too
/// that cannot happen.
fn bug_ratios(rows: &[Row], effort: Effort, all: bool) -> Vec<(String, f64, String)> {
    let ratio = |row: &Row| {
        let mine = of(row, AUTO).to_the_bug(effort.seeds).map_or(f64::INFINITY, |(_, seconds)| seconds);
        let peers = row.tools.iter().filter(|measured| measured.tool.library != Library::Gordian);
        let peers = peers.filter(|peer| all || !peer.is_impossible(&row.truth));
        let times = peers.filter_map(|peer| Some((peer.to_the_bug(effort.seeds)?.1, peer.tool.name)));
        let (theirs, who) = times.min_by(|a, b| a.0.total_cmp(&b.0)).unwrap_or((f64::INFINITY, "nobody"));
        (row.program.name.to_owned(), mine / theirs, who.to_owned())
    };
    rows.iter().map(ratio).collect()
}

/// The lines.
pub fn summary(complete: &[Row], bugs: &[Row], effort: Effort) -> String {
    let mut text = String::from("| target | measured | |\n|---|---|---|\n");
    for peer in [LOOM, SHUTTLE] {
        let ratios = time_ratios(complete, EXHAUSTIVE, peer);
        let bounds = ratios.iter().filter(|ratio| ratio.at_least).count();
        let middle = middle(&ratios);
        let _ = writeln!(
            text,
            "| a full search takes at least 50 times less CPU time than {} on the median program | median {} over {} programs and sizes, of which {bounds} are lower bounds (the peer was ended after {} s) | {} |",
            peer.name,
            times(middle),
            ratios.len(),
            effort.cap,
            met(middle >= 50.0)
        );
        for mine in [EXHAUSTIVE, AUTO] {
            if let Some(worst) = worst(&time_ratios(complete, mine, peer)) {
                let _ = writeln!(
                    text,
                    "| `{}` is never slower than {} | worst {}{} ({}) | {} |",
                    mine.mode,
                    peer.name,
                    if worst.at_least { "at least " } else { "" },
                    times(worst.value),
                    worst.row,
                    met(worst.value >= 1.0)
                );
            }
        }
    }
    type Rate = fn(&Measured) -> Option<f64>;
    for (peer, target) in [(LOOM, 40.0), (SHUTTLE, 4.0)] {
        for (rate, which) in [
            (Measured::rate as Rate, "the fastest piece of each"),
            (Measured::usual_rate, "the piece in the middle"),
        ] {
            let ratios = rate_ratios(complete, EXHAUSTIVE, peer, rate);
            let (middle, worst) = (middle(&ratios), worst(&ratios));
            let _ = writeln!(
                text,
                "| at least {target} times the executions per CPU second of {}, with reduction on ({which}) | median {}, worst {} | {} |",
                peer.name,
                times(middle),
                worst.map_or_else(String::new, |w| format!("{} ({})", times(w.value), w.row)),
                met(middle >= target)
            );
        }
    }
    let all = complete.iter().flat_map(|row| row.tools.iter().map(move |measured| (row, measured)));
    let judged: Vec<_> = all.map(|(row, measured)| (row, measured.tool, row.truth.judge(measured))).collect();
    let mine = judged.iter().filter(|(_, tool, _)| tool.library == Library::Gordian);
    let bad: Vec<String> = mine
        .filter(|(_, _, verdict)| *verdict != Verdict::Right)
        .map(|(row, tool, verdict)| {
            format!(
                "{} `{}`: {}",
                name(row),
                tool.mode,
                fault(verdict).unwrap_or_else(|| "not ended".to_owned())
            )
        })
        .collect();
    let _ = writeln!(
        text,
        "| the right verdict and every outcome on every program | {} | {} |",
        if bad.is_empty() { "all right".to_owned() } else { bad.join("; ") },
        met(bad.is_empty())
    );
    for (all, which) in [(false, ""), (true, ", failures that cannot happen included (†)")] {
        let ratios = bug_ratios(bugs, effort, all);
        let slow: Vec<String> = ratios
            .iter()
            .filter(|(_, ratio, _)| ratio.is_nan() || *ratio > 1.2)
            .map(|(bug, ratio, who)| format!("{bug} {} times {who}", times(*ratio)))
            .collect();
        let _ = writeln!(
            text,
            "| time to the first bug: `auto` is first or within 1.2 times of the best peer mode on every bug{which} | so on {} of {}{} | {} |",
            ratios.len() - slow.len(),
            ratios.len(),
            if slow.is_empty() { String::new() } else { format!("; not on {}", slow.join(", ")) },
            met(slow.is_empty())
        );
    }
    text.push_str("\nWhere a peer is wrong:\n\n");
    for (row, tool, verdict) in &judged {
        if tool.library != Library::Gordian
            && let Some(fault) = fault(verdict)
        {
            let _ = writeln!(text, "- {} on {}: {fault}", version(tool.library), name(row));
        }
    }
    for row in bugs {
        if row.tools.iter().any(|measured| measured.is_impossible(&row.truth)) {
            let _ = writeln!(
                text,
                "- {} on {}: fails in its first execution, which has no preemption, although no such execution can fail (†)",
                version(Library::Loom),
                name(row)
            );
        }
    }
    text
}
