//! One row of docs/benchmarks.md by itself, for whoever makes executions faster and wants to compare two builds of this program in turns:
//!
//! - `row e 2 1 t200` searches program e (2 threads, 1 op each) for 200 ms and prints the nanoseconds that an execution took in the fastest 4 ms;
//! - `row e 2 1 100` makes 100 searches and prints how many executions they had: what a profiler is to look at.
//!
//! `cargo run --config profile.dev.opt-level=0 -p gordian-bench --example row -- b 3 2 t300` is what tests are without `--release`. `--config 'profile.dev.package."*".opt-level=3'`, and
//! the same for `package.gordian`, `gordian-model` and `gordian-search`, which are dependencies everywhere else, is what they are with optimised dependencies.
//!
//! A further word is a mode of Gordian (`exhaustive` if none is given), or `loom` or `shuttle`, which search to the end.
#![allow(missing_docs)]

use gordian_bench::cpu_seconds;
use gordian_bench::side::libraries::{Job, search};
use gordian_bench::side::tool::{EXHAUSTIVE, LOOM, SHUTTLE};
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

static EXECUTIONS: AtomicU64 = AtomicU64::new(0);

/// Counts beginnings. Not by an atomic step, which would take longer than some of what is measured.
fn count(outcome: Option<u64>) {
    if outcome.is_none() {
        EXECUTIONS.store(EXECUTIONS.load(Relaxed) + 1, Relaxed);
    }
}

fn main() {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let [program, threads, ops, much, mode @ ..] = &words[..] else {
        eprintln!("say a program, threads, ops, and t and milliseconds or a number of searches");
        std::process::exit(2);
    };
    let number = |text: &str| text.parse().unwrap_or_else(|_| panic!("{text} is no number"));
    let mode = mode.first().map_or(EXHAUSTIVE.mode, |mode| mode.clone().leak());
    let (library, mode) = match mode {
        "loom" => (LOOM.library, LOOM.mode),
        "shuttle" => (SHUTTLE.library, SHUTTLE.mode),
        mode => (EXHAUSTIVE.library, mode),
    };
    let size = (number(threads), number(ops));
    let job = Job { mode, seed: 0, executions: usize::MAX, program: program.clone(), size };
    let Some(milliseconds) = much.strip_prefix('t') else {
        for _ in 0..number(much) {
            search(library, &job, count);
        }
        return println!("{}", EXECUTIONS.load(Relaxed));
    };
    let (begin, mut best) = (cpu_seconds(), f64::MAX);
    while cpu_seconds() - begin < number(milliseconds) as f64 / 1000.0 {
        let (since, before) = (cpu_seconds(), EXECUTIONS.load(Relaxed));
        while cpu_seconds() - since < 0.004 {
            (0..20).for_each(|_| drop(search(library, &job, count)));
        }
        best = best.min((cpu_seconds() - since) / (EXECUTIONS.load(Relaxed) - before) as f64);
    }
    println!("{:.1}", best * 1e9);
}
