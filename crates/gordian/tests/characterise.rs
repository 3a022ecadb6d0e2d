//! What failures need: the programs of Bindal, Bansal, Lal (ISSTA 2013), each with its published number of preemptions, of
//! variables and of threads.

use gordian::sync::Mutex;
use gordian::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use gordian::{Character, Checker, FailureKind, Report, Unexplained, thread};
use std::sync::Arc;

/// Two variables.
#[derive(Default)]
struct Shared {
    a: AtomicUsize,
    b: AtomicUsize,
}

/// Runs each body in a thread of its own.
fn run(threads: &'static [fn(&Shared)]) -> Report {
    Checker::new().run(move || {
        let shared = Arc::new(Shared::default());
        let spawn = |body: &fn(&Shared)| {
            let (shared, body) = (Arc::clone(&shared), *body);
            thread::spawn(move || body(&shared))
        };
        let handles: Vec<_> = threads.iter().map(spawn).collect();
        for handle in handles {
            handle.join().unwrap();
        }
    })
}

const INCREMENT_A: fn(&Shared) = |s| {
    s.a.fetch_add(1, SeqCst);
};
const INCREMENT_B: fn(&Shared) = |s| {
    s.b.fetch_add(1, SeqCst);
};

/// The number of the figure, the threads, and preemptions, variables, threads.
type Figure = (u32, &'static [fn(&Shared)], (usize, usize, usize));

const FIGURES: &[Figure] = &[
    (1, &[|s| assert!(s.a.load(SeqCst) == 0), INCREMENT_A], (0, 0, 2)),
    (
        2,
        &[
            |s| {
                let (t1, t2) = (s.a.load(SeqCst), s.a.load(SeqCst));
                assert!(t1 == t2);
            },
            INCREMENT_A,
        ],
        (1, 1, 2),
    ),
    (
        3,
        &[
            |s| {
                let (t1, t2) = (s.a.load(SeqCst), s.a.load(SeqCst));
                assert!(t1 == t2);
            },
            |s| {
                s.a.store(1, SeqCst);
                s.a.store(0, SeqCst);
            },
        ],
        (2, 1, 2),
    ),
    (
        4,
        &[
            |s| {
                let (t1, t2, t3) = (s.a.load(SeqCst), s.a.load(SeqCst), s.b.load(SeqCst));
                assert!(t1 == t2 || t3 != 1);
            },
            |s| {
                s.a.store(1, SeqCst);
                s.b.store(1, SeqCst);
                s.b.store(0, SeqCst);
            },
        ],
        (2, 2, 2),
    ),
    (8, &[INCREMENT_A, INCREMENT_A, |s| assert!(s.a.load(SeqCst) != 2)], (0, 0, 3)),
    (
        9,
        &[
            |s| {
                let (t1, t2) = (s.a.load(SeqCst), s.a.load(SeqCst));
                // Printed as t1 <= t2 + 1, which cannot fail.
                assert!(t2 <= t1 + 1);
            },
            INCREMENT_A,
            INCREMENT_A,
        ],
        (1, 1, 3),
    ),
    (
        10,
        &[
            |s| {
                let (t1, t2) = (s.a.load(SeqCst), s.a.load(SeqCst));
                let (t3, t4) = (s.b.load(SeqCst), s.b.load(SeqCst));
                assert!(t1 == t2 || t3 == t4);
            },
            INCREMENT_A,
            INCREMENT_B,
        ],
        (2, 2, 3),
    ),
];

#[test]
fn the_published_programs_need_what_was_published() {
    for &(figure, threads, (c, v, t)) in FIGURES {
        let report = run(threads);
        let character = report.characterise().unwrap_or_else(|error| panic!("figure {figure}: {error}"));
        let Character { preemptions, variables, threads, .. } = character;
        assert_eq!((preemptions, variables, threads), (c, v, t), "figure {figure}");
    }
}

fn needs(report: &Report) -> String {
    report.characterise().unwrap_or_else(|error| panic!("{error}")).to_string()
}

#[test]
fn threads_that_have_nothing_to_do_with_it_do_not_count() {
    let racing: fn(&Shared) = |s| {
        let (t1, t2) = (s.a.load(SeqCst), s.a.load(SeqCst));
        assert!(t1 == t2);
    };
    // With two bystanders all orders of the five fragments are tried, with eight some.
    for bystanders in [2, 8] {
        let report = Checker::new().run(move || {
            let shared = Arc::new(Shared::default());
            let bodies = [racing, INCREMENT_A].into_iter().chain((0..bystanders).map(|_| INCREMENT_B));
            let spawn = |body: fn(&Shared)| {
                let shared = Arc::clone(&shared);
                thread::spawn(move || body(&shared))
            };
            for handle in bodies.map(spawn).collect::<Vec<_>>() {
                handle.join().unwrap();
            }
        });
        assert_eq!(needs(&report), "1 preemption at 1 variable, 2 threads", "{bystanders} bystanders");
    }
}

#[test]
fn a_deadlock_needs_one_preemption_between_two_locks() {
    let report = Checker::new().run(|| {
        let locks = Arc::new((Mutex::new(()), Mutex::new(())));
        let other = Arc::clone(&locks);
        let thread = thread::spawn(move || {
            let _b = other.1.lock().unwrap();
            let _a = other.0.lock().unwrap();
        });
        let _a = locks.0.lock().unwrap();
        let _b = locks.1.lock().unwrap();
        drop((_a, _b));
        thread.join().unwrap();
    });
    assert_eq!(report.failure().map(|f| f.kind()), Some(FailureKind::Deadlock));
    assert_eq!(needs(&report), "1 preemption at 1 variable, 2 threads");
}

#[test]
fn a_failure_in_every_order_needs_nothing() {
    let report = run(&[INCREMENT_A, |s| {
        s.b.load(SeqCst);
        panic!("always");
    }]);
    assert_eq!(needs(&report), "no preemptions, any order of the threads");
}

#[test]
fn a_replay_can_be_explained_too_and_no_failure_cannot() {
    let (_, threads, _) = FIGURES[1];
    let body = || {
        let a = Arc::new(AtomicUsize::new(0));
        let other = Arc::clone(&a);
        let thread = thread::spawn(move || other.fetch_add(1, SeqCst));
        let (t1, t2) = (a.load(SeqCst), a.load(SeqCst));
        thread.join().unwrap();
        assert!(t1 == t2);
    };
    let report = Checker::new().run(body);
    let again = gordian::replay(report.failure().unwrap().plan(), body);
    assert_eq!(needs(&again), needs(&report));
    // It is as much a report as any other.
    assert_eq!(needs(&report.clone()), needs(&run(threads)));
    assert!(format!("{report:?}").contains("Again"));
    let fine = run(&[INCREMENT_A, INCREMENT_A]);
    assert_eq!(fine.characterise(), Err(Unexplained::NoFailure));
}

#[test]
fn a_choice_that_has_to_be_made_is_found() {
    let report = Checker::new().run(|| {
        let a = Arc::new(AtomicUsize::new(0));
        let other = Arc::clone(&a);
        let thread = thread::spawn(move || other.fetch_add(1, SeqCst));
        let seen = a.load(SeqCst);
        let chosen = gordian::choose(2);
        thread.join().unwrap();
        assert!(seen == 0 || chosen == 0);
    });
    assert_eq!(needs(&report), "no preemptions, 2 threads");
}
