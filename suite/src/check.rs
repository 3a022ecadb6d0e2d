//! The quick part: every buggy version fails as expected, no fixed version does and each reaches a guarantee.

use crate::Program;
use gordian::{Checker, Guarantee, Report};

/// A bug that `auto` has not found after so many executions is lost.
pub const MOST: u64 = 10_000;
/// Executions in which a fixed version has to come to a guarantee.
pub const PROOF: u64 = 2_000;

/// Searches the buggy or the fixed version.
pub fn search(program: &Program, buggy: bool, search: &str, executions: u64, seed: u64) -> Report {
    let body = program.body;
    Checker::new().search(search).executions(executions).seed(seed).run(move || body(buggy))
}

/// Is more known than that some executions did not fail?
pub fn is_guarantee(report: &Report) -> bool {
    !matches!(report.guarantee(), Guarantee::Partial { .. } | Guarantee::Failed)
}

/// What is wrong with a program, or a line about it.
pub fn check(program: &Program) -> Result<String, String> {
    let bad = search(program, true, "auto", MOST, 0);
    let name = program.name;
    let Some(failure) = bad.failure() else {
        return Err(format!("{name}: the bug was not found: {bad}"));
    };
    if failure.kind() != program.kind {
        return Err(format!("{name}: a {} was expected and not this: {bad}", program.kind));
    }
    let threads = failure.plan().names.as_ref().map_or(0, |names| names.threads());
    if threads != program.threads {
        return Err(format!("{name}: has {threads} threads and not {}", program.threads));
    }
    let good = search(program, false, program.proof, PROOF, 0);
    if good.failure().is_some() {
        return Err(format!("{name}: the fixed version fails under {}: {good}", program.proof));
    }
    if !is_guarantee(&good) {
        return Err(format!(
            "{name}: the fixed version reaches no guarantee under {}: {good}",
            program.proof
        ));
    }
    Ok(format!(
        "{name:<20} {:<10} in {:>5} executions, {:.3?}; fixed: {} executions, {:.3?}, {}",
        program.kind.to_string(),
        bad.executions() + bad.blocked(),
        bad.elapsed(),
        good.executions() + good.blocked(),
        good.elapsed(),
        good.guarantee(),
    ))
}
