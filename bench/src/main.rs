//! Gordian beside loom and shuttle: `cargo run --release -p gordian-bench [-- --quick | --rounds N]`.
//!
//! Without arguments everything is measured, five times over, and docs/benchmarks.md and its figures are written; `--rounds` says how often. `--quick` measures the
//! smallest sizes once and prints the page instead.

use gordian_bench::side::catalogue::{Program, RIGHT};
use gordian_bench::side::rounds::{Effort, FULL, QUICK, complete, growth, hunt};
use gordian_bench::side::{cell, page::page, plot::plot};
use std::ops::RangeInclusive;
use std::path::Path;
use std::process::ExitCode;

const DOCS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../docs");

/// What grows: a program, what the numbers are, which, and the size that each stands for.
type Growth = (&'static str, &'static str, RangeInclusive<usize>, fn(usize) -> (usize, usize));

const GROWTHS: [Growth; 6] = [
    ("b", "ops of each of 3 threads", 1..=5, |n| (3, n)),
    ("b", "threads, 1 op each", 2..=8, |n| (n, 1)),
    ("c", "ops of each of 3 threads", 1..=8, |n| (3, n)),
    ("e", "pushes and pops of each of 2 threads", 1..=4, |n| (2, n)),
    ("h", "philosophers", 2..=8, |n| (n, 1)),
    ("rwlock", "threads, of which one writes", 2..=10, |n| (n, 1)),
];

fn find(name: &str) -> &'static Program {
    RIGHT.iter().find(|program| program.name == name).expect("a program of the catalogue")
}

fn figures(binary: &Path) -> std::io::Result<Vec<(String, String)>> {
    std::fs::create_dir_all(format!("{DOCS}/figures"))?;
    let mut all = Vec::new();
    for (name, axis, sizes, at) in GROWTHS {
        let program = find(name);
        eprintln!("growth: {name} by {axis}");
        let title = format!("{name}: {}", program.about);
        let file = format!("growth-{name}-{}.svg", axis.split([' ', ',']).next().unwrap_or_default());
        let svg = plot(&title, axis, &growth(binary, FULL, program, sizes, at));
        std::fs::write(format!("{DOCS}/figures/{file}"), svg)?;
        all.push((file, format!("CPU time of {name} by {axis}")));
    }
    Ok(all)
}

fn run(quick: bool, rounds: usize) -> std::io::Result<()> {
    let binary = std::env::current_exe()?;
    let effort = if quick { QUICK } else { Effort { rounds, ..FULL } };
    let (right, buggy) = (complete(&binary, effort), hunt(&binary, effort));
    let figures = if quick { Vec::new() } else { figures(&binary)? };
    let page = page(&right, &buggy, effort, &figures);
    if quick {
        println!("{page}");
    } else {
        let summary: Vec<&str> = page.lines().take_while(|line| !line.starts_with("## ")).collect();
        println!("{}", summary.join("\n"));
        std::fs::write(format!("{DOCS}/benchmarks.md"), page)?;
        println!("written to docs/benchmarks.md");
    }
    Ok(())
}

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = args.iter().map(String::as_str).collect();
    let (quick, rounds) = match (&words[..], words.get(1).and_then(|n| n.parse().ok())) {
        (["--cell", ..], _) => cell::child(&args[1..]),
        (["--quick"], _) => (true, 1),
        ([], _) => (false, FULL.rounds),
        (["--rounds", _], Some(rounds)) if rounds > 0 => (false, rounds),
        _ => {
            eprintln!(
                "{}: not understood; say nothing to write docs/benchmarks.md, --rounds N to do so with fewer or more rounds than {}, or --quick to see the smallest sizes",
                args.join(" "),
                FULL.rounds
            );
            return ExitCode::from(2);
        }
    };
    match run(quick, rounds) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("the page cannot be written: {error}");
            ExitCode::FAILURE
        }
    }
}
