//! Reductions against brute force, and against the twin on gordian's types, for what std does without hooks: that is noticed, but not
//! always where it happened, and no outcome may be lost by it.
//!
//! `GORDIAN_DIFFERENTIAL=N` draws N programs, `GORDIAN_SEED=S` begins with another seed.

use super::compile::hooked;
use super::start;
use gordian::Checker;
use gordian_model::{End, FailureKind, OpKind, Plan};
use gordian_search::{Limits, explore};
use std::collections::BTreeSet;
use std::sync::{Arc, Mutex};

/// The program on gordian's types.
mod twin {
    use gordian::sync::atomic::{AtomicUsize, Ordering::SeqCst};
    use gordian::sync::mpsc::{Receiver, Sender, channel};
    use gordian::sync::{Arc, Condvar, Mutex, OnceLock, RwLock};
    use gordian::thread;

    include!("../programs/drawn_calls.rs");

    pub(super) fn run(seed: usize) -> usize {
        outcome(seed)
    }
}

/// What the twin can see, in any interleaving.
fn possible(seed: usize) -> BTreeSet<u64> {
    let all = Arc::new(Mutex::new(BTreeSet::new()));
    let seen = all.clone();
    let report = Checker::new().search("exhaustive").run(move || {
        let outcome = twin::run(seed);
        seen.lock().unwrap().insert(outcome as u64);
    });
    assert!(report.failure().is_none() && report.complete(), "{seed}: {report}");
    std::mem::take(&mut all.lock().unwrap())
}

/// The outcomes of a program, the failure if there is one, whether the search came to its end, and how many executions that took.
fn outcomes(program: &str, seed: usize, how: &str) -> (BTreeSet<u64>, Option<FailureKind>, bool, u64) {
    let mut native = start(program, &[&seed.to_string()]);
    loop {
        let mut all = BTreeSet::new();
        let limits = Limits { executions: Some(6_000), ..Limits::default() };
        let found = explore(&mut native, &how.parse().unwrap(), limits, Plan::default(), |_, trace| {
            if trace.end == End::Complete {
                // Nothing with hooks stores after that.
                all.extend(trace.steps.iter().rfind(|step| step.kind == OpKind::Store).map(|step| step.arg));
            }
        });
        if !native.starts_again() {
            let kind = found.failure.map(|(failure, _)| failure.kind);
            return (all, kind, found.complete, found.executions);
        }
    }
}

#[test]
fn no_outcome_of_what_std_does_is_lost() {
    let Some(program) = hooked("drawn.rs", &[]) else { return };
    let number = |name: &str| std::env::var(name).ok().and_then(|text| text.parse::<usize>().ok());
    let first = number("GORDIAN_SEED").unwrap_or(1);
    let programs = number("GORDIAN_DIFFERENTIAL").unwrap_or(10);
    let mut compared = 0;
    for seed in (first..).take(programs) {
        let possible = possible(seed);
        let (all, failure, complete, executions) = outcomes(&program, seed, "dfs");
        assert_eq!(failure, None, "{seed}");
        if complete {
            compared += 1;
            assert_eq!(all, possible, "{seed}: {executions} executions");
        }
        for how in ["exhaustive", "dfs:source"] {
            let (reduced, failure, complete, fewer) = outcomes(&program, seed, how);
            assert_eq!((failure, complete), (None, true), "{seed} {how}");
            assert_eq!(reduced, possible, "{seed} {how}: {fewer} executions, {executions} without reduction");
            assert!(fewer <= executions, "{seed} {how}: {fewer} executions instead of {executions}");
        }
    }
    assert!(compared * 2 >= programs, "only {compared} of {programs} were small enough for brute force");
}
