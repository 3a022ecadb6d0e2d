//! Executions per CPU second of the searches that keep a frontier, and how large it gets.
#![allow(missing_docs)]

use gordian::Checker;
use gordian_bench::cpu_seconds;
use gordian_bench::programs::{self, PROGRAMS};

/// Completed searches, repeated until a CPU second is used: executions of one, executions per second, and most nodes.
fn rate(search: &str, body: fn()) -> (u64, f64, u64) {
    let checker = Checker::new().search(search);
    let (mut executions, mut each, mut nodes) = (0, 0, 0);
    let (start, mut used, mut batch) = (cpu_seconds(), 0.0, 1);
    while used < 1.0 {
        for _ in 0..batch {
            let report = checker.run(body);
            assert!(report.complete() && report.failure().is_none(), "{report}");
            each = report.executions();
            nodes = report.frontier().map_or(0, |f| f.most_nodes);
            executions += each;
        }
        used = cpu_seconds() - start;
        if used < 0.1 {
            batch *= 2;
        }
    }
    (each, executions as f64 / used, nodes)
}

fn main() {
    // `cargo test` runs benches too, to see that they work; only `cargo bench` is to measure.
    if !std::env::args().any(|a| a == "--bench") {
        return;
    }
    for program in PROGRAMS.iter() {
        for search in ["best-first:mdpor,pb", "preemptions:2,dfs", "preemptions:2,dfs,hb", "delays:2"] {
            let (each, per_second, nodes) = rate(search, program.body);
            println!(
                "{} {search:20} {each:7} executions {per_second:8.0} per CPU second, at most {nodes} nodes",
                program.name
            );
        }
    }
    for memory in [256 << 20, 1 << 20] {
        let start = cpu_seconds();
        let report = Checker::new()
            .search("best-first:mdpor,pb")
            .memory(memory)
            .executions(1_000_000)
            .run(programs::big);
        let frontier = report.frontier().expect("it keeps one");
        println!(
            "big0 with {memory} bytes: {} executions in {:.2} CPU seconds, {frontier:?}",
            report.executions(),
            cpu_seconds() - start
        );
    }
}
