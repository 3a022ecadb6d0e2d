//! Instructions per execution and per step, counted by callgrind: the same on every run, so a regression shows on a noisy machine.
//!
//! The bench runs itself under `valgrind --tool=callgrind` with two numbers of executions; the difference is what an execution costs.
//! The counts are compared with `instructions.txt`, and more than five percent above it is an error.
//! `GORDIAN_BASELINE=write` writes the file anew.
#![allow(missing_docs)]

use gordian::Checker;
use gordian_bench::callgrind;
use gordian_bench::programs::PROGRAMS;
use std::collections::BTreeMap;
use std::process::ExitCode;

const BASELINE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/instructions.txt");
const FEW: u64 = 500;
const MANY: u64 = 1_500;

/// The steps of an execution.
fn steps(body: fn(), search: &str) -> f64 {
    let report = Checker::new().search(search).executions(MANY).run(body);
    report.steps() as f64 / report.executions() as f64
}

fn count(name: &str, search: &str, executions: u64) -> Option<u64> {
    callgrind::total(&callgrind::profile(name, search, executions)?)
}

fn main() -> ExitCode {
    if callgrind::is_counted() || !std::env::args().any(|a| a == "--bench") {
        return ExitCode::SUCCESS;
    }
    if !callgrind::is_there() {
        println!("skipped: valgrind is not installed, so instructions cannot be counted");
        return if std::env::var_os("CI").is_some() { ExitCode::FAILURE } else { ExitCode::SUCCESS };
    }
    let baseline: BTreeMap<String, u64> = std::fs::read_to_string(BASELINE)
        .unwrap_or_default()
        .lines()
        .filter_map(|l| l.rsplit_once(' ').and_then(|(k, v)| Some((k.to_owned(), v.parse().ok()?))))
        .collect();
    let mut now = String::new();
    let mut worse = false;
    for program in &PROGRAMS {
        for search in ["dfs", "exhaustive"] {
            let key = format!("{} {search}", program.name);
            let (Some(few), Some(many)) =
                (count(program.name, search, FEW), count(program.name, search, MANY))
            else {
                println!("{key}: callgrind gave no count");
                return ExitCode::FAILURE;
            };
            let each = (many - few) / (MANY - FEW);
            let old = baseline.get(&key).copied();
            let change = old.map_or_else(String::new, |old| {
                format!("{:+.1} %", (each as f64 / old as f64 - 1.0) * 100.0)
            });
            let step = each as f64 / steps(program.body, search);
            println!("{key:14} {each:8} instructions an execution {step:8.0} a step  {change}");
            worse |= old.is_none_or(|old| each * 100 > old * 105);
            now.push_str(&format!("{key} {each}\n"));
        }
    }
    if std::env::var("GORDIAN_BASELINE").is_ok_and(|v| v == "write") {
        std::fs::write(BASELINE, now).expect("the baseline can be written");
        println!("baseline written");
        return ExitCode::SUCCESS;
    }
    if worse {
        println!(
            "more than 5 % above bench/instructions.txt: find out why, or, if it is worth it, write the new counts with GORDIAN_BASELINE=write"
        );
        return ExitCode::FAILURE;
    }
    ExitCode::SUCCESS
}
