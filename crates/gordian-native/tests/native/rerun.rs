//! Executions that follow each other in one process are those that there are in processes of their own.

use crate::compile::{compiled, hooked};
use crate::{replay, search_in, start, steps};
use gordian_model::{Plan, Policy};
use gordian_search::{Summary, Target};

/// How the executions of a program are made.
#[derive(Clone, Copy, PartialEq)]
enum How {
    /// As they are if nothing is said.
    Alone,
    /// In one process.
    Again,
    /// With threads of the kernel's.
    Kernel,
}

fn search(program: &str, argument: &str, how: How) -> (Summary, bool) {
    let mut native = start(program, &[argument]);
    native.rerun(how == How::Again);
    native.kernel_threads(how == How::Kernel);
    let found = search_in(&mut native, "exhaustive");
    if let Some((_, trace)) = &found.failure {
        let again = replay(program, &[argument], &native, trace);
        assert_eq!(steps(&again), steps(trace), "{argument}");
        assert_eq!(again.failure().map(|f| f.kind), trace.failure().map(|f| f.kind), "{argument}");
    }
    (found, native.keeps_state())
}

/// The arguments that a program knows, from its source.
fn arguments(source: &str) -> Vec<String> {
    let text =
        std::fs::read_to_string(format!("{}/tests/programs/{source}", env!("CARGO_MANIFEST_DIR"))).unwrap();
    text.lines()
        .filter_map(|line| Some(line.split_once("CASE(\"")?.1.split_once('"')?.0.to_owned()))
        .collect()
}

#[test]
fn verdicts_and_executions_are_the_same_however_they_are_made() {
    for source in ["pairs.c", "bugs.c", "hooked.c"] {
        let program = if source == "hooked.c" { hooked(source, &[]) } else { compiled(source, &[]) };
        let Some(program) = program else { return };
        let all = arguments(source);
        assert!(all.len() > 5, "{all:?}");
        for argument in all.iter().filter(|argument| *argument != "spins") {
            let [(alone, _), (again, kept), (kernel, _)] =
                [How::Alone, How::Again, How::Kernel].map(|how| search(&program, argument, how));
            assert!(!kept, "{source} {argument}");
            assert_eq!(alone.executions, again.executions, "{source} {argument}");
            assert_eq!(alone.executions, kernel.executions, "{source} {argument}");
            let kind = |found: &Summary| found.failure.as_ref().map(|(f, _)| (f.kind, f.message.clone()));
            assert_eq!(kind(&alone), kind(&again), "{source} {argument}");
            assert_eq!(kind(&alone), kind(&kernel), "{source} {argument}");
        }
    }
}

/// Makes random executions in one process: how many failed, and whether the program was found to keep state.
fn random(program: &str, argument: &str) -> (usize, bool) {
    let mut native = start(program, &[argument]);
    native.rerun(true);
    let mut plan = Plan::default();
    plan.limits.steps = 10_000;
    let failures = (0..100).filter(|&seed| {
        plan.policy = Policy::Random { seed };
        native.run(&plan).failure().is_some()
    });
    (failures.count(), native.keeps_state())
}

#[test]
fn what_is_in_memory_is_put_back() {
    // It fails in a process in which it was called before: statics, heap, thread-local variables, standard streams, exit handlers.
    let Some(program) = compiled("state.c", &[]) else { return };
    for argument in ["memory", "threads"] {
        assert_eq!(random(&program, argument), (0, false), "{argument}");
    }
}

#[test]
fn what_is_not_in_memory_is_noticed() {
    let Some(program) = compiled("state.c", &[]) else { return };
    // The kernel's count of the descriptors that are open is looked at, so the process ends by itself.
    assert_eq!(random(&program, "descriptor"), (0, false));
    // Nothing tells that the mask for new files is another, until the program does something else.
    assert_eq!(random(&program, "umask"), (0, true));
}

#[test]
fn a_process_that_failed_is_followed_by_another() {
    let Some(program) = compiled("state.c", &[]) else { return };
    let (failures, kept) = random(&program, "sometimes");
    assert!((1..100).contains(&failures) && !kept, "{failures}");
}
