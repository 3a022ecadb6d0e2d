//! What it takes to find the mistakes: from the operations alone, and, in the test that shows one, by each search (after table 6-1 and figure 6-4 of the thesis on CB-DPOR).

use super::check::run;
use super::{Effort, Subject};
use gordian_bench::cpu_seconds;
use gordian_model::{End, Trace};
use gordian_search::fingerprint::fingerprint;
use std::collections::HashSet;
use std::fmt::Write;
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// The searches that race, and what the thesis calls them.
const SEARCHES: [(&str, &str); 8] = [
    ("preemptions:3", "CB-DPOR"),
    ("dfs:dpor", "DPOR"),
    ("preemptions:3,dfs", "CHESS"),
    ("pct:3", "PCT 3"),
    ("pct:5", "PCT 5"),
    ("pct:7", "PCT 7"),
    ("pos", "POS"),
    ("surw", "SURW"),
];

/// Executions in which it is counted how many classes a search sees.
const COUNTED: u64 = 5_000;

/// One search on one test.
struct Race {
    /// Executions and CPU seconds to the failure, if it was found.
    found: Option<(u64, f64)>,
    /// Executions of the right version, and how many classes they belonged to.
    classes: (u64, usize),
}

/// What was found about a subject.
pub struct Row {
    subject: &'static Subject,
    /// Tests, executions and CPU seconds until the mistake was found, with `auto` and `preemptions:3`.
    found: [Option<(u64, u64, f64)>; 2],
    /// Who calls what in the smallest test.
    calls: Vec<(String, String)>,
    /// What is known of the right version.
    guarantee: String,
    fails: bool,
    /// CPU seconds of exploring tests of the right version, and of doing so without judging what is seen.
    /// Nothing, if calls may wait for ever: that ends a search that judges nothing.
    judging: Option<(f64, f64)>,
    races: Vec<Race>,
}

impl Row {
    /// Was the mistake found, and is the right version right?
    pub fn is_as_expected(&self) -> bool {
        !self.fails && self.found.iter().any(Option::is_some)
    }
}

/// Measures the subjects; each search has so many seconds for a test.
pub fn measure(subjects: &[&'static Subject], seconds: u64) -> Vec<Row> {
    let row = |(number, &subject): (usize, &&'static Subject)| {
        let start = cpu_seconds();
        let row = measure_one(subject, Duration::from_secs(seconds));
        eprintln!(
            "[{}/{}] {} ({:.1} CPU seconds)",
            number + 1,
            subjects.len(),
            subject.name,
            cpu_seconds() - start
        );
        row
    };
    subjects.iter().enumerate().map(row).collect()
}

fn measure_one(subject: &'static Subject, time: Duration) -> Row {
    let mut calls = Vec::new();
    let found = ["auto", "preemptions:3"].map(|search| {
        let start = cpu_seconds();
        let report = run(subject, true, &Effort { search: search.to_owned(), ..Effort::default() });
        let as_expected = report.failure().is_some_and(|f| f.kind() == subject.kind);
        if as_expected && calls.is_empty() {
            calls = report.calls().to_vec();
        }
        as_expected.then(|| (report.tests(), report.executions(), cpu_seconds() - start))
    });
    let good = run(subject, false, &Effort { tests: 100, ..Effort::default() });
    // A test of full size in which it shows, for a race that all can win.
    let drawn = run(subject, true, &Effort { small: false, tests: 10_000, ..Effort::default() });
    let races = drawn.first_test().map(|test| SEARCHES.map(|(search, _)| race(subject, search, &test, time)));
    Row {
        subject,
        found,
        calls,
        guarantee: good.guarantee(),
        fails: good.failure().is_some(),
        judging: judging(subject),
        races: races.map_or_else(Vec::new, Vec::from),
    }
}

/// Rounds of exploring with judging and without.
const ROUNDS: usize = 7;

/// CPU seconds of exploring drawn tests of the right version with and without judging: the medians of some times, in turn.
fn judging(subject: &Subject) -> Option<(f64, f64)> {
    let time = |judged: bool| {
        let start = cpu_seconds();
        let effort = Effort {
            small: false,
            tests: 10,
            executions: 3_000,
            judged,
            search: "exhaustive".to_owned(),
            ..Effort::default()
        };
        let report = run(subject, false, &effort);
        report.failure().is_none().then(|| cpu_seconds() - start)
    };
    // The first time pays for memory that is there later on.
    time(true)?;
    let mut times = [Vec::new(), Vec::new()];
    for _ in 0..ROUNDS {
        times[0].push(time(true)?);
        times[1].push(time(false)?);
    }
    times.iter_mut().for_each(|times| times.sort_by(f64::total_cmp));
    Some((times[0][ROUNDS / 2], times[1][ROUNDS / 2]))
}

fn race(subject: &Subject, search: &str, test: &str, time: Duration) -> Race {
    let effort = Effort {
        search: search.to_owned(),
        executions: u64::MAX,
        time,
        test: Some(test.to_owned()),
        ..Effort::default()
    };
    let start = cpu_seconds();
    let report = run(subject, true, &effort);
    let found = report.failure().map(|_| (report.executions(), cpu_seconds() - start));
    let seen: Arc<Mutex<HashSet<u64>>> = Arc::default();
    let all = Arc::clone(&seen);
    let observer = move |trace: &Trace| {
        if trace.end == End::Asleep {
            return;
        }
        all.lock().expect("nobody panics with it").insert(fingerprint(trace));
    };
    let good =
        (subject.object)(false).check(&Effort { executions: COUNTED, ..effort }, Some(Box::new(observer)));
    let classes = seen.lock().expect("nobody panics with it").len();
    Race { found, classes: (good.executions(), classes) }
}

/// The page.
pub fn markdown(rows: &[Row], seconds: u64) -> String {
    let mut page = format!(
        "# Objects checked for linearizability\n\nWritten by `cargo run --release -p gordian-suite -- objects --seconds {seconds}`. The objects are in `suite/src/objects`, \
         each right and wrong; nothing but their operations is given (`gordian::lin`).\n\n## From the operations alone\n\nTests are drawn, the small ones first, until one fails; each has at most 1,000 executions, and all together 60 seconds. The right versions are \
         tried with all small tests and 100 drawn ones of three threads with three calls each.\n\n\
         | object | mistake | `auto`: tests | executions | CPU s | `preemptions:3`: tests | executions | CPU s | smallest test | right version |\n|---|---|--:|--:|--:|--:|--:|--:|---|---|\n"
    );
    for row in rows {
        let [auto, bounded] = row.found.map(|found| {
            found.map_or("not found | | ".to_owned(), |(tests, executions, cpu)| {
                format!("{tests} | {executions} | {cpu:.2}")
            })
        });
        let calls: Vec<String> = row.calls.iter().map(|(who, calls)| format!("{who}: {calls}")).collect();
        let Subject { name, about, .. } = row.subject;
        let _ = writeln!(
            page,
            "| {name} | {about} | {auto} | {bounded} | {} | {} |",
            calls.join("; "),
            row.guarantee
        );
    }
    if rows.iter().any(|row| row.subject.name == super::thesis::BOOST.name) {
        page += &super::published::markdown();
    }
    page += &format!(
        "\n## By search\n\nThe first drawn test of full size in which `auto` finds the mistake, searched again by each for at most {seconds} seconds: executions and CPU seconds to the failure.\n\n"
    );
    let names = SEARCHES.map(|(search, name)| format!("{name} (`{search}`)"));
    let _ = writeln!(page, "| object | {} |\n|---|{}", names.join(" | "), "---|".repeat(SEARCHES.len()));
    for row in rows.iter().filter(|row| !row.races.is_empty()) {
        let cell = |race: &Race| {
            race.found.map_or("-".to_owned(), |(executions, cpu)| format!("{executions}, {cpu:.2} s"))
        };
        let cells: Vec<String> = row.races.iter().map(cell).collect();
        let _ = writeln!(page, "| {} | {} |", row.subject.name, cells.join(" | "));
    }
    let found =
        |i: usize| rows.iter().filter(|r| r.races.get(i).is_some_and(|race| race.found.is_some())).count();
    let totals: Vec<String> =
        (0..SEARCHES.len()).map(|i| format!("{} of {}", found(i), rows.len())).collect();
    let _ = writeln!(page, "| **found** | {} |", totals.join(" | "));
    page += &format!(
        "\n## Classes\n\nThe same tests of the right versions: how many of the first {COUNTED} executions (fewer, if that is all) are of different classes. A search that sees a class twice has wasted an execution.\n\n"
    );
    let _ = writeln!(page, "| object | {} |\n|---|{}", names.join(" | "), "--:|".repeat(SEARCHES.len()));
    for row in rows.iter().filter(|row| !row.races.is_empty()) {
        let cell = |race: &Race| format!("{} of {}", race.classes.1, race.classes.0);
        let cells: Vec<String> = row.races.iter().map(cell).collect();
        let _ = writeln!(page, "| {} | {} |", row.subject.name, cells.join(" | "));
    }
    page += "\n## What judging costs\n\nCPU seconds of exploring ten drawn tests of three threads with three calls each, `exhaustive` with at most 3,000 executions each, of the right versions whose calls never wait for ever: the medians of seven rounds, with and without in turn.\n\n| object | judged | not judged | more |\n|---|--:|--:|--:|\n";
    let mut ratios = Vec::new();
    for row in rows {
        let Some((with, without)) = row.judging else { continue };
        ratios.push(with / without - 1.0);
        let _ = writeln!(
            page,
            "| {} | {with:.3} | {without:.3} | {:.0} % |",
            row.subject.name,
            (with / without - 1.0) * 100.0
        );
    }
    ratios.sort_by(f64::total_cmp);
    let total = |of: fn(&Row) -> f64| rows.iter().map(of).sum::<f64>();
    let all =
        total(|row| row.judging.map_or(0.0, |j| j.0)) / total(|row| row.judging.map_or(0.0, |j| j.1)) - 1.0;
    let (histories, _, seconds) = super::rate::measure(40, 4_000);
    let _ = writeln!(
        page,
        "\nFor all together {:.0} % more, on the median {:.0} %, at most {:.0} %: most where executions are cheap and nearly every history is a new one. Histories that are all different, of a queue with three threads and three calls each and a specification with equal states, are judged at {:.0} in a CPU second ({histories} of them).",
        all * 100.0,
        ratios.get(ratios.len() / 2).unwrap_or(&0.0) * 100.0,
        ratios.last().unwrap_or(&0.0) * 100.0,
        histories as f64 / seconds
    );
    page
}

/// Writes the page.
pub fn write(page: &str) -> std::io::Result<()> {
    std::fs::write(concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/objects.md"), page)
}
