//! Executions per CPU second, and memory; writes docs/rates.md.
#![allow(missing_docs)]

use gordian::Checker;
use gordian_bench::programs::{self, PROGRAMS};
use gordian_bench::{cpu_seconds, peak_memory};
use std::fmt::Write;

struct Rate {
    classes: u64,
    per_second: f64,
    nanoseconds_per_step: f64,
}

/// Completed searches, repeated until a CPU second is used; those that would never end make 10,000 executions.
fn rate(search: &str, body: fn()) -> Rate {
    let checker = Checker::new().search(search);
    let endless = ENDLESS.contains(&search);
    let (mut executions, mut steps, mut classes) = (0, 0, 0);
    let start = cpu_seconds();
    let mut used = 0.0;
    // Asking for the time costs as much as a small search, so it is done after ever larger batches.
    let mut batch = 1;
    while used < 1.0 {
        for _ in 0..batch {
            let report = checker.run(body);
            assert!((report.complete() || endless) && report.failure().is_none(), "{report}");
            executions += report.executions();
            steps += report.steps();
            classes = report.executions();
        }
        used = cpu_seconds() - start;
        if used < 0.1 {
            batch *= 2;
        }
    }
    Rate { classes, per_second: executions as f64 / used, nanoseconds_per_step: used * 1e9 / steps as f64 }
}

const BOUNDED: [&str; 4] =
    ["auto", "preemptions:2", "best-first:mdpor,pb", "best-first:mdpor,pb/preemptions:2"];
const ENDLESS: [&str; 6] = ["random", "urw", "pos", "surw", "pct:3", "pctvb:3,1"];

/// What the other strategies cost, on the three smallest programs.
fn strategies() -> String {
    let mut page = String::from(
        "\n| search | a: executions | per CPU second | b: executions | per CPU second | c: executions | per CPU second |\n|---|--:|--:|--:|--:|--:|--:|\n",
    );
    for search in BOUNDED.into_iter().chain(ENDLESS) {
        let mut row = format!("| `{search}` |");
        for program in PROGRAMS.iter().take(3) {
            let rate = rate(search, program.body);
            let _ = write!(row, " {} | {:.0} |", rate.classes, rate.per_second);
        }
        println!("{row}");
        let _ = writeln!(page, "{row}");
    }
    page
}

fn main() {
    // `cargo test` runs benches too, to see that they work; only `cargo bench` is to measure.
    if !std::env::args().any(|a| a == "--bench") {
        return;
    }
    let mut page = String::from(
        "# Rates\n\nWritten by `cargo bench -p gordian-bench --bench rates`: executions per CPU second on one core, completed searches\nrepeated until a CPU second is used, with the workspace's bench profile (link-time optimisation). Absolute numbers depend on the machine; the same programs are counted in instructions by\n`cargo bench -p gordian-bench --bench instructions`, which do not. How other tools do on such programs: [benchmarks](benchmarks.md).\n\n| program | executions `dfs` | per CPU second | executions `exhaustive` | per CPU second | ns a step |\n|---|--:|--:|--:|--:|--:|\n",
    );
    for program in &PROGRAMS {
        let all = program.small.then(|| rate("dfs", program.body));
        let reduced = rate("exhaustive", program.body);
        let (classes, per_second) = all.map_or(("-".to_owned(), "-".to_owned()), |r| {
            (r.classes.to_string(), format!("{:.0}", r.per_second))
        });
        let row = format!(
            "| {}: {} | {classes} | {per_second} | {} | {:.0} | {:.0} |",
            program.name, program.about, reduced.classes, reduced.per_second, reduced.nanoseconds_per_step
        );
        println!("{row}");
        let _ = writeln!(page, "{row}");
    }
    page.push_str(&strategies());
    let before = peak_memory().unwrap_or(0);
    page.push_str("\n| program | search to the end | executions | cut short | CPU seconds | peak memory of the process |\n|---|---|--:|--:|--:|--:|\n");
    let searches = [
        ("big0", "exhaustive", programs::big as fn()),
        ("readers(16)", "exhaustive", programs::readers),
        ("big0", "preemptions:2", programs::big),
    ];
    for (name, search, body) in searches {
        let start = cpu_seconds();
        let report = Checker::new().search(search).run(body);
        assert!(report.complete(), "{report}");
        let peak = peak_memory().unwrap_or(0);
        let row = format!(
            "| {name} | `{search}` | {} | {} | {:.2} | {:.1} MiB (before: {:.1}) |",
            report.executions(),
            report.blocked(),
            cpu_seconds() - start,
            peak as f64 / 1024.0,
            before as f64 / 1024.0
        );
        println!("{row}");
        let _ = writeln!(page, "{row}");
    }
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/rates.md");
    std::fs::create_dir_all(concat!(env!("CARGO_MANIFEST_DIR"), "/../docs"))
        .expect("the docs folder can be made");
    std::fs::write(path, page).expect("docs/rates.md can be written");
    println!("written to docs/rates.md");
}
