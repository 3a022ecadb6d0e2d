//! loom. A mode is the number of preemptions that it is held to, or nothing.

use super::{End, Job, closure};

mod kit {
    pub(super) use ::loom::{future, hint, sync, thread};
}

#[path = "../programs/mod.rs"]
mod programs;

pub(super) fn search(job: &Job, sink: fn(Option<u64>)) -> End {
    let body = programs::find(&job.program).expect("a program");
    let mut builder = ::loom::model::Builder::new();
    // The default of 1,000 is not enough for the larger programs; memory is set aside for all of them.
    builder.max_branches = 10_000;
    builder.preemption_bound = job.mode.parse().ok();
    builder.check(closure(body, job.size, sink));
    End::Complete
}
