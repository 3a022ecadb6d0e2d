//! What the table is to show, and whether it does.

use crate::table::{Cell, Row, SEARCHES, best, fastest};
use crate::{Program, SECTIONS};
use gordian::Checker;
use gordian_bench::side::measured;
use std::fmt::Write;
use std::time::Duration;

/// Executions and seconds to exhaust a bound in.
const EXHAUST: (u64, u64) = (200_000, 10);

/// How many executions it takes to exhaust a bound of two preemptions on the fixed version, with the reduction and without; and
/// whether it was exhausted.
pub type Exhausted = [(u64, bool); 2];

/// Exhausts two preemptions on the fixed version of a lock-free program.
pub fn exhaust(program: &Program) -> Option<Exhausted> {
    is_in("Lock-free", program).then(|| {
        ["preemptions:2", "preemptions:2,dfs"].map(|search| {
            let body = program.body;
            let report = Checker::new()
                .search(search)
                .executions(EXHAUST.0)
                .time(Duration::from_secs(EXHAUST.1))
                .run(move || body(false));
            (report.executions() + report.blocked(), report.complete())
        })
    })
}

fn is_in(section: &str, program: &Program) -> bool {
    let mut sections = SECTIONS.iter().filter(|s| s.title.starts_with(section));
    sections.any(|s| s.programs.iter().any(|p| p.name == program.name))
}

fn cell<'a>(row: &'a Row, search: &str) -> &'a Cell {
    let place = SEARCHES.iter().position(|s| s.0 == search).expect("a search of the table");
    &row.cells[place]
}

fn executions(row: &Row, search: &str) -> Option<u64> {
    cell(row, search).median().map(|m| m.0)
}

fn median(all: Vec<f64>) -> f64 {
    measured::median(all).unwrap_or(f64::NAN)
}

fn names<'a>(rows: impl Iterator<Item = &'a Row>) -> Vec<&'static str> {
    rows.map(|row| row.program.name).collect()
}

fn list(names: &[&str]) -> String {
    if names.is_empty() { "none".to_owned() } else { names.join(", ") }
}

/// The claims as a table.
pub fn claims(rows: &[Row]) -> String {
    let mut page = String::from("| claim | measured | |\n|---|---|---|\n");
    let mut claim = |claim: &str, met: bool, measured: String| {
        let _ = writeln!(page, "| {claim} | {measured} | {} |", if met { "met" } else { "**missed**" });
    };
    let late = |row: &&Row| {
        let auto = cell(row, "auto");
        auto.found.len() < auto.tried || auto.found.iter().any(|found| found.seconds > 2.0)
    };
    let late = names(rows.iter().filter(late));
    claim(
        "`auto` finds every bug with every seed, within the limit on executions and 2 CPU seconds",
        late.is_empty(),
        format!("not so: {}", list(&late)),
    );
    auto(rows, &mut claim);
    reduction(rows, &mut claim);
    best_first(rows, &mut claim);
    let unproved = names(rows.iter().filter(|row| !row.proved));
    claim(
        "every fixed version reaches a guarantee, and none fails",
        unproved.is_empty(),
        format!("not so: {}", list(&unproved)),
    );
    let differs = |row: &&Row| row.program.published.is_some() && row.needs != row.program.published;
    let differs = names(rows.iter().filter(differs));
    let published = rows.iter().filter(|row| row.program.published.is_some()).count();
    claim(
        "every published (c, v, t) is reproduced, or the difference explained",
        rows.iter().filter(|r| differs.contains(&r.program.name)).all(|r| !r.program.remark.is_empty()),
        format!(
            "{} of {published} reproduced; explained below: {}",
            published - differs.len(),
            list(&differs)
        ),
    );
    page
}

type Claim<'a> = &'a mut dyn FnMut(&str, bool, String);

/// How much slower `auto` is than whatever is best for the bug.
fn auto(rows: &[Row], claim: Claim<'_>) {
    let times = |row: &Row| Some((cell(row, "auto").median()?.1 / fastest(row)?.1, row.program.name));
    let counts = |row: &Row| Some(cell(row, "auto").median()?.0 as f64 / best(row)?.1 as f64);
    let mut times: Vec<_> = rows.iter().filter_map(times).collect();
    times.sort_by(|a, b| b.0.total_cmp(&a.0));
    let slow: Vec<String> =
        times.iter().filter(|t| t.0 > 5.0).map(|(times, name)| format!("{name} {times:.1}")).collect();
    claim(
        "`auto` is never more than 5 times slower than the best strategy for the bug (CPU time)",
        slow.is_empty(),
        format!("more than 5 times: {}", if slow.is_empty() { "none".to_owned() } else { slow.join(", ") }),
    );
    let middle = median(times.iter().map(|t| t.0).collect());
    claim(
        "and on the median at most 1.5 times",
        middle <= 1.5,
        format!(
            "{middle:.2} times; in executions {:.2} times",
            median(rows.iter().filter_map(counts).collect())
        ),
    );
}

/// What the reduction saves where preemptions are bounded.
fn reduction(rows: &[Row], claim: Claim<'_>) {
    let rows: Vec<&Row> = rows.iter().filter(|row| row.exhausted.is_some()).collect();
    let pairs = rows.iter().map(|row| {
        let [with, without] =
            ["preemptions:3", "preemptions:3,dfs"].map(|search| executions(row, search).unwrap_or(u64::MAX));
        (row.program.name, without as f64 / with as f64)
    });
    let pairs: Vec<_> = pairs.collect();
    let not: Vec<&str> = pairs.iter().filter(|p| p.1 <= 1.0).map(|p| p.0).collect();
    let middle = median(pairs.iter().map(|p| p.1).collect());
    claim(
        "CB-DPOR needs fewer executions than `preemptions:K,dfs` to the failure of every lock-free bug, on the median 10 times fewer",
        not.is_empty() && middle >= 10.0,
        format!("median {middle:.2} times fewer; not fewer: {}", list(&not)),
    );
    let saved: Vec<f64> = rows
        .iter()
        .filter_map(|row| row.exhausted)
        .filter(|[with, _]| with.1)
        .map(|[with, without]| without.0 as f64 / with.0 as f64)
        .collect();
    let ended = rows.iter().filter(|row| row.exhausted.is_some_and(|e| e[1].1)).count();
    let middle = median(saved.clone());
    claim(
        "and to exhaust two preemptions on their fixed versions",
        saved.iter().all(|&s| s >= 1.0) && middle >= 10.0,
        format!(
            "median {middle:.1} times fewer over {} programs, least {:.1}; without the reduction {ended} of them came to an end within {} executions",
            saved.len(),
            saved.iter().copied().fold(f64::INFINITY, f64::min),
            EXHAUST.0
        ),
    );
}

/// Best first against depth first.
fn best_first(rows: &[Row], claim: Claim<'_>) {
    let within = |row: &Row, search, budget| executions(row, search).is_some_and(|n| n <= budget);
    let mut all = true;
    let mut text = Vec::new();
    for budget in [100, 1_000, 10_000] {
        let count = |search| rows.iter().filter(|row| within(row, search, budget)).count();
        let (best, depth) = (count("best-first:mdpor,pb"), count("dfs:dpor"));
        let only = rows
            .iter()
            .filter(|row| within(row, "dfs:dpor", budget) && !within(row, "best-first:mdpor,pb", budget));
        let only = names(only);
        all &= only.is_empty() && best > depth;
        text.push(format!("{budget}: {best} against {depth}, depth first alone finds {}", list(&only)));
    }
    claim(
        "`best-first:mdpor,pb` finds every bug that depth-first DPOR (`dfs:dpor`) finds within 100, 1,000 and 10,000 executions, and more",
        all,
        text.join("; "),
    );
    let gambit: Vec<&Row> = rows.iter().filter(|row| is_in("GAMBIT", row.program)).collect();
    let missed = |search| names(gambit.iter().copied().filter(|row| executions(row, search).is_none()));
    let (best, depth) = (missed("best-first:mdpor,pb"), missed("preemptions:3,dfs"));
    let plain = missed("dfs");
    claim(
        "on GAMBIT's bugs best first finds all, depth-first bounded search misses some at the same budget",
        best.is_empty() && !depth.is_empty(),
        format!(
            "of {}, `best-first:mdpor,pb` misses {}, `preemptions:3,dfs` {}, `dfs` {}",
            gambit.len(),
            list(&best),
            list(&depth),
            list(&plain)
        ),
    );
}
