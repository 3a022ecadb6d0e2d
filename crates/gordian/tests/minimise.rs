//! Failures are shown small, whatever found them.

use gordian::sync::Mutex;
use gordian::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use gordian::{Checker, Failure, FailureKind, thread};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// The programs, each with a failure that chance finds, and what it is called.
const PROGRAMS: [(&str, fn(), FailureKind); 4] = [
    ("a lost update among bystanders", lost_update, FailureKind::Panic),
    ("a value that is seen in between", seen_in_between, FailureKind::Panic),
    ("locks in two orders", lock_order, FailureKind::Deadlock),
    ("nobody sets the flag", nobody, FailureKind::Livelock),
];

fn lost_update() {
    let count = Arc::new(AtomicUsize::new(0));
    let others: Vec<_> = (0..2)
        .map(|_| {
            let count = Arc::clone(&count);
            thread::spawn(move || {
                let seen = count.load(SeqCst);
                count.store(seen + 1, SeqCst);
            })
        })
        .collect();
    let bystander = thread::spawn(|| {
        AtomicUsize::new(0).load(SeqCst);
    });
    for other in others {
        other.join().unwrap();
    }
    assert_eq!(count.load(SeqCst), 2);
    bystander.join().unwrap();
}

fn seen_in_between() {
    let value = Arc::new(AtomicUsize::new(0));
    let other = Arc::clone(&value);
    let writer = thread::spawn(move || {
        for n in 1..=3 {
            other.store(n, SeqCst);
        }
        other.store(0, SeqCst);
    });
    let (first, second) = (value.load(SeqCst), value.load(SeqCst));
    writer.join().unwrap();
    assert!(!(first == 0 && second == 2));
}

fn lock_order() {
    let locks = Arc::new((Mutex::new(0), Mutex::new(0)));
    let other = Arc::clone(&locks);
    let thread = thread::spawn(move || {
        for _ in 0..2 {
            let _b = other.1.lock().unwrap();
            let _a = other.0.lock().unwrap();
        }
    });
    for _ in 0..2 {
        let _a = locks.0.lock().unwrap();
        let _b = locks.1.lock().unwrap();
    }
    thread.join().unwrap();
}

fn nobody() {
    let turn = Arc::new(AtomicUsize::new(0));
    let other = Arc::clone(&turn);
    let thread = thread::spawn(move || {
        let mine = other.fetch_add(1, SeqCst);
        while other.load(SeqCst) == 2 && mine == 1 {}
    });
    turn.fetch_add(1, SeqCst);
    thread.join().unwrap();
}

fn fails(checker: Checker, body: fn()) -> Failure {
    let report = checker.run(body);
    report.failure().unwrap_or_else(|| panic!("{report}")).clone()
}

/// The fewest preemptions with which a search in their order fails.
fn fewest(body: fn(), kind: FailureKind) -> usize {
    let found = |most: &usize| {
        let search = format!("preemptions:{most},dfs");
        let report = Checker::new().search(search.as_str()).minimise(0).run(body);
        report.failure().is_some_and(|failure| failure.kind() == kind)
    };
    (0..5).find(found).expect("few are enough")
}

#[test]
fn a_failure_found_by_chance_has_the_fewest_preemptions_when_it_is_shown() {
    let mut larger = 0;
    for (name, body, kind) in PROGRAMS {
        let least = fewest(body, kind);
        for seed in 0..8 {
            let checker = || Checker::new().search("random").seed(seed);
            let first = fails(checker().minimise(0), body);
            let small = fails(checker(), body);
            assert_eq!((first.kind(), small.kind()), (kind, kind), "{name}");
            let told = small.insight().minimised.unwrap_or_else(|| panic!("{name}: {small}"));
            assert_eq!(small.preemptions(), least, "{name}, seed {seed}: {small}");
            assert!(told.proved && told.executions <= 1_000, "{name}: {told:?}");
            assert_eq!(told.preemptions as usize, first.preemptions(), "{name}");
            assert_eq!(first.insight().minimised, None);
            if let Some(original) = small.original() {
                assert!(original.choices().eq(first.trace().choices()), "{name}");
                larger += 1;
            }
            let again = gordian::replay(small.plan(), body);
            let again = again.failure().unwrap_or_else(|| panic!("{name}: no failure in the replay"));
            assert!(again.trace().choices().eq(small.trace().choices()), "{name}\n{again}\n{small}");
            assert_eq!(again.message(), small.message(), "{name}");
            assert_eq!(fails(checker(), body).to_string(), small.to_string(), "{name}: twice the same");
        }
    }
    assert!(larger > 5, "only {larger} were made smaller");
}

#[test]
fn what_has_nothing_to_do_with_it_is_left_out() {
    let small = fails(Checker::new().search("random").seed(3), lost_update);
    let threads: std::collections::BTreeSet<_> = small.trace().steps.iter().map(|s| s.thread).collect();
    assert_eq!(threads.len(), 3, "{small}");
    assert!(small.to_string().contains("; no execution with fewer preemptions fails like this\n"), "{small}");
}

#[test]
fn the_effort_is_bounded_in_executions_and_in_time() {
    let small = fails(Checker::new().search("random").seed(1).minimise(7), lost_update);
    assert!(small.insight().minimised.unwrap().executions <= 7, "{small}");
    let start = Instant::now();
    let slow = Checker::new().search("random").seed(1).minimise(40).run(|| {
        std::thread::sleep(Duration::from_millis(20));
        lost_update();
    });
    // 40 executions may take 20 ms, and each takes as much.
    let told = slow.failure().unwrap().insight().minimised.unwrap();
    assert!(told.executions < 10, "{told:?} in {:?}", start.elapsed());
}

#[test]
fn another_failure_on_the_way_is_not_taken_for_it() {
    // Without a preemption it deadlocks, with one it panics; and the panic is found first.
    let body = || {
        let lock = Arc::new(Mutex::new(0));
        let count = Arc::new(AtomicUsize::new(0));
        let (other, seen) = (Arc::clone(&lock), Arc::clone(&count));
        let thread = thread::spawn(move || {
            seen.fetch_add(1, SeqCst);
            seen.fetch_add(1, SeqCst);
            let _first = other.lock();
            let _second = other.lock();
        });
        assert!(count.load(SeqCst) != 1, "in between");
        thread.join().unwrap();
    };
    let all = (0..50).map(|seed| fails(Checker::new().search("random").seed(seed), body));
    let (panics, deadlocks): (Vec<Failure>, Vec<Failure>) = all.partition(|f| f.kind() == FailureKind::Panic);
    assert!(panics.iter().all(|f| f.message() == "main panicked: in between" && f.preemptions() == 1));
    assert!(deadlocks.iter().all(|f| f.kind() == FailureKind::Deadlock && f.preemptions() == 0));
    assert!(!panics.is_empty() && !deadlocks.is_empty());
}
