//! Native programs, compiled here with the system's compilers.
#![cfg(all(target_os = "linux", target_arch = "x86_64", target_env = "gnu"))]

mod bugs;
mod calls;
mod cancel;
mod chosen;
mod compile;
mod drawn;
mod hooked;
mod inputs;
mod library;
mod numbers;
mod pairs;
mod racy;
mod refusals;
mod rerun;

use gordian_model::{Options, Plan, Planned, Trace};
use gordian_native::{Invocation, Native};
use gordian_search::{Limits, Summary, Target, explore};
use std::time::Duration;

fn start(program: &str, arguments: &[&str]) -> Native {
    let words = [program].iter().chain(arguments).map(|&word| word.to_owned()).collect();
    Native::start(&Invocation { words }, Duration::from_secs(3)).unwrap_or_else(|error| panic!("{error}"))
}

/// Searches the interleavings of a program, to the end or to the first failure.
fn search(program: &str, arguments: &[&str], how: &str) -> Summary {
    search_in(&mut start(program, arguments), how)
}

fn search_in(native: &mut Native, how: &str) -> Summary {
    loop {
        let limits = Limits { executions: Some(20_000), ..Limits::default() };
        let found = explore(native, &how.parse().unwrap(), limits, Plan::default(), |_, _| {});
        if !native.starts_again() {
            return found;
        }
    }
}

/// What an execution did, in words that do not depend on the search it was found by.
fn steps(trace: &Trace) -> Vec<String> {
    trace.steps.iter().map(|s| format!("{:?} {:?} {} {}", s.thread, s.kind, s.outcome, s.value)).collect()
}

/// Repeats a failing execution in another process.
fn replay(program: &str, arguments: &[&str], first: &Native, trace: &Trace) -> Trace {
    let mut again = start(program, arguments);
    again.number_threads(first.names());
    let prefix = trace.choices().map(|planned| Planned { expected: None, ..planned }).collect();
    let options = Options {
        clocks: true,
        cancels: trace.cancels_seen,
        end_steps: trace.ends_seen,
        ..Options::default()
    };
    again.run(&Plan { prefix, replay: true, options, ..Plan::default() }).clone()
}
