//! Checking the objects.

use super::{Effort, SUBJECTS, Subject};
use std::time::Instant;

/// Checks the wrong version of a subject, or the right one, and prints a line.
pub fn check(subject: &Subject, effort: &Effort) -> bool {
    let start = Instant::now();
    let wrong = (subject.object)(true).check(effort);
    let found = wrong.failure().is_some_and(|f| f.kind() == subject.kind);
    println!(
        "{:18} wrong: {} {:?} in {} tests, {} executions, {:.1?}; test {:?}",
        subject.name,
        found,
        wrong.failure().map(|f| f.kind()),
        wrong.tests(),
        wrong.executions(),
        start.elapsed(),
        wrong.test()
    );
    let start = Instant::now();
    let right = (subject.object)(false).check(&Effort { tests: 50, ..effort.clone() });
    println!("{:18} right: {} {:.1?} {}", "", right.guarantee(), start.elapsed(), right.executions());
    if let Some(f) = right.failure() {
        println!("{right}");
        let _ = f;
    }
    found && right.failure().is_none()
}

/// All.
pub fn all(effort: &Effort, only: Option<&str>) -> bool {
    let chosen = SUBJECTS.iter().filter(|s| only.is_none_or(|only| s.name.starts_with(only)));
    chosen.map(|s| check(s, effort)).fold(true, |a, b| a & b)
}
