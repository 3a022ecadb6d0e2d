//! Executions per CPU second under each randomised strategy.
#![allow(missing_docs)]

use gordian::Checker;
use gordian_bench::cpu_seconds;
use gordian_bench::programs::PROGRAMS;

fn rate(search: &str, body: fn()) -> f64 {
    const EXECUTIONS: u64 = 500_000;
    let checker = Checker::new().search(search).executions(EXECUTIONS);
    let start = cpu_seconds();
    let report = checker.run(body);
    assert_eq!(report.executions(), EXECUTIONS, "{report}");
    EXECUTIONS as f64 / (cpu_seconds() - start)
}

fn main() {
    // `cargo test` runs benches too, to see that they work; only `cargo bench` is to measure.
    if !std::env::args().any(|a| a == "--bench") {
        return;
    }
    let searches = ["random", "urw", "pos", "surw", "pct:3", "pctvb:3,1"];
    println!("executions per CPU second: {}", searches.join(", "));
    for program in PROGRAMS.iter().filter(|p| ["a", "b", "c"].contains(&p.name)) {
        let rates = searches.map(|search| format!("{:.0}", rate(search, program.body)));
        println!("{}: {}: {}", program.name, program.about, rates.join(", "));
    }
}
