//! How many executions each strategy needs to find a bug, and to come to its end where there is none. Writes the table in
//! docs/search/measured.md and the examples in the pages beside it.
#![allow(missing_docs)]

use gordian::Checker;
use gordian_bench::buggy::BUGGY;
use gordian_bench::cpu_seconds;
use gordian_bench::programs::PROGRAMS;
use std::fmt::Write;
use std::path::Path;

/// A search that has not found the bug after so many executions has not found it.
const MOST: u64 = 100_000;

/// Searches, by the page of the book that they belong to.
const PAGES: &[(&str, &[&str])] = &[
    ("auto", &["auto"]),
    ("exhaustive", &["exhaustive", "dfs:source", "dfs:dpor", "dfs:observers", "dfs:sleep", "dfs"]),
    ("preemptions", &["preemptions:2", "preemptions:2,dfs", "preemptions:2,dfs,hb"]),
    ("delays", &["delays:2", "depth:6"]),
    ("variables", &["variables:1,preemptions:2,threads:2", "variables:2,preemptions:2,threads:3"]),
    (
        "best-first",
        &["best-first:mdpor,pb", "best-first:pb", "best-first:rand", "best-first:mdpor,pb/preemptions:2"],
    ),
    ("chance", &["random", "urw", "pos", "surw"]),
    ("pct", &["pct:3", "pctvb:3,1"]),
    ("portfolio", &["portfolio:preemptions:2|pos"]),
];

/// Does the seed decide?
fn is_random(search: &str) -> bool {
    ["random", "urw", "pos", "surw", "pct", "portfolio", "auto", "best-first:rand", "variables"]
        .iter()
        .any(|word| search.starts_with(word))
}

/// Executions until the bug is found; the median over seeds where they decide.
fn to_the_bug(search: &str, body: fn()) -> String {
    let seeds = if is_random(search) { 11 } else { 1 };
    let mut needed: Vec<Option<u64>> = (0..seeds)
        .map(|seed| {
            let report = Checker::new().search(search).seed(seed).executions(MOST).minimise(0).run(body);
            report.failure().map(|_| report.executions() + report.blocked())
        })
        .collect();
    needed.sort_by_key(|n| n.unwrap_or(u64::MAX));
    needed[needed.len() / 2].map_or_else(|| "-".to_owned(), |n| n.to_string())
}

/// The row of a search: executions to each bug, then the end of the search of program f.
fn row(search: &str) -> String {
    let mut row = format!("| `{}` |", search.replace('|', "\\|"));
    for program in &BUGGY {
        let _ = write!(row, " {} |", to_the_bug(search, program.body));
    }
    let queue = PROGRAMS.iter().find(|p| p.name == "f").expect("there is one");
    let start = cpu_seconds();
    let report = Checker::new().search(search).executions(MOST).run(queue.body);
    let seconds = cpu_seconds() - start;
    let end = if report.complete() { "" } else { " (cut)" };
    let _ = write!(
        row,
        " {}{end} | {seconds:.3} | {} |",
        report.executions() + report.blocked(),
        report.guarantee()
    );
    row.replace(
        "; stopped by the limit of 100000 executions (Checker::executions, GORDIAN_EXECUTIONS)",
        "; stopped",
    )
}

const BEGIN: &str = "<!-- measured: begin -->";
const END: &str = "<!-- measured: end -->";

fn main() {
    // `cargo test` runs benches too, to see that they work; only `cargo bench` is to measure.
    if !std::env::args().any(|a| a == "--bench") {
        return;
    }
    let mut head = String::from("| search |");
    for program in &BUGGY {
        let _ = write!(head, " {} |", program.name);
    }
    head.push_str(" queue: executions | CPU seconds | guarantee |\n|---|");
    head.push_str(&"--:|".repeat(BUGGY.len() + 2));
    head.push_str("---|\n");
    let folder = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/search"));
    let mut all = String::from(
        "# What the strategies need, measured\n\nWritten by `cargo bench -p gordian-bench --bench strategies`: executions until the bug is found, in five programs of \
         `bench/src/buggy.rs` (the median over 11 seeds where chance decides; - if it is not found in 100,000), and executions, CPU \
         seconds and guarantee at the end of the search of the Michael-Scott queue (program f), which has no bug.\n\n",
    );
    for program in &BUGGY {
        let _ = writeln!(all, "- **{}**: {}", program.name, program.about);
    }
    let _ = write!(all, "\n{head}");
    for (page, searches) in PAGES {
        let mut table = head.clone();
        for search in *searches {
            let row = row(search);
            println!("{row}");
            let _ = writeln!(all, "{row}");
            let _ = writeln!(table, "{row}");
        }
        let path = folder.join(format!("{page}.md"));
        let text = std::fs::read_to_string(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
        let (before, rest) = text.split_once(BEGIN).unwrap_or_else(|| panic!("{page}.md has {BEGIN}"));
        let (_, after) = rest.split_once(END).unwrap_or_else(|| panic!("{page}.md has {END}"));
        std::fs::write(&path, format!("{before}{BEGIN}\n{table}{END}{after}"))
            .expect("the page can be written");
    }
    std::fs::write(folder.join("measured.md"), all).expect("docs/search/measured.md can be written");
    println!("written to docs/search/");
}
