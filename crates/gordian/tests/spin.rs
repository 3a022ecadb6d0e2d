//! Spin loops: waiting is proved, counting is explored.

use gordian::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use gordian::{Checker, FailureKind, thread};
use std::sync::Arc;

fn executions(body: impl Fn(&AtomicUsize) + Send + Sync + Copy + 'static) -> Vec<u64> {
    ["exhaustive", "dfs:sleep", "dfs"]
        .map(|search| {
            let report = Checker::new().search(search).run(move || {
                let flag = Arc::new(AtomicUsize::new(0));
                let seen = Arc::clone(&flag);
                let waiter = thread::spawn(move || body(&seen));
                flag.store(1, SeqCst);
                waiter.join().unwrap();
            });
            assert!(report.failure().is_none(), "{report}");
            assert!(report.complete());
            assert!(!report.to_string().contains("fair_rounds"), "{report}");
            report.executions()
        })
        .to_vec()
}

#[test]
fn waiting_for_a_flag_takes_two_executions() {
    assert_eq!(executions(|flag| while flag.load(SeqCst) == 0 {}), [2, 2, 2]);
}

#[test]
fn a_loop_that_counts_to_forty_is_explored_41_ways() {
    let count = |flag: &AtomicUsize| {
        for _ in 0..40 {
            if flag.load(SeqCst) == 1 {
                break;
            }
        }
    };
    assert_eq!(executions(count), [41, 41, 41]);
}

#[test]
fn a_counter_in_the_heap_is_a_counter() {
    let count = |flag: &AtomicUsize| {
        let mut rounds = std::hint::black_box(Box::new(0));
        while flag.load(SeqCst) == 0 && *rounds < 20 {
            *rounds += 1;
            std::hint::black_box(&mut rounds);
        }
    };
    // It looks 21 times at most: 20 rounds, and once more before it gives up.
    assert_eq!(executions(count), [22, 22, 22]);
}

#[test]
fn a_counter_in_a_boxed_struct_is_a_counter() {
    struct Worker {
        _name: [u64; 6],
        rounds: u32,
    }
    impl Worker {
        #[inline(never)]
        fn wait(&mut self, flag: &AtomicUsize) {
            while flag.load(SeqCst) == 0 {
                self.rounds += 1;
                if self.rounds == 10 {
                    break;
                }
            }
        }
    }
    let count = |flag: &AtomicUsize| {
        let mut worker = Box::new(Worker { _name: [7; 6], rounds: 0 });
        worker.wait(flag);
        std::hint::black_box(&worker);
    };
    assert_eq!(executions(count), [11, 11, 11]);
}

#[test]
fn a_failed_compare_exchange_is_a_round() {
    let lock = |flag: &AtomicUsize| while flag.compare_exchange(1, 2, SeqCst, SeqCst).is_err() {};
    assert_eq!(executions(lock), [2, 2, 2]);
}

#[test]
fn pausing_in_the_loop_is_waiting_too() {
    let all = executions(|flag| {
        while flag.load(SeqCst) == 0 {
            thread::yield_now();
        }
    });
    assert!(all.iter().all(|&n| n <= 8), "{all:?}");
}

#[test]
fn a_loop_that_pauses_at_every_third_look_waits() {
    let wait = |flag: &AtomicUsize| {
        let mut looks = 0;
        while flag.load(SeqCst) == 0 {
            looks += 1;
            if looks == 3 {
                thread::yield_now();
                looks = 0;
            }
        }
    };
    // The flag may be set before each of the first looks, until one finds the state that there was three looks before.
    assert_eq!(executions(wait), [8, 8, 10]);
}

#[test]
fn a_loop_that_backs_off_waits() {
    let wait = |flag: &AtomicUsize| {
        let mut pauses = 1;
        while flag.load(SeqCst) == 0 {
            (0..pauses).for_each(|_| gordian::hint::spin_loop());
            pauses = 2;
        }
    };
    // As many as with one pause, but for brute force, which tells pauses apart.
    assert_eq!(executions(wait), [3, 3, 6]);
}

#[test]
fn waiting_for_what_nobody_does_is_a_livelock_that_names_the_loop() {
    let report = Checker::new().run(|| {
        let flag = Arc::new(AtomicUsize::new(0));
        let seen = Arc::clone(&flag);
        let waiter = thread::spawn(move || while seen.load(SeqCst) == 0 {});
        waiter.join().unwrap();
        drop(flag);
    });
    let failure = report.failure().unwrap();
    assert_eq!(failure.kind(), FailureKind::Livelock);
    assert!(failure.to_string().contains("runs in a loop until flag changes"), "{failure}");
}

#[test]
fn a_counting_loop_that_never_ends_meets_the_step_limit() {
    let report = Checker::new().steps(1_000).run(|| {
        let flag = Arc::new(AtomicUsize::new(0));
        let seen = Arc::clone(&flag);
        let waiter = thread::spawn(move || {
            let mut rounds = 0u64;
            while seen.load(SeqCst) == 0 {
                rounds += 1;
                std::hint::black_box(&rounds);
            }
        });
        waiter.join().unwrap();
        drop(flag);
    });
    let failure = report.failure().unwrap();
    assert_eq!(failure.kind(), FailureKind::StepLimit);
    assert!(failure.message().contains("Checker::steps"), "{failure}");
}

#[test]
fn what_others_write_beside_it_is_no_round_of_its_own() {
    /// What is waited for, and something beside it that is not under control.
    #[derive(Default)]
    struct Block {
        flag: AtomicUsize,
        beside: std::sync::atomic::AtomicUsize,
    }
    let steps = |writes: usize| {
        let report = Checker::new().search("random").executions(500).seed(1).run(move || {
            let (block, other) = (Arc::new(Block::default()), AtomicUsize::new(0));
            let seen = Arc::clone(&block);
            let waits = thread::spawn(move || while seen.flag.load(SeqCst) + seen.flag.load(SeqCst) == 0 {});
            for step in 0..3 {
                other.store(step, SeqCst);
                block.beside.fetch_add(writes, SeqCst);
            }
            block.flag.store(1, SeqCst);
            waits.join().unwrap();
        });
        assert!(report.failure().is_none(), "{report}");
        report.steps()
    };
    assert_eq!(steps(1), steps(0));
}

/// What a place on the stack may hold that nobody has written to yet.
fn left_there() -> usize {
    use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
    static NEXT: AtomicUsize = AtomicUsize::new(0);
    NEXT.fetch_add(1, Relaxed) * 7 % 5 % 3
}

/// Two threads that take turns by a protocol with loops in it. What they read they also write to places of which nothing depends.
fn take_turns() {
    let owner = Arc::new(AtomicUsize::new(0));
    let claim = |owner: &AtomicUsize, me| {
        let mut seen = [left_there(), left_there()];
        loop {
            loop {
                let now = owner.load(SeqCst);
                seen = [now, seen[0]];
                std::hint::black_box(&mut seen);
                if now == 0 {
                    break;
                }
            }
            owner.store(me, SeqCst);
            if owner.load(SeqCst) == me {
                break;
            }
        }
    };
    let threads = [1, 2].map(|me| {
        let owner = Arc::clone(&owner);
        thread::spawn(move || {
            for _ in 0..2 {
                claim(&owner, me);
                owner.store(0, SeqCst);
            }
        })
    });
    threads.into_iter().for_each(|t| t.join().unwrap());
}

/// How soon a thread is found to wait depends on what earlier executions left on its stack. What is kept as departures from an earlier execution
/// has to come out the same all the same, and a thread whose next steps are known must not be taken for one that waits for ever.
#[test]
fn what_earlier_executions_left_on_the_stack_makes_no_difference() {
    for search in [
        "best-first:rand",
        "best-first:mdpor,pb",
        "delays:2",
        "exhaustive",
        "preemptions:2",
        "auto",
        "random",
    ] {
        for seed in 0..40 {
            let report = Checker::new().search(search).seed(seed).executions(200).run(take_turns);
            assert!(report.failure().is_none(), "{search} {seed}: {report}");
        }
    }
}
