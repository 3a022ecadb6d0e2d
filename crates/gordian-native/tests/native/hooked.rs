//! Programs that are compiled with hooks: memory is watched.

use crate::compile::hooked;
use crate::pairs::run;
use crate::{replay, search, search_in, start, steps};
use gordian::sync::Mutex;
use gordian::sync::atomic::{AtomicI8, AtomicI32, Ordering::*};
use gordian_model::FailureKind::{self, *};
use std::sync::Arc;

type Twin = fn();

fn buffers() {
    let both = [AtomicI32::new(0), AtomicI32::new(0)];
    run(2, move |i| {
        both[i].store(1, SeqCst);
        both[1 - i].load(SeqCst);
    });
}

fn adds() {
    let a = Arc::new(AtomicI32::new(0));
    let n = Arc::clone(&a);
    run(3, move |_| {
        n.fetch_add(1, SeqCst);
    });
    assert_eq!(a.load(SeqCst), 3);
}

fn loads_and_stores() {
    let a = Arc::new(AtomicI32::new(0));
    let n = Arc::clone(&a);
    run(2, move |_| {
        let now = n.load(SeqCst);
        n.store(now + 1, SeqCst);
    });
    // As the program, which reads it again if it is not the first of the two.
    assert!(a.load(SeqCst) == 1 || a.load(SeqCst) == 2);
}

fn exchanges() {
    let a = Arc::new(AtomicI32::new(0));
    let n = Arc::clone(&a);
    run(2, move |_| {
        let mut now = n.load(SeqCst);
        while let Err(found) = n.compare_exchange(now, now + 1, SeqCst, SeqCst) {
            now = found;
        }
    });
    assert_eq!(a.load(SeqCst), 2);
}

fn spins() {
    let lock = AtomicI32::new(0);
    run(2, move |_| {
        while lock.swap(1, SeqCst) != 0 {}
        lock.store(0, SeqCst);
    });
}

fn passes() {
    let a = AtomicI32::new(0);
    run(2, move |i| {
        if i == 0 {
            a.store(1, Release);
        } else {
            while a.load(Acquire) == 0 {}
        }
    });
}

fn neighbours() {
    let small = Arc::new([AtomicI8::new(0), AtomicI8::new(0)]);
    let n = Arc::clone(&small);
    run(2, move |i| {
        n[i].store(1, SeqCst);
        n[i].fetch_or(2, SeqCst);
    });
    assert!(small[0].load(SeqCst) == 3 && small[1].load(SeqCst) == 3);
}

fn mixes() {
    let (mutex, a) = (Mutex::new(0), AtomicI32::new(0));
    run(2, move |_| {
        *mutex.lock().unwrap() += 1;
        a.fetch_sub(1, SeqCst);
    });
}

#[test]
fn a_hooked_program_has_as_many_executions_as_its_twin() {
    let Some(program) = hooked("hooked.c", &[]) else { return };
    let twins: [(&str, Twin); 8] = [
        ("buffers", buffers),
        ("adds", adds),
        ("loads and stores", loads_and_stores),
        ("exchanges", exchanges),
        ("spins", spins),
        ("passes", passes),
        ("neighbours", neighbours),
        ("mixes", mixes),
    ];
    for (case, twin) in twins {
        for how in ["exhaustive", "dfs", "preemptions:1"] {
            let expected = gordian::Checker::new().search(how).leaks(false).run(twin);
            assert!(expected.failure().is_none() && expected.complete(), "{case}: {expected}");
            let found = search(&program, &[case], how);
            let failure = found.failure.as_ref().map(|(failure, _)| &failure.message);
            assert_eq!(failure, None, "{case} {how}");
            let native = (found.executions, found.blocked, found.complete);
            assert_eq!(native, (expected.executions(), expected.blocked(), true), "{case} {how}");
        }
    }
}

#[test]
fn what_memory_tells_is_found_and_repeats_itself() {
    for options in [&[][..], &["-O2"]] {
        let Some(program) = hooked("hooked.c", options) else { return };
        let bugs: [(&str, FailureKind, &str); 6] = [
            ("races", DataRace, "not ordered by anything"),
            ("publishes", DataRace, "read by main.2"),
            ("fenced", DataRace, "read by main.2"),
            ("lost update", Panic, "a == 2"),
            ("use after free", DataRace, "free by main"),
            ("double free", Crash, "double free"),
        ];
        for (case, kind, says) in bugs {
            let mut native = start(&program, &[case]);
            let found = search_in(&mut native, "exhaustive");
            let (failure, trace) = found.failure.unwrap_or_else(|| panic!("{case}: {}", found.guarantee));
            assert_eq!(failure.kind, kind, "{case}: {}", failure.message);
            assert!(failure.message.contains(says), "{case}: {}", failure.message);
            let again = replay(&program, &[case], &native, &trace);
            assert_eq!(steps(&again), steps(&trace), "{case}");
            assert_eq!(again.failure().map(|f| &f.message), Some(&failure.message), "{case}");
            let found = search(&program, &[case, "fixed"], "exhaustive");
            let failure = found.failure.as_ref().map(|(failure, _)| &failure.message);
            assert_eq!((failure, found.complete), (None, true), "{case} fixed: {}", found.guarantee);
        }
    }
}

#[test]
fn what_is_in_order_is_no_failure() {
    for options in [&[][..], &["-O2"]] {
        let Some(program) = hooked("hooked.c", options) else { return };
        for case in ["owners", "volatile", "rounds"] {
            let found = search(&program, &[case], "exhaustive");
            let failure = found.failure.as_ref().map(|(failure, _)| &failure.message);
            assert_eq!((failure, found.complete), (None, true), "{case}: {}", found.guarantee);
        }
    }
}

/// Rust's std has no hooks where it is not generic, and yet threads meet in it.
#[test]
fn stds_own_waiting_is_seen() {
    let Some(program) = hooked("std.rs", &[]) else { return };
    for case in ["condvar", "barrier", "once", "rwlock", "channel", "park", "scope", "arc", "max"] {
        let found = search(&program, &[case], "preemptions:2");
        let failure = found.failure.as_ref().map(|(failure, _)| &failure.message);
        assert_eq!(failure, None, "{case}: {}", found.guarantee);
        assert!(found.executions > 1, "{case}: {}", found.guarantee);
    }
    let found = search(&program, &["lost"], "preemptions:2");
    assert_eq!(found.failure.map(|(failure, _)| failure.kind), Some(Deadlock));
}
