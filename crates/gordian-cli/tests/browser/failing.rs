//! Failures to make pages of.

use gordian::sync::atomic::{AtomicUsize, Ordering::*};
use gordian::sync::{Condvar, Mutex};
use gordian::{Checker, Report, thread};
use gordian_model::Insight;
use gordian_report::{Page, Sources, html};
use std::sync::Arc;

fn page(report: Report) -> String {
    report.html().expect("it fails")
}

fn add_without_care() {
    let count = Arc::new(AtomicUsize::new(0));
    let other = Arc::clone(&count);
    let thread = thread::spawn(move || {
        let seen = other.load(SeqCst);
        other.store(seen + 1, SeqCst);
    });
    let seen = count.load(SeqCst); // in main
    count.store(seen + 1, SeqCst);
    thread.join().unwrap();
    assert!(count.load(SeqCst) == 2, "one was lost");
}

pub fn lost_update() -> String {
    page(Checker::new().name("lost_update").run(add_without_care))
}

pub fn deadlock() -> String {
    page(Checker::new().name("two_locks").run(|| {
        let (left, right) = (Arc::new(Mutex::new(())), Arc::new(Mutex::new(())));
        let (first, second) = (Arc::clone(&left), Arc::clone(&right));
        let thread = thread::spawn(move || {
            let _second = second.lock().unwrap();
            let _first = first.lock().unwrap();
        });
        let both = (left.lock().unwrap(), right.lock().unwrap());
        drop(both);
        thread.join().unwrap();
    }))
}

struct Published {
    ready: AtomicUsize,
    value: gordian::cell::UnsafeCell<u32>,
}

#[allow(unsafe_code)]
// SAFETY: nothing is read or written; the checker is told of accesses, and that they are not safe is the point.
unsafe impl Sync for Published {}

pub fn data_race() -> String {
    page(Checker::new().name("published_too_weakly").run(|| {
        let shared = Published { ready: AtomicUsize::new(0), value: gordian::cell::UnsafeCell::new(0) };
        let shared = Arc::new(shared);
        let other = Arc::clone(&shared);
        let thread = thread::spawn(move || {
            other.value.with_mut(|_| ());
            other.ready.store(1, Relaxed);
        });
        if shared.ready.load(Acquire) == 1 {
            shared.value.with(|_| ());
        }
        thread.join().unwrap();
    }))
}

/// A thread that comes first waits to be told.
pub fn handshake() -> String {
    page(Checker::new().name("handshake").run(|| {
        let told = Arc::new(Mutex::new(false));
        let told_by = Arc::new(Condvar::new());
        let (is_told, by) = (Arc::clone(&told), Arc::clone(&told_by));
        let thread = thread::spawn(move || {
            let mut waited = false;
            let mut is_told = is_told.lock().unwrap();
            while !*is_told {
                waited = true;
                is_told = by.wait(is_told).unwrap();
            }
            waited
        });
        *told.lock().unwrap() = true;
        told_by.notify_one();
        assert!(!thread.join().unwrap(), "it waited");
    }))
}

/// More lanes than there is room for.
pub fn many_threads(threads: usize) -> String {
    page(Checker::new().search("random").seed(1).name("many").run(move || {
        let count = Arc::new(AtomicUsize::new(0));
        let add = |count: Arc<AtomicUsize>| thread::spawn(move || count.fetch_add(1, SeqCst));
        let all: Vec<_> = (0..threads).map(|_| add(Arc::clone(&count))).collect();
        all.into_iter().for_each(|thread| drop(thread.join()));
        panic!("all came");
    }))
}

fn so_many_steps(steps: usize) -> Report {
    Checker::new().run(move || {
        let count = AtomicUsize::new(0);
        for _ in 0..steps {
            count.fetch_add(1, SeqCst);
        }
        panic!("over");
    })
}

/// A page with two traces of so many steps.
pub fn with_original(minimal: usize, original: usize) -> String {
    let [minimal, original] = [minimal, original].map(so_many_steps);
    let [minimal, original] = [&minimal, &original].map(|report| report.failure().expect("it panics"));
    html(&Page {
        test: "two",
        failure: minimal.trace().failure().expect("it failed"),
        trace: minimal.trace(),
        names: minimal.plan().names.as_ref().expect("names"),
        original: Some((original.trace(), original.plan().names.as_ref().expect("names"))),
        exploration: None,
        replay: None,
        insight: &Insight::default(),
        sources: &Sources::none(),
    })
}

pub fn without_source() -> String {
    let report = so_many_steps(1);
    let failure = report.failure().expect("it panics");
    html(&Page {
        test: "",
        failure: failure.trace().failure().expect("it failed"),
        trace: failure.trace(),
        names: failure.plan().names.as_ref().expect("names"),
        original: None,
        exploration: None,
        replay: None,
        insight: &Insight::default(),
        sources: &Sources::none(),
    })
}

pub const HOSTILE: &str =
    "</script><script>window.stolen = 1</script><!-- <script> & <img src=x onerror='stolen=1'>";

pub fn hostile() -> String {
    page(Checker::new().name(HOSTILE).run(|| {
        gordian::choose(2);
        panic!("{HOSTILE}");
    }))
}

/// Two threads in random order, so many steps in all, and one more.
pub fn long(steps: usize) -> String {
    page(Checker::new().search("random").seed(1).minimise(0).name("long").run(move || {
        let count = Arc::new((AtomicUsize::new(0), Mutex::new(0)));
        let other = Arc::clone(&count);
        let half = move |count: &(AtomicUsize, Mutex<usize>)| {
            for _ in 0..steps / 8 {
                *count.1.lock().unwrap() += 1;
                count.0.fetch_add(1, SeqCst);
                count.0.load(SeqCst);
            }
        };
        let thread = thread::spawn(move || half(&other));
        half(&count);
        thread.join().unwrap();
        assert_eq!(count.0.load(SeqCst), 0);
    }))
}

/// A failure that depth-first search finds last: all steps of the other thread come before any of the main one. It has so many
/// steps for each.
pub fn found_last(search: &str, steps: usize) -> String {
    page(Checker::new().search(search).minimise(0).name("last").run(move || {
        let turns = Arc::new(AtomicUsize::new(0));
        let other = Arc::clone(&turns);
        let thread = thread::spawn(move || {
            for _ in 0..steps {
                other.fetch_add(1, SeqCst);
            }
        });
        let before = turns.fetch_add(1, SeqCst);
        for _ in 1..steps {
            turns.fetch_add(1, SeqCst);
        }
        thread.join().unwrap();
        assert!(before < steps, "last");
    }))
}
