//! A native program explores exactly as many executions as its twin on Gordian's own types.

use crate::compile::compiled;
use crate::search;
use gordian::sync::{Barrier, Condvar, Mutex, Once, RwLock};
use gordian::thread;
use std::sync::Arc;
use std::time::Duration;

type Twin = fn();

/// Runs so many threads to their ends.
pub(crate) fn run(count: usize, body: impl Fn(usize) + Send + Sync + 'static) {
    let body = Arc::new(body);
    let threads: Vec<_> = (0..count)
        .map(|i| {
            let body = Arc::clone(&body);
            thread::spawn(move || body(i))
        })
        .collect();
    threads.into_iter().for_each(|t| t.join().unwrap());
}

fn counts() {
    let n = Mutex::new(0);
    run(3, move |_| *n.lock().unwrap() += 1);
}

fn both() {
    let (a, b) = (Mutex::new(()), Mutex::new(()));
    run(2, move |_| {
        let _a = a.lock();
        let _b = b.lock();
    });
}

fn tries() {
    let n = Mutex::new(0);
    run(3, move |_| {
        if let Ok(mut n) = n.try_lock() {
            *n += 1;
        }
    });
}

fn waiting(waiters: usize, all: bool, until: Option<Duration>) {
    let shared = Arc::new((Mutex::new(false), Condvar::new()));
    let threads: Vec<_> = (0..waiters)
        .map(|_| {
            let shared = Arc::clone(&shared);
            thread::spawn(move || {
                let mut done = shared.0.lock().unwrap();
                match until {
                    Some(time) if !*done => drop(shared.1.wait_timeout(done, time).unwrap()),
                    Some(_) => {}
                    None => {
                        while !*done {
                            done = shared.1.wait(done).unwrap();
                        }
                    }
                }
            })
        })
        .collect();
    {
        let mut done = shared.0.lock().unwrap();
        *done = true;
        if all { shared.1.notify_all() } else { shared.1.notify_one() }
    }
    threads.into_iter().for_each(|t| t.join().unwrap());
}

fn reads_or_writes() {
    let lock = RwLock::new(0);
    run(3, move |i| {
        if i == 0 {
            *lock.write().unwrap() += 1;
        } else {
            assert!(*lock.read().unwrap() <= 1);
        }
    });
}

fn puts_or_takes() {
    let (items, room) = (gordian::sync::Semaphore::new(0), gordian::sync::Semaphore::new(1));
    run(4, move |i| {
        if i % 2 == 0 {
            room.acquire();
            items.release();
        } else {
            items.acquire();
            room.release();
        }
    });
}

fn meets() {
    let (barrier, n) = (Barrier::new(2), Mutex::new(0));
    run(2, move |_| {
        if barrier.wait().is_leader() {
            *n.lock().unwrap() += 1;
        }
    });
}

fn initialises() {
    let once = Once::new();
    run(3, move |_| once.call_once(|| {}));
}

fn nests() {
    let n = Arc::new(Mutex::new(0));
    run(2, move |_| {
        let inner = {
            let n = Arc::clone(&n);
            thread::spawn(move || *n.lock().unwrap() += 1)
        };
        *n.lock().unwrap() += 1;
        inner.join().unwrap();
    });
}

fn yields() {
    let n = Mutex::new(0);
    run(2, move |_| {
        *n.lock().unwrap() += 1;
        thread::yield_now();
        *n.lock().unwrap() += 1;
    });
}

fn two_count() {
    let n = Mutex::new(0);
    run(2, move |_| *n.lock().unwrap() += 1);
}

#[test]
fn a_native_program_has_as_many_executions_as_its_twin() {
    let Some(program) = compiled("pairs.c", &[]) else { return };
    let twins: [(&str, Twin); 14] = [
        ("counts", counts),
        ("both", both),
        ("tries", tries),
        ("waits", || waiting(1, false, None)),
        ("all wait", || waiting(2, true, None)),
        ("waits a while", || waiting(1, false, Some(Duration::from_secs(1)))),
        ("reads or writes", reads_or_writes),
        ("puts or takes", puts_or_takes),
        ("meets", meets),
        ("initialises", initialises),
        ("nests", nests),
        ("yields", yields),
        ("again", counts),
        ("c11", two_count),
    ];
    for (case, twin) in twins {
        for how in ["exhaustive", "dfs", "preemptions:1"] {
            let expected = gordian::Checker::new().search(how).leaks(false).run(twin);
            assert!(expected.failure().is_none() && expected.complete(), "{case}: {expected}");
            let found = search(&program, &[case], how);
            let failure = found.failure.as_ref().map(|(failure, _)| &failure.message);
            assert_eq!(failure, None, "{case} {how}");
            assert_eq!(
                (found.executions, found.blocked, found.steps, found.complete),
                (expected.executions(), expected.blocked(), expected.steps(), true),
                "{case} {how}"
            );
        }
    }
}
