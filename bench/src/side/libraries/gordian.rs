//! Gordian. A mode is a text of its grammar.

use super::{End, Job, closure};

mod kit {
    pub(super) use ::gordian::{future, hint, sync, thread};
}

#[path = "../programs/mod.rs"]
mod programs;

pub(super) fn search(job: &Job, sink: fn(Option<u64>)) -> End {
    let body = programs::find(&job.program).expect("a program");
    let checker = ::gordian::Checker::new().search(job.mode).seed(job.seed).executions(job.executions as u64);
    let report = checker.minimise(0).run(closure(body, job.size, sink));
    match report.failure() {
        Some(failure) => End::Failure(failure.message().to_owned()),
        None if report.complete() => End::Complete,
        None => End::Limit,
    }
}
