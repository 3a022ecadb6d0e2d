//! The quick part: every wrong object fails as expected, and no right one does.

use super::{Effort, Subject};
use gordian::lin::Report;

/// Checks the wrong or the right version from its operations alone.
pub fn run(subject: &Subject, wrong: bool, effort: &Effort) -> Report {
    (subject.object)(wrong).check(effort, None)
}

/// What is wrong with a subject, or a line about it.
pub fn check(subject: &Subject) -> Result<String, String> {
    let name = subject.name;
    let bad = run(subject, true, &Effort::default());
    let kind = bad.failure().map(|failure| failure.kind());
    if kind != Some(subject.kind) {
        return Err(format!("{name}: a {} was expected and not this: {bad}", subject.kind));
    }
    // Some drawn tests beside all small ones.
    let good = run(subject, false, &Effort { tests: 5, executions: 200, ..Effort::default() });
    if good.failure().is_some() {
        return Err(format!("{name}: the right version fails: {good}"));
    }
    Ok(format!(
        "{name:<20} {:<16} in {:>4} tests, {:>6} executions, {:.3?}; right: {} tests, {} executions, {:.3?}",
        subject.kind.to_string(),
        bad.tests(),
        bad.executions(),
        bad.elapsed(),
        good.tests(),
        good.executions(),
        good.elapsed(),
    ))
}
