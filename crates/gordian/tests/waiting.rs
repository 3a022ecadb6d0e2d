//! Every way in which a program waits in a loop ends under every search, and nothing is reported that is not there.

use gordian::sync::atomic::{AtomicBool, AtomicUsize, Ordering::*};
use gordian::sync::{Arc, Mutex, OnceLock, RwLock, mpsc};
use gordian::{Checker, FailureKind, thread};

/// All that look at everything.
const SEARCHES: [&str; 5] = ["exhaustive", "dfs:source", "dfs:dpor", "dfs:sleep", "dfs"];

fn ends(body: impl Fn() + Send + Sync + Copy + 'static) {
    for search in SEARCHES {
        let report = Checker::new().search(search).executions(20_000).run(body);
        assert!(report.failure().is_none(), "{search}: {report}");
        assert!(report.complete(), "{search}: {report}");
    }
}

#[test]
fn a_lock_of_a_flag_that_is_swapped() {
    ends(|| {
        let lock = Arc::new(AtomicBool::new(false));
        let other = Arc::clone(&lock);
        let t = thread::spawn(move || {
            while other.swap(true, Acquire) {}
            other.store(false, Release);
        });
        while lock.swap(true, Acquire) {}
        lock.store(false, Release);
        t.join().unwrap();
    });
}

#[test]
fn a_lock_of_a_flag_that_is_swapped_with_a_hint() {
    ends(|| {
        let lock = Arc::new(AtomicBool::new(false));
        let other = Arc::clone(&lock);
        let t = thread::spawn(move || {
            while other.swap(true, Acquire) {
                gordian::hint::spin_loop();
            }
            other.store(false, Release);
        });
        while lock.swap(true, Acquire) {
            gordian::hint::spin_loop();
        }
        lock.store(false, Release);
        t.join().unwrap();
    });
}

#[test]
fn a_lock_of_a_bit() {
    ends(|| {
        let lock = Arc::new(AtomicUsize::new(0));
        let other = Arc::clone(&lock);
        let t = thread::spawn(move || {
            while other.fetch_or(1, Acquire) & 1 == 1 {}
            other.fetch_and(!1, Release);
        });
        while lock.fetch_or(1, Acquire) & 1 == 1 {}
        lock.fetch_and(!1, Release);
        t.join().unwrap();
    });
}

/// Three threads, two of which are turned away in every order; the data shows that the lock works.
#[test]
fn a_lock_of_a_flag_that_three_swap() {
    for search in ["exhaustive", "dfs:source", "auto", "random", "preemptions:2"] {
        let report = Checker::new().search(search).executions(20_000).run(|| {
            let lock = Arc::new((AtomicBool::new(false), AtomicUsize::new(0)));
            let threads: Vec<_> = (0..3)
                .map(|_| {
                    let lock = Arc::clone(&lock);
                    thread::spawn(move || {
                        while lock.0.swap(true, Acquire) {
                            gordian::hint::spin_loop();
                        }
                        let n = lock.1.load(Relaxed);
                        lock.1.store(n + 1, Relaxed);
                        lock.0.store(false, Release);
                    })
                })
                .collect();
            threads.into_iter().for_each(|t| t.join().unwrap());
            assert_eq!(lock.1.load(Relaxed), 3);
        });
        assert!(report.failure().is_none(), "{search}: {report}");
    }
}

#[test]
fn a_lock_of_a_flag_that_nobody_gives_back_is_a_livelock() {
    for search in SEARCHES {
        let report = Checker::new().search(search).run(|| {
            let lock = Arc::new(AtomicBool::new(false));
            let other = Arc::clone(&lock);
            let t = thread::spawn(move || while other.swap(true, Acquire) {});
            while lock.swap(true, Acquire) {}
            t.join().unwrap();
        });
        let failure = report.failure().unwrap();
        assert_eq!(failure.kind(), FailureKind::Livelock, "{search}: {failure}");
    }
}

#[test]
fn fetch_add_of_nothing() {
    ends(|| {
        let flag = Arc::new(AtomicUsize::new(0));
        let other = Arc::clone(&flag);
        let t = thread::spawn(move || other.store(1, Release));
        while flag.fetch_add(0, AcqRel) == 0 {}
        t.join().unwrap();
    });
}

#[test]
fn storing_the_same_in_the_loop() {
    ends(|| {
        let flag = Arc::new((AtomicUsize::new(0), AtomicUsize::new(0)));
        let other = Arc::clone(&flag);
        let t = thread::spawn(move || other.0.store(1, Release));
        while flag.0.load(Acquire) == 0 {
            flag.1.store(7, Relaxed);
        }
        t.join().unwrap();
    });
}

#[test]
fn looking_under_a_mutex() {
    ends(|| {
        let ready = Arc::new(Mutex::new(false));
        let other = Arc::clone(&ready);
        let t = thread::spawn(move || *other.lock().unwrap() = true);
        while !*ready.lock().unwrap() {
            thread::yield_now();
        }
        t.join().unwrap();
    });
}

#[test]
fn looking_under_a_rwlock() {
    ends(|| {
        let ready = Arc::new(RwLock::new(false));
        let other = Arc::clone(&ready);
        let t = thread::spawn(move || *other.write().unwrap() = true);
        while !*ready.read().unwrap() {
            thread::yield_now();
        }
        t.join().unwrap();
    });
}

#[test]
fn trying_a_lock() {
    ends(|| {
        let lock = Arc::new(Mutex::new(0));
        let other = Arc::clone(&lock);
        let t = thread::spawn(move || *other.lock().unwrap() += 1);
        let mut guard = loop {
            if let Ok(guard) = lock.try_lock() {
                break guard;
            }
        };
        *guard += 1;
        drop(guard);
        t.join().unwrap();
    });
}

#[test]
fn trying_to_receive() {
    ends(|| {
        let (tx, rx) = mpsc::channel();
        let t = thread::spawn(move || tx.send(1).unwrap());
        while rx.try_recv().is_err() {}
        t.join().unwrap();
    });
}

#[test]
fn asking_whether_a_thread_has_ended() {
    ends(|| {
        let flag = Arc::new(AtomicUsize::new(0));
        let other = Arc::clone(&flag);
        let t = thread::spawn(move || other.store(1, Release));
        while !t.is_finished() {}
        t.join().unwrap();
    });
}

#[test]
fn counting_references() {
    ends(|| {
        let flag = Arc::new(AtomicUsize::new(0));
        let other = Arc::clone(&flag);
        let t = thread::spawn(move || other.store(1, Release));
        while Arc::strong_count(&flag) > 1 {}
        t.join().unwrap();
    });
}

#[test]
fn looking_into_a_once_lock() {
    ends(|| {
        let cell = Arc::new(OnceLock::new());
        let other = Arc::clone(&cell);
        let t = thread::spawn(move || other.set(1).unwrap());
        while cell.get().is_none() {}
        t.join().unwrap();
    });
}

/// What a lock guards is not seen, so that looking under one counts as doing something; the remedy is said.
#[test]
fn looking_under_a_mutex_without_a_pause_meets_the_step_limit() {
    let report = Checker::new().steps(1_000).run(|| {
        let ready = Arc::new(Mutex::new(false));
        let other = Arc::clone(&ready);
        let t = thread::spawn(move || *other.lock().unwrap() = true);
        while !*ready.lock().unwrap() {}
        t.join().unwrap();
    });
    let failure = report.failure().unwrap();
    assert_eq!(failure.kind(), FailureKind::StepLimit);
    assert!(failure.message().contains("thread::yield_now"), "{failure}");
}

/// How long an execution may be is a guess if nobody has said it.
#[test]
fn an_execution_that_is_just_long_is_no_failure_unless_that_was_said() {
    let counts = || {
        let count = Arc::new(AtomicUsize::new(0));
        let other = Arc::clone(&count);
        let t = thread::spawn(move || (0..25_000).for_each(|_| _ = other.fetch_add(1, Relaxed)));
        t.join().unwrap();
        assert_eq!(count.load(Relaxed), 25_000);
    };
    let report = Checker::new().search("exhaustive").run(counts);
    assert!(report.failure().is_none() && report.complete(), "{report}");
    let report = Checker::new().search("exhaustive").steps(20_000).run(counts);
    assert_eq!(report.failure().unwrap().kind(), FailureKind::StepLimit);
    let endless = || {
        let count = Arc::new(AtomicUsize::new(0));
        let other = Arc::clone(&count);
        let t = thread::spawn(move || while other.fetch_add(1, Relaxed) < usize::MAX / 2 {});
        t.join().unwrap();
    };
    let report = Checker::new().search("exhaustive").run(endless);
    let failure = report.failure().unwrap();
    assert_eq!(failure.kind(), FailureKind::StepLimit);
    assert_eq!(failure.trace().len(), 20_000, "the short one is shown");
}
