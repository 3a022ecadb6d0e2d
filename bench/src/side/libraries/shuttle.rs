//! shuttle. A mode is one of its schedulers.

use super::{End, Job, closure};
use ::shuttle::scheduler::{DfsScheduler, PctScheduler, RandomScheduler, Scheduler, UrwRandomScheduler};
use ::shuttle::{Config, FailurePersistence, Runner};

mod kit {
    pub(super) use ::shuttle::{future, hint, sync, thread};
}

#[path = "../programs/mod.rs"]
mod programs;

fn run(scheduler: impl Scheduler + 'static, body: impl Fn() + Send + Sync + 'static) {
    let mut config = Config::new();
    // Schedules are not written down: that would be held against its time to the first failure.
    config.failure_persistence = FailurePersistence::None;
    config.silence_warnings = true;
    Runner::new(scheduler, config).run(body);
}

pub(super) fn search(job: &Job, sink: fn(Option<u64>)) -> End {
    let body = closure(programs::find(&job.program).expect("a program"), job.size, sink);
    let Job { seed, executions, .. } = *job;
    match job.mode {
        "dfs" => run(DfsScheduler::new(None, false), body),
        "random" => run(RandomScheduler::new_from_seed(seed, executions), body),
        "urw" => run(UrwRandomScheduler::new_from_seed(seed, executions), body),
        "pct:3" => run(PctScheduler::new_from_seed(seed, 3, executions), body),
        other => panic!("shuttle has no mode {other}"),
    }
    if job.mode == "dfs" { End::Complete } else { End::Limit }
}
