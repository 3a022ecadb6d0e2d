//! How fast native programs are executed, and where the time goes; writes docs/native-speed.md.
#![allow(missing_docs)]

use gordian_model::{Plan, Policy};
use gordian_native::hooks::{Compiler, Library};
use gordian_native::{Invocation, Native};
use gordian_search::Target;
use std::fmt::Write;
use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

/// Compiles the program, with hooks or without.
fn compiled(hooks: bool) -> Option<String> {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("native/small.c");
    let out = Path::new(env!("CARGO_TARGET_TMPDIR")).join(if hooks { "small-hooked" } else { "small" });
    let mut cc = Command::new("cc");
    cc.args(["-g", "-O1", "-pthread", "-o"]).arg(&out).arg(&source);
    if hooks {
        let library = Library::put(None).expect("there is a runtime");
        let version = Command::new("cc").arg("--version").output().ok()?;
        let compiler =
            Compiler::from_version(&String::from_utf8_lossy(&version.stdout)).expect("a known one");
        cc.args(compiler.compile(&library).expect("it can be told")).args(compiler.link(&library));
    }
    let done = cc.status().ok()?.success();
    done.then(|| out.display().to_string())
}

/// Executions of what the program does with this argument, in processes of their own or in one: the median time of one, with random
/// choices, and its steps.
fn measure(program: &str, argument: &str, rerun: bool, count: usize) -> (Duration, usize) {
    measure_at(program, argument, rerun, &[], count)
}

/// The same, with steps at these variables only.
fn measure_at(
    program: &str,
    argument: &str,
    rerun: bool,
    points: &[String],
    count: usize,
) -> (Duration, usize) {
    let words = vec![program.to_owned(), argument.to_owned()];
    let mut native = Native::start(&Invocation { words }, Duration::from_secs(10)).expect("it can be run");
    native.choose(points).expect("they are there");
    native.rerun(rerun);
    let mut plan = Plan::default();
    plan.options.clocks = true;
    plan.limits.steps = u32::MAX;
    let mut steps = 0;
    let mut times: Vec<Duration> = (0..count as u64)
        .map(|seed| {
            plan.policy = Policy::Random { seed };
            let start = Instant::now();
            let trace = native.run(&plan);
            let time = start.elapsed();
            assert!(trace.failure().is_none(), "{:?}", trace.failure());
            steps = trace.len();
            time
        })
        .collect();
    times.sort();
    (times[count / 2], steps)
}

fn main() {
    let (Some(plain), Some(hooked)) = (compiled(false), compiled(true)) else {
        println!("skipped: there is no C compiler");
        return;
    };
    let micros = |time: Duration| time.as_secs_f64() * 1e6;
    let mut page = String::from(
        "# How fast native programs are\n\nWritten by `cargo bench -p gordian-bench --bench native`, on one core: the median time of an execution, with random choices, in a process of its own that is \
         forked for it, and in one process that puts its memory back after each execution (`--rerun`).\n\n| program | process | steps | µs | executions a second |\n|---|---|--:|--:|--:|\n",
    );
    let mut times = Vec::new();
    for (name, program, argument) in [
        ("3 threads lock a mutex 10 times each", &plain, "locks"),
        ("the same, with hooks", &hooked, "locks"),
        ("3 threads that do nothing", &plain, "threads"),
        ("one thread that does nothing", &plain, "empty"),
    ] {
        for (rerun, process, count) in [(false, "its own", 2_000), (true, "one for all", 10_000)] {
            let (time, steps) = measure(program, argument, rerun, count);
            times.push((time, steps));
            let row =
                format!("| {name} | {process} | {steps} | {:.0} | {:.0} |", micros(time), 1e6 / micros(time));
            println!("{row}");
            let _ = writeln!(page, "{row}");
        }
    }
    let (empty, _) = measure(&hooked, "empty", false, 200);
    let (accesses, _) = measure(&hooked, "plain", false, 50);
    let (atomics, _) = measure(&hooked, "trusted", false, 20);
    let chosen = ["count".to_owned()];
    let [passed_accesses, passed_atomics] =
        ["plain", "trusted"].map(|what| measure_at(&hooked, what, false, &chosen, 50).0);
    let passed = |time: Duration| micros(time.saturating_sub(empty)) * 1e3 / 2e5;
    let (per_access, per_atomic) = (passed(accesses), passed(atomics));
    let mut parts = String::from("\nWhere it goes:\n\n");
    for (i, process) in ["In a process of its own", "In one process for all"].into_iter().enumerate() {
        let [locks, threads, alone] = [i, 4 + i, 6 + i].map(|row| micros(times[row].0));
        let per_step = (locks - threads).max(0.0) / times[i].1 as f64;
        let per_thread = (threads - alone).max(0.0) / 2.0;
        let _ = writeln!(
            parts,
            "- {process}, a program with one thread besides the first takes {alone:.0} µs, each further thread {per_thread:.1} µs, a step {per_step:.2} µs (most of them switch)."
        );
    }
    let _ = writeln!(
        parts,
        "- A hook at a plain access takes {per_access:.0} ns, with what the program does itself; a step on an atomic that does not switch {per_atomic:.0} ns. If other variables are chosen (`--points`), these are {:.1} ns and {:.1} ns.",
        passed(passed_accesses),
        passed(passed_atomics),
    );
    println!("{parts}");
    page.push_str(&parts);
    if std::env::var_os("CI").is_none() {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/native-speed.md");
        std::fs::write(path, page).expect("docs can be written to");
    }
}
