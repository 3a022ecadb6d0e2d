//! Bounded and best-first searches of closures: priorities that name places, the memory they may use, and replay.

use gordian::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use gordian::{Checker, FailureKind, thread};
use std::sync::{Arc, Mutex};

/// Two threads that each touch two atomics, made on lines of their own.
fn two_atomics() {
    let first = Arc::new(AtomicUsize::new(0));
    let second = Arc::new(AtomicUsize::new(0));
    let (one, two) = (Arc::clone(&first), Arc::clone(&second));
    let thread = thread::spawn(move || {
        one.fetch_add(1, SeqCst);
        two.fetch_add(1, SeqCst);
    });
    first.fetch_add(1, SeqCst);
    second.fetch_add(1, SeqCst);
    thread.join().unwrap();
}

const FIRST: u32 = line!() - 12;
const SECOND: u32 = FIRST + 1;

/// The objects at which the second execution differs from the first, by line.
fn first_departure(search: &str) -> Vec<usize> {
    let traces = Arc::new(Mutex::new(Vec::new()));
    let seen = Arc::clone(&traces);
    let checker = Checker::new().search(search).observe(move |trace| {
        seen.lock().unwrap().push(trace.steps.iter().map(|s| (s.thread.0, s.object.0)).collect::<Vec<_>>());
    });
    let report = checker.run(two_atomics);
    assert!(report.complete(), "{report}");
    let traces = traces.lock().unwrap();
    // Objects are numbered in the order in which they are made.
    let at = traces[0].iter().zip(&traces[1]).position(|(a, b)| a != b).expect("they differ");
    vec![traces[0][at].1 as usize, traces[1][at].1 as usize]
}

#[test]
fn a_variable_is_named_by_the_line_that_makes_it() {
    let of = |line: u32| first_departure(&format!("best-first:var(frontier.rs:{line})"));
    assert_eq!(of(FIRST), [0, 0]);
    assert_eq!(of(SECOND)[0], 1, "what is preempted is about to touch the second");
    assert_ne!(of(FIRST), of(SECOND));
}

#[test]
fn a_part_of_the_program_is_named_by_its_file_or_line() {
    for search in ["best-first:method(tests/frontier.rs)", "best-first:method(nowhere.rs)"] {
        let report = Checker::new().search(search).run(two_atomics);
        assert!(report.complete() && report.failure().is_none(), "{report}");
        assert_eq!(report.guarantee().to_string(), "no failure in any interleaving");
    }
}

#[test]
fn little_memory_changes_nothing_but_where_executions_wait() {
    for search in ["best-first:rand", "best-first:rand/preemptions:3", "preemptions:3,dfs", "delays:4,hb"] {
        let body = || {
            let count = Arc::new(AtomicUsize::new(0));
            let threads: Vec<_> = (0..3)
                .map(|_| {
                    let count = Arc::clone(&count);
                    thread::spawn(move || {
                        for _ in 0..3 {
                            count.fetch_add(1, SeqCst);
                        }
                    })
                })
                .collect();
            threads.into_iter().for_each(|t| t.join().unwrap());
        };
        let plenty = Checker::new().search(search).run(body);
        let little = Checker::new().search(search).memory(2_000).run(body);
        assert!(little.complete() && little.failure().is_none(), "{little}");
        // Without a bound, what is made depends a little on the order, and that on what is in memory.
        if search != "best-first:rand" {
            assert_eq!(little.executions(), plenty.executions(), "{search}");
        }
        let (plenty, little) = (plenty.frontier().unwrap(), little.frontier().unwrap());
        assert!(plenty.spilled == 0 && little.spilled > 0, "{search}: {plenty:?}, {little:?}");
        assert_eq!((plenty.nodes, little.nodes), (0, 0), "{search}");
    }
}

#[test]
fn a_failure_found_best_first_can_be_replayed() {
    for search in
        ["best-first:mdpor,pb", "best-first:rand/delays:3", "preemptions:1,dfs", "delays:1", "depth:3"]
    {
        let body = || {
            let count = Arc::new(AtomicUsize::new(0));
            let other = Arc::clone(&count);
            let add = |count: &AtomicUsize| count.store(count.load(SeqCst) + 1, SeqCst);
            let thread = thread::spawn(move || add(&other));
            add(&count);
            thread.join().unwrap();
            assert_eq!(count.load(SeqCst), 2);
        };
        let report = Checker::new().search(search).run(body);
        let failure = report.failure().unwrap_or_else(|| panic!("{search}: {report}"));
        assert_eq!(failure.kind(), FailureKind::Panic);
        assert_eq!(failure.preemptions(), 1, "{search}");
        let again = gordian::replay(failure.plan(), body);
        let again = again.failure().expect("the same");
        assert_eq!((again.message(), again.trace().len()), (failure.message(), failure.trace().len()));
    }
}

#[test]
fn the_sentence_says_what_was_proved() {
    let report = Checker::new().search("preemptions:1,dfs").run(two_atomics);
    assert_eq!(report.guarantee().to_string(), "no failure in any interleaving with at most 1 preemption");
    let report = Checker::new().search("preemptions:9,dfs").run(two_atomics);
    assert_eq!(report.guarantee().to_string(), "no failure in any interleaving");
}
