//! Every strategy on every bug: how many executions and how much time each takes to the first failure.

use crate::check::is_guarantee;
use crate::claims::{self, Exhausted, claims};
use crate::{Needs, Program, SECTIONS};
use gordian::{Checker, Guarantee, Report};
use gordian_bench::cpu_seconds;
use std::fmt::Write;
use std::io::Read;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// The searches that are compared, and whether the seed decides what they do.
pub const SEARCHES: [(&str, bool); 18] = [
    ("auto", true),
    ("exhaustive", false),
    ("dfs:dpor", false),
    ("dfs", false),
    ("preemptions:3", false),
    ("preemptions:3,dfs", false),
    ("delays:3", false),
    ("depth:6", false),
    ("variables:2,preemptions:2,threads:2", true),
    ("best-first:mdpor,pb", false),
    ("best-first:pb", false),
    ("best-first:rand", true),
    ("random", true),
    ("urw", true),
    ("pos", true),
    ("surw", true),
    ("pct:3", true),
    ("pctvb:3,1", true),
];

/// A search that has not found the bug after so many seconds has not found it.
const SECONDS: u64 = 2;
/// A randomised search that found nothing with so many seeds is not tried with more.
const GIVE_UP: usize = 3;

/// Searches that take less than so many seconds with all seeds are made again in [`PASSES`] over all searches of a program, and the fastest of each counts. The same search was seen to run at
/// two speeds, up to 1.8 times apart, and the first run of a program takes longer than the next.
const SHORT: f64 = 0.3;
const PASSES: usize = 5;

/// What a failure needs is not known if it is not found in so many seconds.
const NEEDS_SECONDS: u64 = 20;

/// How much is tried.
pub struct Options {
    /// Executions of one search.
    pub limit: u64,
    /// Seeds of each randomised search.
    pub seeds: u64,
}

/// A search that found the bug.
pub struct Found {
    /// Its seed.
    pub seed: u64,
    /// Executions to the failure.
    pub executions: u64,
    /// CPU seconds.
    pub seconds: f64,
}

/// One strategy on one bug.
pub struct Cell {
    /// One for each seed that led to the failure; fewest executions first.
    pub found: Vec<Found>,
    /// Seeds tried.
    pub tried: usize,
    /// Failures of another kind than the expected.
    pub other: Option<String>,
    /// The most memory for executions yet to be made, in bytes.
    pub frontier: Option<usize>,
}

impl Cell {
    /// The median number of executions, and the median time; nothing if more than half of the seeds found nothing.
    pub fn median(&self) -> Option<(u64, f64)> {
        let middle = (self.tried - 1) / 2;
        let executions = self.found.get(middle)?.executions;
        let mut times: Vec<f64> = self.found.iter().map(|found| found.seconds).collect();
        times.sort_by(f64::total_cmp);
        Some((executions, times[middle]))
    }

    /// Makes the searches that found the bug once more, if that does not take long.
    fn time_again(&mut self, program: &Program, search: &str, options: &Options) {
        let is_short = self.found.iter().map(|found| found.seconds).sum::<f64>() < SHORT;
        for found in self.found.iter_mut().filter(|_| is_short) {
            found.seconds = found.seconds.min(run(program, true, search, options, found.seed).1);
        }
    }
}

/// One bug.
pub struct Row {
    /// The program.
    pub program: &'static Program,
    /// One for each of `SEARCHES`.
    pub cells: Vec<Cell>,
    /// What the failure needs, as far as it could be found.
    pub needs: Option<Needs>,
    /// What is known of the fixed version after a search of the same length.
    pub fixed: String,
    /// Is that a guarantee?
    pub proved: bool,
    /// What it takes to exhaust two preemptions, of lock-free programs.
    pub exhausted: Option<Exhausted>,
}

fn run(program: &Program, buggy: bool, search: &str, options: &Options, seed: u64) -> (Report, f64) {
    let body = program.body;
    let start = cpu_seconds();
    let report = Checker::new()
        .search(search)
        .seed(seed)
        .executions(options.limit)
        .time(Duration::from_secs(SECONDS))
        .minimise(0)
        .run(move || body(buggy));
    (report, cpu_seconds() - start)
}

fn cell(program: &Program, (search, random): (&str, bool), options: &Options) -> Cell {
    let seeds = if random { options.seeds } else { 1 };
    let mut cell = Cell { found: Vec::new(), tried: 0, other: None, frontier: None };
    for seed in 0..seeds {
        let (report, seconds) = run(program, true, search, options, seed);
        cell.tried += 1;
        cell.frontier = cell.frontier.max(report.frontier().map(|f| f.most_bytes));
        match report.failure() {
            Some(failure) if failure.kind() == program.kind => {
                let executions = report.executions() + report.blocked();
                cell.found.push(Found { seed, executions, seconds });
            }
            Some(failure) => cell.other = Some(failure.message().to_owned()),
            None => {}
        }
        if cell.found.is_empty() && cell.tried >= GIVE_UP {
            break;
        }
    }
    cell.found.sort_by_key(|found| found.executions);
    cell
}

/// The sentence without the limit that ended the search.
fn sentence(guarantee: &Guarantee) -> String {
    let text = guarantee.to_string();
    text.split("; stopped by").next().unwrap_or_default().to_owned()
}

/// Measures, with a line on stderr for each bug.
pub fn measure(programs: &[&'static Program], options: &Options) -> Vec<Row> {
    let mut rows = Vec::new();
    for (number, &program) in programs.iter().enumerate() {
        let start = cpu_seconds();
        // What is made once, for the first check of a program, is no search's own.
        for buggy in [true, false] {
            run(program, buggy, "random", &Options { limit: 20, seeds: 1 }, 0);
        }
        let mut cells = SEARCHES.map(|search| cell(program, search, options));
        for _ in 1..PASSES {
            for (cell, (search, _)) in cells.iter_mut().zip(SEARCHES) {
                cell.time_again(program, search, options);
            }
        }
        let needs = needs_in_time(program);
        let (good, _) = run(program, false, "auto", options, 0);
        let (fixed, proved) = if is_guarantee(&good) {
            (sentence(good.guarantee()), true)
        } else {
            let (good, _) = run(program, false, program.proof, options, 0);
            (sentence(good.guarantee()), is_guarantee(&good))
        };
        let seconds = cpu_seconds() - start;
        eprintln!("[{}/{}] {} ({seconds:.1} CPU seconds)", number + 1, programs.len(), program.name);
        rows.push(Row {
            program,
            cells: cells.into(),
            needs,
            fixed,
            proved,
            exhausted: claims::exhaust(program),
        });
    }
    rows
}

/// What the failure needs.
pub fn needs_of(program: &Program) -> Option<Needs> {
    let report = crate::check::search(program, true, "auto", crate::check::MOST, 0);
    report.characterise().ok().map(|c| (c.preemptions, c.variables, c.threads))
}

/// The same, in another process: with many threads it may take hours, and it has no limit of its own.
fn needs_in_time(program: &Program) -> Option<Needs> {
    let mut asking = Command::new(std::env::current_exe().ok()?)
        .args(["needs", program.name])
        .stdout(Stdio::piped())
        .spawn()
        .ok()?;
    let end = Instant::now() + Duration::from_secs(NEEDS_SECONDS);
    while asking.try_wait().ok()?.is_none() {
        if Instant::now() > end {
            let _ = asking.kill();
            let _ = asking.wait();
            return None;
        }
        std::thread::sleep(Duration::from_millis(2));
    }
    let mut text = String::new();
    asking.stdout.take()?.read_to_string(&mut text).ok()?;
    serde_json::from_str(&text).ok()?
}

/// The strategy with the fewest executions, of those that never miss the bug.
pub(crate) fn best(row: &Row) -> Option<(&'static str, u64, f64)> {
    let cells = SEARCHES.iter().zip(&row.cells).filter(|(_, cell)| cell.found.len() == cell.tried);
    let medians = cells.filter_map(|(&(search, _), cell)| cell.median().map(|(n, s)| (search, n, s)));
    medians.min_by_key(|&(_, executions, _)| executions)
}

/// The strategy that takes the least time, of those that never miss the bug.
pub(crate) fn fastest(row: &Row) -> Option<(&'static str, f64)> {
    let cells = SEARCHES.iter().zip(&row.cells).filter(|(_, cell)| cell.found.len() == cell.tried);
    let medians =
        cells.filter_map(|(&(search, _), cell)| cell.median().map(|(_, seconds)| (search, seconds)));
    medians.min_by(|a, b| a.1.total_cmp(&b.1))
}

fn needs(needs: Option<Needs>) -> String {
    needs.map_or_else(|| "-".to_owned(), |(c, v, t)| format!("({c}, {v}, {t})"))
}

/// The page.
pub fn markdown(rows: &[Row], options: &Options) -> String {
    let mut page = format!(
        "# The suite: published bugs, and what each search needs to find them\n\n\
         Written by `cargo run --release -p gordian-suite -- table --limit {} --seeds {}`. The programs are in `suite/src`, each with a \
         buggy and a fixed version; `-- run NAME` shows one. A search has {} executions and {SECONDS} seconds; where a seed decides, \
         the number is the median over {} seeds, and a fraction says with how many of those tried the bug was found if not with all \
         (after {GIVE_UP} failures in a row at the start no more are tried). Executions that a sleep set cut short count too. Times are CPU \
         time, of each search the fastest of {PASSES} runs if it is short.\n\n",
        options.limit, options.seeds, options.limit, options.seeds
    );
    page.push_str(&claims(rows));
    page.push('\n');
    summary(&mut page, rows);
    page.push_str("\n![Bugs found within so many executions](figures/suite.svg)\n");
    for section in SECTIONS {
        let rows: Vec<&Row> = rows
            .iter()
            .filter(|row| section.programs.iter().any(|program| program.name == row.program.name))
            .collect();
        if rows.is_empty() {
            continue;
        }
        let _ = write!(
            page,
            "\n## {}\n\n{}\n\n| bug | threads | kind | (c, v, t) published | measured | `auto`: executions | CPU ms | best | executions | fixed version |\n\
             |---|--:|---|---|---|--:|--:|---|--:|---|\n",
            section.title, section.about
        );
        for row in &rows {
            let Program { name, threads, kind, published, .. } = row.program;
            let auto = row.cells[0].median();
            let best = best(row);
            let differs = if published.is_some() && *published != row.needs { " *" } else { "" };
            let _ = writeln!(
                page,
                "| {name} | {threads} | {kind} | {} | {}{differs} | {} | {} | {} | {} | {} |",
                needs(*published),
                needs(row.needs),
                auto.map_or_else(|| "-".to_owned(), |a| a.0.to_string()),
                auto.map_or_else(|| "-".to_owned(), |a| format!("{:.1}", a.1 * 1e3)),
                best.map_or_else(|| "-".to_owned(), |b| format!("`{}`", b.0)),
                best.map_or_else(|| "-".to_owned(), |b| b.1.to_string()),
                row.fixed,
            );
        }
        page.push('\n');
        for row in &rows {
            let Program { name, about, source, .. } = row.program;
            let effort =
                row.program.effort().map_or_else(String::new, |e| format!(" Published to have taken: {e}."));
            let _ = writeln!(page, "- **{name}**: {about} ({source}).{effort}");
        }
        let remarks: Vec<String> = rows.iter().filter_map(|row| remark(row)).collect();
        if !remarks.is_empty() {
            let _ = write!(page, "\n\\* where it differs from what was published:\n\n{}", remarks.concat());
        }
        let _ = write!(page, "\nExecutions to the first failure, by search:\n\n| bug |");
        for (search, _) in SEARCHES {
            let _ = write!(page, " `{search}` |");
        }
        let _ = write!(page, "\n|---|{}\n", "--:|".repeat(SEARCHES.len()));
        for row in &rows {
            let _ = write!(page, "| {} |", row.program.name);
            for cell in &row.cells {
                let text = match (cell.median(), cell.found.len()) {
                    (Some((n, _)), found) if found == cell.tried => n.to_string(),
                    (Some((n, _)), found) => format!("{n} ({found}/{})", cell.tried),
                    (None, 0) => "-".to_owned(),
                    (None, found) => format!("- ({found}/{})", cell.tried),
                };
                let _ = write!(page, " {text}{} |", if cell.other.is_some() { " !" } else { "" });
            }
            page.push('\n');
        }
    }
    let other = rows.iter().flat_map(|row| {
        let cells = SEARCHES.iter().zip(&row.cells);
        cells.filter_map(move |((s, _), cell)| Some((row.program.name, s, cell.other.as_ref()?)))
    });
    let other: Vec<String> = other
        .map(|(name, search, message)| {
            format!("- {name} under `{search}`: {}\n", message.lines().next().unwrap_or_default())
        })
        .collect();
    if !other.is_empty() {
        let _ = write!(page, "\n## Failures of another kind than expected (!)\n\n{}", other.concat());
    }
    page
}

/// Why what was measured is not what was published.
fn remark(row: &Row) -> Option<String> {
    let published = row.program.published?;
    if row.needs == Some(published) {
        return None;
    }
    let why = if row.program.remark.is_empty() { "not explained yet" } else { row.program.remark };
    Some(format!("- **{}**: {why}.\n", row.program.name))
}

fn summary(page: &mut String, rows: &[Row]) {
    let _ = write!(
        page,
        "| search | bugs found (of {}) | with every seed | median executions |\n|---|--:|--:|--:|\n",
        rows.len()
    );
    for (i, (search, _)) in SEARCHES.iter().enumerate() {
        let cells: Vec<&Cell> = rows.iter().map(|row| &row.cells[i]).collect();
        let mut medians: Vec<u64> = cells.iter().filter_map(|c| c.median()).map(|m| m.0).collect();
        medians.sort_unstable();
        let _ = writeln!(
            page,
            "| `{search}` | {} | {} | {} |",
            cells.iter().filter(|c| c.median().is_some()).count(),
            cells.iter().filter(|c| c.found.len() == c.tried).count(),
            // Bugs that were not found count as farther away than all others.
            medians.get(rows.len() / 2).map_or_else(|| "-".to_owned(), u64::to_string),
        );
    }
}

/// The numbers, for programs.
fn json(rows: &[Row], options: &Options) -> serde_json::Value {
    let bugs: Vec<_> = rows
        .iter()
        .map(|row| {
            let searches: Vec<_> = SEARCHES
                .iter()
                .zip(&row.cells)
                .map(|((search, _), cell)| {
                    serde_json::json!({
                        "search": search,
                        "tried": cell.tried,
                        "found": cell.found.len(),
                        "executions": cell.median().map(|m| m.0),
                        "cpu_seconds": cell.median().map(|m| m.1),
                        "frontier_bytes": cell.frontier,
                        "other_failure": cell.other,
                    })
                })
                .collect();
            serde_json::json!({
                "name": row.program.name,
                "source": row.program.source,
                "threads": row.program.threads,
                "kind": row.program.kind.to_string(),
                "published": row.program.published,
                "published_schedules": row.program.schedules,
                "published_seconds": row.program.seconds.map(|s| {
                    serde_json::json!({
                        "depth_first": s.depth_first,
                        "chess": s.chess,
                        "best_first": s.best_first,
                    })
                }),
                "needs": row.needs,
                "fixed": row.fixed,
                "exhausted": row.exhausted,
                "searches": searches,
            })
        })
        .collect();
    serde_json::json!({ "limit": options.limit, "seeds": options.seeds, "bugs": bugs })
}

/// Writes the page, the numbers and the figure.
pub fn write(rows: &[Row], options: &Options) -> std::io::Result<()> {
    let docs = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../docs"));
    std::fs::write(docs.join("suite.md"), markdown(rows, options))?;
    std::fs::write(docs.join("suite.json"), format!("{:#}\n", json(rows, options)))?;
    std::fs::write(docs.join("figures/suite.svg"), crate::figure::figure(rows, options.limit))
}
