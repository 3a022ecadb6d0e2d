//! What a program gets from outside: made up, or real and recorded.

use crate::compile::compiled;
use crate::start;
use gordian_model::{FailureKind, Inputs, Options, Plan, Planned, Trace};
use gordian_native::Native;
use gordian_search::{Limits, Summary, Target, explore};
use std::path::PathBuf;
use std::time::Duration;

fn search(native: &mut Native, inputs: Inputs, how: &str, wait: Duration) -> Summary {
    loop {
        let plan = Plan { options: Options { inputs, ..Options::default() }, ..Plan::default() };
        let each = |_, _: &Trace| std::thread::sleep(wait);
        let found = explore(native, &how.parse().unwrap(), Limits::default(), plan, each);
        if !native.starts_again() {
            return found;
        }
    }
}

/// What a failing execution printed.
fn said(trace: &Trace) -> String {
    let failure = trace.failure().unwrap();
    failure.notes.iter().map(|note| note.text.as_str()).collect()
}

fn replay(program: &str, case: &str, first: &Native, trace: &Trace, inputs: Inputs) -> Trace {
    let mut again = start(program, &[case]);
    again.number_threads(first.names());
    let prefix = trace.choices().map(|planned| Planned { expected: None, ..planned }).collect();
    let options = Options { inputs, ..Options::default() };
    let inputs = trace.inputs.clone();
    again.run(&Plan { prefix, inputs, replay: true, options, ..Plan::default() }).clone()
}

#[test]
fn a_failure_that_depends_on_what_came_from_outside_repeats_itself() {
    let Some(program) = compiled("inputs.c", &[]) else { return };
    for case in ["clock", "monotonic", "random", "file", "process"] {
        for inputs in [Inputs::Recorded, Inputs::Travel] {
            let mut seen = Vec::new();
            for _ in 0..2 {
                let mut native = start(&program, &[case]);
                let found = search(&mut native, inputs, "exhaustive", Duration::ZERO);
                let (failure, trace) = found.failure.unwrap_or_else(|| panic!("{case}: nothing was found"));
                assert_eq!(failure.kind, FailureKind::AbnormalExit, "{case}: {}", failure.message);
                for _ in 0..3 {
                    let again = replay(&program, case, &native, &trace, inputs);
                    assert_eq!(again.failure().map(|again| &again.message), Some(&failure.message), "{case}");
                    assert_eq!(said(&again), said(&trace), "{case}");
                    assert_eq!(again.inputs, trace.inputs, "{case}");
                }
                seen.push(said(&trace));
            }
            assert_ne!(seen[0], seen[1], "{case}: it is not real");
        }
        // If nothing is said it is made up, the same for ever. The number of the process is that of the first.
        if case != "process" {
            let one = || search(&mut start(&program, &[case]), Inputs::Virtual, "exhaustive", Duration::ZERO);
            let [a, b] = [one(), one()].map(|found| said(&found.failure.unwrap().1));
            assert_eq!(a, b, "{case}");
        }
    }
}

#[test]
fn a_replay_that_asks_for_more_departs() {
    let Some(program) = compiled("inputs.c", &[]) else { return };
    let mut native = start(&program, &["random"]);
    let (_, mut trace) = search(&mut native, Inputs::Recorded, "exhaustive", Duration::ZERO).failure.unwrap();
    trace.inputs.retain(|input| input.call != gordian_model::input::Call::Random);
    let again = replay(&program, "random", &native, &trace, Inputs::Recorded);
    let failure = again.failure().unwrap();
    assert_eq!(failure.kind, FailureKind::Nondeterminism, "{}", failure.message);
    assert!(failure.message.contains("called getrandom for the 1. time"), "{}", failure.message);
    assert!(failure.message.contains("after step 0"), "{}", failure.message);
}

#[test]
fn time_travel_takes_out_the_time_between_executions() {
    let Some(program) = compiled("inputs.c", &[]) else { return };
    let wait = Duration::from_millis(200);
    for inputs in [Inputs::Recorded, Inputs::Travel] {
        let file = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("travel.{}", std::process::id()));
        let _ = std::fs::remove_file(&file);
        let mut native = start(&program, &["none", file.to_str().unwrap()]);
        let found = search(&mut native, inputs, "exhaustive", wait);
        assert!(found.failure.is_none() && found.complete && found.executions == 2);
        let text = std::fs::read_to_string(&file).unwrap();
        let _ = std::fs::remove_file(&file);
        let took: u64 = text.lines().next().unwrap().parse().unwrap();
        // The first call is answered as in the first execution, the second is new in the second one.
        assert_eq!(took >= wait.as_nanos() as u64, inputs == Inputs::Recorded, "{inputs:?}: {took} ns");
    }
}

#[test]
fn sleeping_and_waiting_for_a_time_take_none() {
    let Some(program) = compiled("inputs.c", &[]) else { return };
    for inputs in [Inputs::Virtual, Inputs::Recorded, Inputs::Travel] {
        let found = search(&mut start(&program, &["sleeps"]), inputs, "exhaustive", Duration::ZERO);
        let failure = found.failure.as_ref().map(|(failure, _)| &failure.message);
        assert_eq!(failure, None, "{inputs:?}");
        assert!(found.complete && found.elapsed < Duration::from_secs(30), "{inputs:?}");
    }
}
