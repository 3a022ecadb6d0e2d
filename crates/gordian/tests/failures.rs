//! Every kind of failure is found, named in the user's terms, and repeats.

use gordian::sync::Mutex;
use gordian::sync::atomic::{AtomicUsize, Ordering::*};
use gordian::{Checker, Failure, FailureKind, thread};
use std::sync::Arc;

/// The first failure, after making sure that its plan repeats it step by step.
fn failure(body: impl Fn() + Send + Sync + Copy + 'static) -> Failure {
    failure_with(Checker::new(), body)
}

fn failure_with(checker: Checker, body: impl Fn() + Send + Sync + Copy + 'static) -> Failure {
    let report = checker.run(body);
    let found = report.failure().unwrap_or_else(|| panic!("{report}")).clone();
    let again = gordian::replay(found.plan(), body);
    let again = again.failure().unwrap_or_else(|| panic!("no failure in the replay of\n{found}"));
    assert_eq!(again.message(), found.message());
    assert_eq!(again.kind(), found.kind());
    assert_eq!(again.to_string(), found.to_string());
    let steps = |f: &Failure| f.trace().choices().collect::<Vec<_>>();
    assert_eq!(steps(again), steps(&found));
    found
}

/// The line of the place that holds this text.
fn line(of: &str) -> usize {
    let this = include_str!("failures.rs");
    this.lines().position(|l| l.contains(of) && !l.contains("line(")).unwrap_or_else(|| panic!("{of}")) + 1
}

fn passes(body: impl Fn() + Send + Sync + 'static) {
    let report = Checker::new().run(body);
    assert!(report.failure().is_none() && report.complete(), "{report}");
}

#[test]
fn a_panic_in_a_thread_reaches_join() {
    passes(|| {
        let thread = thread::spawn(|| std::panic::panic_any(7));
        let payload = thread.join().unwrap_err();
        assert_eq!(payload.downcast_ref::<i32>(), Some(&7));
    });
}

#[test]
fn a_failed_assertion_says_where_and_what() {
    let found = failure(|| {
        let flag = Arc::new(AtomicUsize::new(0));
        let other = Arc::clone(&flag);
        thread::spawn(move || other.store(1, SeqCst));
        assert!(flag.load(SeqCst) == 0, "too soon"); // assertion
    });
    assert_eq!(found.kind(), FailureKind::Panic);
    assert_eq!(found.message(), "main panicked: too soon");
    let place = format!("failures.rs:{}", line("// assertion"));
    assert!(found.to_string().lines().nth(1).unwrap().ends_with(&place), "{found}");
}

#[test]
fn a_panic_whose_handle_is_dropped_is_a_failure() {
    let found = failure(|| {
        let flag = AtomicUsize::new(0);
        drop(thread::spawn(|| panic!("nobody listens")));
        flag.load(SeqCst);
    });
    assert_eq!(found.message(), "main.1 panicked: nobody listens");
}

#[test]
fn a_panic_whose_handle_is_forgotten_is_a_failure() {
    let found = failure(|| std::mem::forget(thread::spawn(|| panic!("nobody listens"))));
    assert_eq!(found.message(), "main.1 panicked: nobody listens");
    assert_eq!(found.kind(), FailureKind::Panic);
}

#[test]
fn a_panic_of_a_scoped_thread_reaches_the_scope() {
    let found = failure(|| thread::scope(|s| drop(s.spawn(|| panic!("inside")))));
    assert_eq!(found.message(), "main panicked: a scoped thread panicked");
    assert!(found.to_string().contains("main.1: panicked before: inside"), "{found}");
}

#[test]
fn the_panic_that_unwinds_is_told_and_the_ones_before_it_are_noted() {
    let found = failure(|| {
        let mutex = Arc::new(Mutex::new(0));
        let other = Arc::clone(&mutex);
        let thread = thread::spawn(move || {
            let _guard = other.lock().unwrap();
            panic!("first");
        });
        assert!(mutex.lock().is_ok(), "poisoned");
        let _ = thread.join();
    });
    assert_eq!(found.message(), "main panicked: poisoned");
    assert!(found.notes().next().unwrap().starts_with("main.1: panicked before: first"), "{found}");
    assert!(!std::thread::panicking(), "the unwinding was left unfinished");
}

#[test]
fn a_leak_says_where_the_value_was_made() {
    let found = failure(|| std::mem::forget(gordian::sync::Arc::new(1))); // leaked
    assert_eq!(found.kind(), FailureKind::Leak);
    let place = format!("crates/gordian/tests/failures.rs:{}", line("// leaked"));
    assert_eq!(
        found.message(),
        format!(
            "leak: the Arc created at {place} is never dropped (turn this off with Checker::leaks(false))"
        )
    );
    let report = Checker::new().leaks(false).run(|| std::mem::forget(gordian::sync::Arc::new(1)));
    assert!(report.failure().is_none_or(|f| f.kind() == FailureKind::Misuse), "{report}");
}

#[test]
fn a_missing_acquire_is_a_data_race_with_both_places() {
    struct Shared {
        ready: AtomicUsize,
        value: gordian::cell::UnsafeCell<u32>,
    }
    #[allow(unsafe_code)]
    // SAFETY: only touched as the checker allows; that it is not safe is the point.
    unsafe impl Sync for Shared {}

    fn publish(order: std::sync::atomic::Ordering) {
        let shared =
            Arc::new(Shared { ready: AtomicUsize::new(0), value: gordian::cell::UnsafeCell::new(0) });
        let other = Arc::clone(&shared);
        let thread = thread::spawn(move || {
            #[allow(unsafe_code)]
            // SAFETY: as above.
            other.value.with_mut(|value| unsafe { *value = 1 }); // written
            other.ready.store(1, Release);
        });
        if shared.ready.load(order) == 1 {
            #[allow(unsafe_code)]
            // SAFETY: as above.
            let value = shared.value.with(|value| unsafe { *value }); // read
            assert_eq!(value, 1);
        }
        thread.join().unwrap();
    }

    passes(|| publish(Acquire));
    let found = failure(|| publish(Relaxed));
    assert_eq!(found.kind(), FailureKind::DataRace);
    let file = "crates/gordian/tests/failures.rs";
    assert_eq!(
        found.message(),
        format!(
            "data race: read by main at {file}:{} and write by main.1 at {file}:{} are not ordered by anything",
            line("// read"),
            line("// written")
        )
    );
}

#[test]
fn a_deadlock_names_the_cycle_and_who_holds_what_where() {
    let found = failure(|| {
        let left = Arc::new(Mutex::new(0)); // left
        let right = Arc::new(Mutex::new(0)); // right
        let (l, r) = (Arc::clone(&left), Arc::clone(&right));
        let thread = thread::spawn(move || {
            let _right = r.lock(); // right first
            let _left = l.lock(); // left second
        });
        let left = left.lock(); // left first
        drop(right.lock()); // right second
        drop(left);
        thread.join().unwrap();
    });
    assert_eq!(found.kind(), FailureKind::Deadlock);
    assert_eq!(found.message(), "deadlock: main -> main.1 -> main wait for each other");
    let notes: Vec<String> = found.notes().collect();
    let file = "crates/gordian/tests/failures.rs";
    let expected = |who: &str, lock: &str, holder: &str, since: &str, at: &str| {
        format!(
            "{who}: waits to lock mutex {file}:{}, held by {holder} since {file}:{} ({file}:{})",
            line(lock),
            line(since),
            line(at)
        )
    };
    assert_eq!(
        notes,
        [
            expected("main", "// right\n".trim(), "main.1", "// right first", "// right second"),
            expected("main.1", "// left\n".trim(), "main", "// left first", "// left second"),
        ]
    );
}

#[test]
fn a_thread_that_locks_twice_waits_for_itself() {
    let found = failure(|| {
        let mutex = Mutex::new(0);
        let _first = mutex.lock();
        let _second = mutex.lock();
    });
    assert_eq!(found.message(), "deadlock: main waits for itself");
}

#[test]
fn a_livelock_names_the_loop() {
    let found = failure(|| {
        let flag = Arc::new(AtomicUsize::new(0)); // flag
        let other = Arc::clone(&flag);
        let thread = thread::spawn(move || while other.load(SeqCst) == 0 {}); // loop
        thread.join().unwrap();
    });
    assert_eq!(found.kind(), FailureKind::Livelock);
    assert_eq!(
        found.message(),
        "livelock: main, main.1 cannot go on, and nothing is left that could change that"
    );
    let notes: Vec<String> = found.notes().collect();
    let file = "crates/gordian/tests/failures.rs";
    assert_eq!(
        notes[1],
        format!(
            "main.1: runs in a loop until atomic {file}:{} changes ({file}:{})",
            line("// flag"),
            line("// loop")
        )
    );
}

#[test]
fn too_many_steps_name_the_loop_and_the_knob() {
    let found = failure_with(Checker::new().steps(500), || {
        let count = AtomicUsize::new(0);
        for _ in 0..1_000 {
            count.fetch_add(1, SeqCst); // counting
        }
    });
    assert_eq!(found.kind(), FailureKind::StepLimit);
    let place = format!("crates/gordian/tests/failures.rs:{}", line("// counting"));
    assert!(
        found.message().starts_with(&format!(
            "step limit: the execution took 500 steps; main made 500 of the last 1,000, at {place}."
        )),
        "{}",
        found.message()
    );
    assert!(found.message().contains("Checker::steps or #[gordian::test(steps = N)]"));
}

#[test]
fn an_unreached_marker_is_a_failure_of_a_complete_search() {
    let body = || {
        let first = AtomicUsize::new(0);
        gordian::cover!("read");
        gordian::cover!("nonzero", first.load(SeqCst) > 0);
    };
    let report = Checker::new().must_cover(["read", "nonzero"]).run(body);
    let failure = report.failure().unwrap();
    assert_eq!(failure.kind(), FailureKind::NotCovered);
    assert_eq!(
        failure.message(),
        "not covered: no execution reached nonzero; the search is complete, so none can (gordian::cover!)"
    );
    assert_eq!(report.unreached(), ["nonzero"]);
    let partial = Checker::new().must_cover(["nonzero"]).executions(0).run(body);
    assert!(partial.failure().is_none() && !partial.complete());
    assert!(partial.to_string().starts_with("not reached so far: nonzero\n"), "{partial}");
}

/// More places than are kept from one search to the next on an OS thread.
#[rustfmt::skip]
fn look_at_many_places(flag: &AtomicUsize) {
    flag.load(SeqCst); flag.load(SeqCst); flag.load(SeqCst); flag.load(SeqCst); flag.load(SeqCst); flag.load(SeqCst); flag.load(SeqCst); flag.load(SeqCst); flag.load(SeqCst); flag.load(SeqCst); flag.load(SeqCst); flag.load(SeqCst); flag.load(SeqCst); flag.load(SeqCst); flag.load(SeqCst); flag.load(SeqCst); flag.load(SeqCst); flag.load(SeqCst);
    flag.load(SeqCst); flag.load(SeqCst); flag.load(SeqCst); flag.load(SeqCst); flag.load(SeqCst); flag.load(SeqCst); flag.load(SeqCst); flag.load(SeqCst); flag.load(SeqCst); flag.load(SeqCst); flag.load(SeqCst); flag.load(SeqCst); flag.load(SeqCst); flag.load(SeqCst); flag.load(SeqCst); flag.load(SeqCst); flag.load(SeqCst); flag.load(SeqCst);
    flag.load(SeqCst); flag.load(SeqCst); flag.load(SeqCst); flag.load(SeqCst); flag.load(SeqCst); flag.load(SeqCst); flag.load(SeqCst); flag.load(SeqCst); flag.load(SeqCst); flag.load(SeqCst); flag.load(SeqCst); flag.load(SeqCst); flag.load(SeqCst); flag.load(SeqCst); flag.load(SeqCst); flag.load(SeqCst); flag.load(SeqCst); flag.load(SeqCst);
    flag.load(SeqCst); flag.load(SeqCst); flag.load(SeqCst); flag.load(SeqCst); flag.load(SeqCst); flag.load(SeqCst); flag.load(SeqCst); flag.load(SeqCst); flag.load(SeqCst); flag.load(SeqCst); flag.load(SeqCst); flag.load(SeqCst); flag.load(SeqCst); flag.load(SeqCst); flag.load(SeqCst); flag.load(SeqCst); flag.load(SeqCst); flag.load(SeqCst);
}

#[test]
fn a_failure_names_its_own_places_whatever_was_searched_before() {
    let failing = || {
        let report = Checker::new().run(|| {
            let flag = Arc::new(AtomicUsize::new(0));
            let seen = Arc::clone(&flag);
            let other = thread::spawn(move || seen.store(1, SeqCst));
            assert_eq!(flag.load(SeqCst), 0, "it was stored");
            other.join().unwrap();
        });
        report.failure().expect("it fails").text(80)
    };
    let before = failing();
    let many = Checker::new().run(|| look_at_many_places(&AtomicUsize::new(0)));
    assert!(many.failure().is_none() && many.steps() > 64, "{many}");
    assert_eq!(failing(), before);
    assert!(before.contains("tests/failures.rs"), "{before}");
}
