//! Bugs are found, with a trace that repeats exactly; with the bug fixed the search comes to its end.

use crate::compile::compiled;
use crate::{replay, search, search_in, start, steps};
use gordian_model::FailureKind::{self, *};
use gordian_model::Plan;
use gordian_search::{Limits, explore};

pub(crate) fn is_found(program: &str, arguments: &[&str], kind: FailureKind, says: &str) {
    for how in ["exhaustive", "auto", "pct:3"] {
        let mut native = start(program, arguments);
        let found = search_in(&mut native, how);
        let (failure, trace) =
            found.failure.unwrap_or_else(|| panic!("{arguments:?} {how}: {}", found.guarantee));
        assert_eq!(failure.kind, kind, "{arguments:?} {how}: {}", failure.message);
        assert!(failure.message.contains(says), "{arguments:?}: {}", failure.message);
        let again = replay(program, arguments, &native, &trace);
        assert_eq!(steps(&again), steps(&trace), "{arguments:?} {how}");
        assert_eq!(again.failure().map(|f| &f.message), Some(&failure.message), "{arguments:?} {how}");
    }
}

pub(crate) fn is_clean(program: &str, arguments: &[&str]) {
    let found = search(program, arguments, "exhaustive");
    let failure = found.failure.as_ref().map(|(failure, _)| &failure.message);
    assert_eq!((failure, found.complete), (None, true), "{arguments:?}: {}", found.guarantee);
}

#[test]
fn bugs_in_c_are_found_and_fixed_ones_are_not() {
    let Some(program) = compiled("bugs.c", &[]) else { return };
    for (case, kind, says) in [
        ("ab ba", Deadlock, "main.1 -> main.2 -> main.1 wait for each other"),
        ("lost wakeup", Deadlock, "main, main.1 cannot go on"),
        ("wrong count", Panic, "main failed an assertion: n == 2"),
        ("missed join", Panic, "get(&n) == 1"),
        ("no loop", Panic, "n >= 0"),
        ("timeout", Panic, "main.1 failed an assertion: error == 0"),
        ("robust", Panic, "error != ENOTRECOVERABLE"),
        ("null pointer", Crash, "it used a null pointer"),
        ("status", AbnormalExit, "the program ended with status 1"),
        ("impatient", Panic, "error == 0"),
        ("itself", Deadlock, "main waits for itself"),
        ("reads twice", Deadlock, "main -> main.1 -> main wait for each other"),
        ("destructor", Panic, "get(&n) == 1"),
        ("left behind", Panic, "get(&n) == 0"),
        ("ends main", Panic, "error == 0"),
    ] {
        is_found(&program, &[case], kind, says);
        is_clean(&program, &[case, "fixed"]);
    }
}

#[test]
fn a_failure_names_the_lines_of_the_source() {
    let Some(program) = compiled("bugs.c", &["-O1"]) else { return };
    let mut native = start(&program, &["ab ba"]);
    let found = search_in(&mut native, "exhaustive");
    let (failure, trace) = found.failure.expect("there is one");
    let place = |site| native.names().place(site);
    assert!(trace.steps.iter().all(|s| place(s.site).contains("bugs.c:")), "{failure:?}");
    let holds = failure
        .notes
        .iter()
        .filter(|note| note.text.contains("held by main.") && note.text.contains("bugs.c:"));
    assert_eq!(holds.count(), 2, "{failure:?}");
}

#[test]
fn threads_of_cpp_are_controlled() {
    let Some(program) = compiled("threads.cpp", &[]) else { return };
    is_found(&program, &["ab ba"], Deadlock, "wait for each other");
    is_found(&program, &["lost wakeup"], Deadlock, "cannot go on");
    is_found(&program, &["exception"], Crash, "main called abort");
    for case in ["queue", "statics", "latch", "future", "cancelled"] {
        is_clean(&program, &[case]);
    }
}

#[test]
fn threads_of_plain_rust_are_controlled() {
    let Some(program) = compiled("threads.rs", &[]) else { return };
    is_found(&program, &["ab ba"], Deadlock, "cannot go on");
    is_found(&program, &["no sender"], Deadlock, "cannot go on");
    is_found(&program, &["panic"], AbnormalExit, "status 101");
    for case in ["channel", "park", "condvar", "scope", "hash maps"] {
        is_clean(&program, &[case]);
    }
}

#[test]
fn calls_give_back_what_the_c_library_would() {
    let Some(program) = compiled("calls.c", &[]) else { return };
    for case in ["locks", "writers first", "semaphores", "conditions", "threads", "waiting", "1"] {
        is_clean(&program, &[case]);
    }
    // It waits in loops that wake and move others, so there are too many orders to try them all.
    for how in ["random", "preemptions:1"] {
        let mut native = start(&program, &["futexes"]);
        let limits = Limits { executions: Some(300), ..Limits::default() };
        let found = explore(&mut native, &how.parse().unwrap(), limits, Plan::default(), |_, _| {});
        assert!(found.failure.is_none(), "{how}: {}", found.failure.unwrap().0.message);
    }
}
