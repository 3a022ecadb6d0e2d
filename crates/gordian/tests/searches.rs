//! What the searches promise, on programs that a user might write.

use gordian::sync::atomic::{AtomicU32, Ordering::SeqCst};
use gordian::{Checker, FailureKind, Guarantee, thread};
use std::sync::Arc;
use std::time::Duration;

/// Many threads that do many things, and two of them that lose an update, unless they use `fetch_add`.
fn large(careful: bool) {
    let counter = Arc::new(AtomicU32::new(0));
    let noise = Arc::new(AtomicU32::new(0));
    let mut threads = Vec::new();
    for _ in 0..2 {
        let counter = counter.clone();
        threads.push(thread::spawn(move || {
            if careful {
                counter.fetch_add(1, SeqCst);
            } else {
                let seen = counter.load(SeqCst);
                counter.store(seen + 1, SeqCst);
            }
        }));
    }
    for _ in 0..4 {
        let noise = noise.clone();
        threads.push(thread::spawn(move || {
            for _ in 0..5 {
                noise.fetch_add(1, SeqCst);
            }
        }));
    }
    threads.into_iter().for_each(|t| t.join().unwrap());
    assert_eq!(counter.load(SeqCst), 2);
}

fn small() {
    let x = Arc::new(AtomicU32::new(0));
    let threads: Vec<_> = (0..3)
        .map(|_| {
            let x = x.clone();
            thread::spawn(move || {
                x.fetch_add(1, SeqCst);
            })
        })
        .collect();
    threads.into_iter().for_each(|t| t.join().unwrap());
}

#[test]
fn auto_proves_a_small_program_without_a_detour() {
    let report = Checker::new().run(small);
    assert_eq!((report.executions(), report.blocked()), (6, 0));
    assert_eq!(report.guarantee().to_string(), "no failure in any interleaving");
}

#[test]
fn auto_finds_a_bug_where_the_proof_would_take_for_ever() {
    let report = Checker::new().executions(5_000).run(|| large(false));
    let failure = report.failure().expect("found");
    assert!(failure.message().contains("left: 1"), "{failure}");
    // The search that goes for the proof is busy with the other threads.
    let report = Checker::new().search("exhaustive").executions(20_000).run(|| large(false));
    assert!(report.failure().is_none());
}

#[test]
fn auto_says_what_it_has_proved_when_a_limit_stops_it() {
    let report = Checker::new().executions(20_000).run(|| large(true));
    assert!(matches!(report.guarantee(), Guarantee::Within { .. }), "{report}");
    let sentence = report.guarantee().to_string();
    assert!(sentence.starts_with("no failure in any interleaving with at most "), "{sentence}");
    assert!(
        sentence.ends_with(
            "; stopped by the limit of 20000 executions (Checker::executions, GORDIAN_EXECUTIONS)"
        ),
        "{sentence}"
    );
    assert!(!report.complete());
}

#[test]
fn few_preemptions_are_tried_first_and_each_bound_is_a_guarantee() {
    let report = Checker::new().search("preemptions:2").run(|| large(false));
    assert_eq!(report.failure().expect("found").preemptions(), 1);
    let report = Checker::new().search("preemptions:0").run(|| large(true));
    assert!(report.complete());
    assert_eq!(report.guarantee().to_string(), "no failure in any interleaving with at most 0 preemptions");
    let report = Checker::new().search("preemptions:9").run(small);
    assert_eq!(report.guarantee().to_string(), "no failure in any interleaving");
}

#[test]
fn a_portfolio_ends_with_the_first_proof_and_names_every_lesser_one() {
    let report = Checker::new().search("portfolio:random|exhaustive").run(small);
    assert_eq!(report.guarantee().to_string(), "no failure in any interleaving");
    assert!(report.complete());
    let report = Checker::new().search("portfolio:preemptions:0|pct:2").executions(3_000).run(|| large(true));
    let sentence = report.guarantee().to_string();
    assert!(
        sentence.starts_with("no failure in any interleaving with at most 0 preemptions; stopped by "),
        "{sentence}"
    );
}

#[test]
fn a_search_by_chance_ends_without_a_limit() {
    let report = Checker::new().search("random").run(|| large(true));
    assert_eq!(report.executions(), 10_000);
    let report = Checker::new().search("random").time(Duration::from_millis(30)).run(|| large(true));
    assert!(report.guarantee().to_string().contains("the time limit of 30ms"), "{report}");
}

/// Two threads that wait for each other in loops, with and without a pause.
fn waiting() {
    let flags = Arc::new([AtomicU32::new(0), AtomicU32::new(0)]);
    let other = flags.clone();
    let thread = thread::spawn(move || {
        while other[0].load(SeqCst) == 0 {
            thread::yield_now();
        }
        other[1].store(1, SeqCst);
    });
    flags[0].store(1, SeqCst);
    while flags[1].load(SeqCst) == 0 {}
    thread.join().unwrap();
}

/// The same, but nobody begins.
fn waiting_for_ever() {
    let flags = Arc::new([AtomicU32::new(0), AtomicU32::new(0)]);
    let other = flags.clone();
    let thread = thread::spawn(move || {
        while other[0].load(SeqCst) == 0 {
            thread::yield_now();
        }
        other[1].store(1, SeqCst);
    });
    while flags[1].load(SeqCst) == 0 {}
    flags[0].store(1, SeqCst);
    thread.join().unwrap();
}

#[test]
fn loops_that_wait_come_to_an_end_under_every_search() {
    for search in [
        "auto",
        "exhaustive",
        "dfs:source",
        "dfs:dpor",
        "dfs:observers",
        "preemptions:2",
        "preemptions:2,dfs",
        "delays:3",
        "depth:8",
        "variables:1,preemptions:1",
        "variables:1,preemptions:1,threads:2",
        "best-first:mdpor,pb",
        "random",
        "urw",
        "pos",
        "surw",
        "pct:3",
        "pctvb:3,1",
    ] {
        let report = Checker::new().search(search).executions(2_000).run(waiting);
        assert!(report.failure().is_none(), "{search}: {report}");
        let report = Checker::new().search(search).executions(2_000).run(waiting_for_ever);
        let failure = report.failure().unwrap_or_else(|| panic!("{search}: {report}"));
        assert_eq!(failure.kind(), FailureKind::Livelock, "{search}: {report}");
    }
}

#[test]
fn a_bound_that_needs_too_much_memory_is_given_up_and_says_so() {
    let all = Checker::new().search("preemptions:1").run(|| large(true));
    let little = Checker::new().search("preemptions:3").memory(200_000).run(|| large(true));
    assert!(all.complete() && !little.complete());
    assert_eq!(
        little.guarantee().to_string(),
        "no failure in any interleaving with at most 1 preemption; stopped by the limit of 200000 bytes for what waits \
         (Checker::memory, GORDIAN_MEMORY)"
    );
    assert_eq!(little.executions(), all.executions());
}
