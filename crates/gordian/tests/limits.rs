//! What a user may rely on: many threads, limits that hold, and the outcomes that other tools lose or invent.

use gordian::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use gordian::{Checker, thread};
use std::collections::BTreeSet;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

#[test]
fn five_hundred_threads_work() {
    let report = Checker::new().run(|| {
        let shared = Arc::new(AtomicUsize::new(0));
        let threads: Vec<_> = (0..500)
            .map(|n| {
                let shared = Arc::clone(&shared);
                let own = AtomicUsize::new(n);
                thread::spawn(move || {
                    own.fetch_add(1, SeqCst);
                    if n == 0 {
                        shared.store(1, SeqCst);
                    }
                })
            })
            .collect();
        for thread in threads {
            thread.join().unwrap();
        }
        assert_eq!(shared.load(SeqCst), 1);
    });
    assert!(report.failure().is_none(), "{report}");
    assert_eq!((report.executions(), report.complete()), (1, true));
}

fn six_stores() {
    let shared = Arc::new(AtomicUsize::new(0));
    let threads: [_; 6] = std::array::from_fn(|n| {
        let shared = Arc::clone(&shared);
        thread::spawn(move || shared.store(n, SeqCst))
    });
    for thread in threads {
        thread.join().unwrap();
    }
}

#[test]
fn a_limit_of_ten_executions_is_ten_executions() {
    for search in ["exhaustive", "dfs", "dfs:sleep"] {
        let runs = Arc::new(std::sync::atomic::AtomicUsize::new(0));
        let count = Arc::clone(&runs);
        let report = Checker::new().search(search).executions(10).run(move || {
            count.fetch_add(1, SeqCst);
            six_stores();
        });
        assert_eq!(runs.load(SeqCst), 10, "{search}");
        assert!(report.executions() + report.blocked() == 10 && !report.complete(), "{search}: {report}");
        assert!(report.guarantee().to_string().contains("the limit of 10 executions"), "{report}");
    }
}

#[test]
fn a_search_that_ends_at_its_limit_is_complete() {
    let report = Checker::new().search("exhaustive").executions(720).run(six_stores);
    assert_eq!((report.executions(), report.complete()), (720, true), "{report}");
    assert_eq!(report.guarantee().to_string(), "no failure in any interleaving");
}

#[test]
fn a_time_limit_stops_the_search() {
    let start = Instant::now();
    let report = Checker::new().search("dfs").time(Duration::from_millis(50)).run(|| {
        let shared = Arc::new(AtomicUsize::new(0));
        let threads: [_; 6] = std::array::from_fn(|_| {
            let shared = Arc::clone(&shared);
            thread::spawn(move || {
                for _ in 0..6 {
                    shared.fetch_add(1, SeqCst);
                }
            })
        });
        for thread in threads {
            thread.join().unwrap();
        }
    });
    assert!(
        !report.complete() && report.guarantee().to_string().contains("the time limit of 50ms"),
        "{report}"
    );
    assert!(report.elapsed() >= Duration::from_millis(50));
    assert!(start.elapsed() < Duration::from_secs(5), "{:?}", start.elapsed());
}

/// The values that a program can end with, by every search.
fn outcomes(body: impl Fn() -> Vec<usize> + Send + Sync + Copy + 'static) -> BTreeSet<Vec<usize>> {
    let all = ["dfs", "dfs:sleep", "exhaustive"].map(|search| {
        let seen = Arc::new(Mutex::new(BTreeSet::new()));
        let log = Arc::clone(&seen);
        let report = Checker::new().search(search).run(move || {
            let outcome = body();
            log.lock().unwrap().insert(outcome);
        });
        assert!(report.failure().is_none() && report.complete(), "{report}");
        seen.lock().unwrap().clone()
    });
    assert!(all.iter().all(|o| *o == all[0]), "{all:?}");
    all[0].clone()
}

#[test]
fn a_read_that_comes_after_the_write_is_not_lost() {
    let seen = outcomes(|| {
        let x = Arc::new(AtomicUsize::new(0));
        let y = Arc::clone(&x);
        let reader = thread::spawn(move || y.load(SeqCst));
        x.load(SeqCst);
        x.store(1, SeqCst);
        vec![reader.join().unwrap()]
    });
    assert_eq!(seen, BTreeSet::from([vec![0], vec![1]]));
}

#[test]
fn sequentially_consistent_store_buffering_never_reads_two_zeros() {
    let seen = outcomes(|| {
        let flags = Arc::new([AtomicUsize::new(0), AtomicUsize::new(0)]);
        let other = Arc::clone(&flags);
        let thread = thread::spawn(move || {
            other[1].store(1, SeqCst);
            other[0].load(SeqCst)
        });
        flags[0].store(1, SeqCst);
        let mine = flags[1].load(SeqCst);
        vec![mine, thread.join().unwrap()]
    });
    assert_eq!(seen, BTreeSet::from([vec![0, 1], vec![1, 0], vec![1, 1]]));
}

#[test]
fn independent_reads_of_independent_writes_agree_on_an_order() {
    let seen = outcomes(|| {
        let memory = Arc::new([AtomicUsize::new(0), AtomicUsize::new(0)]);
        let writers: [_; 2] = std::array::from_fn(|i| {
            let memory = Arc::clone(&memory);
            thread::spawn(move || memory[i].store(1, SeqCst))
        });
        let readers: [_; 2] = std::array::from_fn(|i| {
            let memory = Arc::clone(&memory);
            thread::spawn(move || [memory[i].load(SeqCst), memory[1 - i].load(SeqCst)])
        });
        for writer in writers {
            writer.join().unwrap();
        }
        readers.into_iter().flat_map(|r| r.join().unwrap()).collect()
    });
    assert!(!seen.contains(&vec![1, 0, 1, 0]), "{seen:?}");
    assert_eq!(seen.len(), 15);
}

#[test]
fn every_choice_is_tried() {
    let seen = outcomes(|| vec![gordian::choose(3), gordian::choose(2)]);
    assert_eq!(seen.len(), 6);
}
