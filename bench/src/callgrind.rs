//! Counting instructions: a bench runs itself under `valgrind --tool=callgrind`, with `--work PROGRAM SEARCH EXECUTIONS`.

use crate::programs::PROGRAMS;
use gordian::Checker;
use std::process::{Command, Stdio};

/// Is this process one that is being counted? Then it does its work, and that is all it is to do.
pub fn is_counted() -> bool {
    let args: Vec<String> = std::env::args().collect();
    let Some(i) = args.iter().position(|a| a == "--work") else { return false };
    work(&args[i + 1], &args[i + 2], args[i + 3].parse().expect("a number"));
    true
}

/// Is valgrind installed?
pub fn is_there() -> bool {
    Command::new("valgrind").arg("--version").stdout(Stdio::null()).status().is_ok()
}

/// Runs complete searches of a program until there have been so many executions.
fn work(name: &str, search: &str, executions: u64) {
    let program = PROGRAMS.iter().find(|p| p.name == name).expect("a program");
    let mut left = executions;
    while left > 0 {
        let report = Checker::new().search(search).executions(left).run(program.body);
        assert!(report.failure().is_none(), "{report}");
        left -= report.executions();
    }
}

/// The profile of so many executions, as callgrind writes it; nothing if it could not be made.
pub fn profile(name: &str, search: &str, executions: u64) -> Option<String> {
    let file = std::env::temp_dir().join(format!("gordian-callgrind-{}", std::process::id()));
    let done = Command::new("valgrind")
        .arg("--tool=callgrind")
        .arg(format!("--callgrind-out-file={}", file.display()))
        .arg(std::env::current_exe().ok()?)
        .args(["--work", name, search, &executions.to_string()])
        .stdin(Stdio::null())
        .output()
        .ok()?;
    let text = std::fs::read_to_string(&file).ok()?;
    let _ = std::fs::remove_file(&file);
    done.status.success().then_some(text)
}

/// All instructions of a profile.
pub fn total(profile: &str) -> Option<u64> {
    profile.lines().find_map(|line| line.strip_prefix("totals: "))?.trim().parse().ok()
}
