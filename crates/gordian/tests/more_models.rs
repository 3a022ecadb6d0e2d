//! What the primitives do under a check: memory, one-time initialisation, reference counts, thread-locals, time.
#![cfg(feature = "check")]
#![allow(unsafe_code)]

use gordian::cell::UnsafeCell;
use gordian::sync::atomic::Ordering::{Acquire, Relaxed, Release, SeqCst};
use gordian::sync::atomic::{AtomicUsize, fence};
use gordian::sync::{Arc, LazyLock, Mutex, Once, OnceLock, Weak};
use gordian::time::{Duration, Instant, SystemTime};
use gordian::{Checker, FailureKind, Report, hint, thread};
use std::collections::BTreeSet;
use std::sync::Mutex as StdMutex;
use std::sync::atomic::AtomicUsize as Plain;

fn check(body: impl Fn() + Send + Sync + 'static) -> Report {
    Checker::new().run(body)
}

#[track_caller]
fn passes(body: impl Fn() + Send + Sync + 'static) -> Report {
    let report = check(body);
    if let Some(failure) = report.failure() {
        panic!("{failure}");
    }
    assert!(report.complete(), "{report}");
    report
}

#[track_caller]
fn fails(kind: FailureKind, body: impl Fn() + Send + Sync + 'static) -> String {
    let report = check(body);
    let failure = report.failure().unwrap_or_else(|| panic!("nothing found: {report}"));
    assert_eq!(failure.kind(), kind, "{failure}");
    failure.message().to_owned()
}

/// Plain memory next to a flag and a counter.
struct Shared {
    data: UnsafeCell<u32>,
    flag: AtomicUsize,
}

unsafe impl Sync for Shared {}

impl Shared {
    fn new() -> std::sync::Arc<Shared> {
        std::sync::Arc::new(Shared { data: UnsafeCell::new(0), flag: AtomicUsize::new(0) })
    }

    #[track_caller]
    fn write(&self) {
        self.data.with_mut(|p| unsafe { *p = 42 });
    }

    #[track_caller]
    fn read(&self) -> u32 {
        self.data.with(|p| unsafe { *p })
    }
}

/// One thread writes and publishes; the other reads if it sees that.
fn message(publish: fn(&AtomicUsize), seen: fn(&AtomicUsize) -> bool) -> impl Fn() + Send + Sync + 'static {
    move || {
        let shared = Shared::new();
        let other = shared.clone();
        let writer = thread::spawn(move || {
            other.write();
            publish(&other.flag);
        });
        if seen(&shared.flag) {
            assert_eq!(shared.read(), 42);
        }
        writer.join().unwrap();
    }
}

#[test]
fn a_relaxed_flag_publishes_nothing() {
    fails(FailureKind::DataRace, message(|f| f.store(1, Relaxed), |f| f.load(Relaxed) == 1));
}

#[test]
fn a_release_store_without_an_acquire_load_publishes_nothing() {
    fails(FailureKind::DataRace, message(|f| f.store(1, Release), |f| f.load(Relaxed) == 1));
}

#[test]
fn an_acquire_load_of_a_relaxed_store_learns_nothing() {
    fails(FailureKind::DataRace, message(|f| f.store(1, Relaxed), |f| f.load(Acquire) == 1));
}

#[test]
fn release_and_acquire_publish() {
    passes(message(|f| f.store(1, Release), |f| f.load(Acquire) == 1));
}

#[test]
fn a_release_fence_before_and_an_acquire_fence_after_publish() {
    let publish = |f: &AtomicUsize| {
        fence(Release);
        f.store(1, Relaxed);
    };
    passes(message(publish, |f| {
        let seen = f.load(Relaxed) == 1;
        fence(Acquire);
        seen
    }));
}

#[test]
fn a_release_fence_after_the_store_is_too_late() {
    let publish = |f: &AtomicUsize| {
        f.store(1, Relaxed);
        fence(Release);
    };
    fails(FailureKind::DataRace, message(publish, |f| f.load(Acquire) == 1));
}

#[test]
fn a_release_sequence_goes_on_through_a_read_modify_write_of_another_thread() {
    passes(|| {
        let shared = Shared::new();
        let (a, b) = (shared.clone(), shared.clone());
        let writer = thread::spawn(move || {
            a.write();
            a.flag.store(1, Release);
        });
        let other = thread::spawn(move || {
            b.flag.fetch_add(10, Relaxed);
        });
        if shared.flag.load(Acquire) % 10 == 1 {
            shared.read();
        }
        writer.join().unwrap();
        other.join().unwrap();
    });
}

#[test]
fn a_relaxed_store_of_the_same_thread_breaks_a_release_sequence() {
    let publish = |f: &AtomicUsize| {
        f.store(1, Release);
        f.store(2, Relaxed);
    };
    fails(FailureKind::DataRace, message(publish, |f| f.load(Acquire) == 2));
    passes(message(publish, |f| f.load(Acquire) == 1));
}

#[test]
fn a_data_race_names_both_places() {
    let message = fails(FailureKind::DataRace, || {
        let shared = Shared::new();
        let other = shared.clone();
        let writer = thread::spawn(move || other.write());
        shared.read();
        writer.join().unwrap();
    });
    let places = message.matches("more_models.rs:").count();
    assert_eq!(places, 2, "{message}");
    assert!(message.contains("read by") && message.contains("write by"), "{message}");
}

#[test]
fn an_access_lasts_as_long_as_its_closure() {
    fails(FailureKind::DataRace, || {
        let shared = Shared::new();
        let other = shared.clone();
        let writer = thread::spawn(move || {
            other.data.with_mut(|p| {
                other.flag.store(1, Release);
                unsafe { *p = 1 };
            });
        });
        if shared.flag.load(Acquire) == 1 {
            shared.read();
        }
        writer.join().unwrap();
    });
}

#[test]
fn a_mutex_orders_what_it_guards_and_readers_share() {
    passes(|| {
        let shared = std::sync::Arc::new((Mutex::new(()), Shared::new()));
        shared.1.write();
        let other = shared.clone();
        let reader = thread::spawn(move || other.1.read());
        shared.1.read();
        reader.join().unwrap();
        let other = shared.clone();
        let writer = thread::spawn(move || {
            let _guard = other.0.lock().unwrap();
            other.1.write();
        });
        {
            let _guard = shared.0.lock().unwrap();
            shared.1.write();
        }
        writer.join().unwrap();
    });
}

#[test]
fn a_plain_cell_shared_by_promise_is_checked_too() {
    struct Wrong(gordian::cell::Cell<u32>);
    unsafe impl Sync for Wrong {}
    fails(FailureKind::DataRace, || {
        let cell = Wrong(gordian::cell::Cell::new(0));
        let cell = &cell;
        thread::scope(|s| {
            s.spawn(move || cell.0.set(1));
            s.spawn(move || cell.0.get());
        });
    });
}

// --- one-time initialisation ---

/// The number of executions in which something happened exactly once.
fn once_in_every_execution(counter: &'static Plain, body: impl Fn() + Send + Sync + 'static) {
    counter.store(0, SeqCst);
    let report = passes(body);
    assert!(report.executions() > 1, "{report}");
    assert_eq!(counter.load(SeqCst) as u64, report.executions());
}

fn in_two_threads(f: fn()) -> impl Fn() + Send + Sync + 'static {
    move || {
        let other = thread::spawn(f);
        f();
        other.join().unwrap();
    }
}

#[test]
fn a_static_lazy_lock_is_fresh_in_every_execution() {
    static MADE: Plain = Plain::new(0);
    static LAZY: LazyLock<Mutex<Vec<u32>>> = LazyLock::new(|| {
        MADE.fetch_add(1, SeqCst);
        Mutex::new(Vec::new())
    });
    once_in_every_execution(
        &MADE,
        in_two_threads(|| {
            let mut list = LAZY.lock().unwrap();
            list.push(1);
            assert!(list.len() <= 2);
        }),
    );
}

#[test]
fn a_static_once_lock_is_fresh_in_every_execution_and_dropped_at_its_end() {
    static MADE: Plain = Plain::new(0);
    static DROPPED: Plain = Plain::new(0);
    struct Value;
    impl Drop for Value {
        fn drop(&mut self) {
            DROPPED.fetch_add(1, SeqCst);
        }
    }
    static CELL: OnceLock<(Value, Arc<u32>)> = OnceLock::new();
    once_in_every_execution(
        &MADE,
        in_two_threads(|| {
            CELL.get_or_init(|| {
                MADE.fetch_add(1, SeqCst);
                (Value, Arc::new(1))
            });
        }),
    );
    assert_eq!(DROPPED.load(SeqCst), MADE.load(SeqCst));
}

#[test]
fn a_static_once_is_fresh_in_every_execution() {
    static DONE: Plain = Plain::new(0);
    static ONCE: Once = Once::new();
    once_in_every_execution(
        &DONE,
        in_two_threads(|| {
            ONCE.call_once(|| {
                DONE.fetch_add(1, SeqCst);
            });
        }),
    );
}

#[test]
fn a_static_atomic_is_fresh_in_every_execution() {
    static COUNT: AtomicUsize = AtomicUsize::new(5);
    let report = passes(|| {
        let other = thread::spawn(|| COUNT.fetch_add(1, SeqCst));
        let mine = COUNT.fetch_add(1, SeqCst);
        let theirs = other.join().unwrap();
        assert_eq!((mine.min(theirs), mine.max(theirs)), (5, 6));
    });
    assert_eq!(report.executions(), 2);
    assert_eq!(COUNT.load(SeqCst), 5);
}

#[test]
fn a_static_keeps_its_own_value_in_each_of_several_checks_that_run_side_by_side() {
    static LAZY: LazyLock<AtomicUsize> = LazyLock::new(|| AtomicUsize::new(0));
    static CELL: OnceLock<String> = OnceLock::new();
    static COUNT: AtomicUsize = AtomicUsize::new(0);
    std::thread::scope(|s| {
        for _ in 0..3 {
            s.spawn(|| {
                for _ in 0..100 {
                    passes(in_two_threads(|| {
                        CELL.get_or_init(|| "value".to_owned());
                        LAZY.fetch_add(1, SeqCst);
                        assert!(COUNT.fetch_add(1, SeqCst) < 2);
                        assert_eq!(CELL.get().unwrap(), "value");
                        assert!(LAZY.load(SeqCst) <= 2);
                    }));
                }
            });
        }
    });
}

#[test]
fn a_value_that_a_captured_once_lock_was_given_is_there_and_one_set_outside_is_not() {
    let given = std::sync::Arc::new(OnceLock::from(1));
    let set = std::sync::Arc::new(OnceLock::new());
    set.set(1).unwrap();
    let (a, b) = (given.clone(), set.clone());
    passes(move || {
        let other = thread::spawn(|| ());
        assert_eq!(a.get(), Some(&1));
        assert_eq!(b.get(), None);
        b.set(2).unwrap();
        other.join().unwrap();
        assert_eq!(b.get(), Some(&2));
    });
    assert_eq!((given.get(), set.get()), (Some(&1), Some(&1)));
}

#[test]
fn a_local_once_lock_drops_its_value_when_it_is_dropped_or_gives_it_back() {
    static ORDER: StdMutex<Vec<&str>> = StdMutex::new(Vec::new());
    struct Say<'a>(&'a str);
    impl Drop for Say<'_> {
        fn drop(&mut self) {
            ORDER.lock().unwrap().push("value");
        }
    }
    passes(|| {
        ORDER.lock().unwrap().clear();
        let text = String::from("borrowed");
        {
            let cell = OnceLock::new();
            assert_eq!(cell.get_or_init(|| Say(&text)).0, "borrowed");
        }
        ORDER.lock().unwrap().push("after");
        let mut cell = OnceLock::new();
        assert!(cell.set(1).is_ok());
        assert_eq!(cell.set(2), Err(2));
        *cell.get_mut().unwrap() += 10;
        let mut moved = cell;
        assert_eq!(moved.take(), Some(11));
        assert_eq!(moved.get(), None);
        assert!(moved.set(3).is_ok());
        assert_eq!(moved.into_inner(), Some(3));
        assert_eq!(*ORDER.lock().unwrap(), ["value", "after"]);
    });
}

#[test]
fn initialising_from_within_the_initialiser_is_a_deadlock_with_itself() {
    let message = fails(FailureKind::Deadlock, || {
        let cell: std::sync::Arc<OnceLock<u32>> = std::sync::Arc::default();
        let inner = cell.clone();
        cell.get_or_init(|| *inner.get_or_init(|| 1));
    });
    assert!(message.contains("main"), "{message}");
}

#[test]
fn one_of_two_initialisers_wins_and_both_outcomes_are_seen() {
    static SEEN: StdMutex<BTreeSet<u32>> = StdMutex::new(BTreeSet::new());
    passes(|| {
        let cell: std::sync::Arc<OnceLock<u32>> = std::sync::Arc::default();
        let other = cell.clone();
        let thread = thread::spawn(move || *other.get_or_init(|| 1));
        let mine = *cell.get_or_init(|| 2);
        assert_eq!(mine, thread.join().unwrap());
        SEEN.lock().unwrap().insert(mine);
    });
    assert_eq!(*SEEN.lock().unwrap(), BTreeSet::from([1, 2]));
}

fn panics<R>(f: impl FnOnce() -> R) -> bool {
    std::panic::catch_unwind(std::panic::AssertUnwindSafe(f)).is_err()
}

#[test]
fn a_panic_in_an_initialiser_poisons_a_once_and_a_lazy_lock_but_not_a_once_lock() {
    passes(|| {
        let once = Once::new();
        assert!(panics(|| once.call_once(|| panic!("first"))));
        assert!(!once.is_completed());
        assert!(panics(|| once.call_once(|| ())));
        assert!(panics(|| once.wait()));
        once.call_once_force(|state| assert!(state.is_poisoned()));
        assert!(once.is_completed());

        let lazy: LazyLock<u32> = LazyLock::new(|| panic!("first"));
        assert!(panics(|| *lazy));
        assert!(panics(|| *lazy));
        assert!(LazyLock::get(&lazy).is_none());

        let cell = OnceLock::new();
        assert!(panics(|| cell.get_or_init(|| -> u32 { panic!("first") })));
        assert_eq!(*cell.get_or_init(|| 3), 3);
    });
}

#[test]
fn whoever_waits_for_a_once_lock_sees_its_value() {
    passes(|| {
        let cell: std::sync::Arc<OnceLock<u32>> = std::sync::Arc::default();
        let other = cell.clone();
        let thread = thread::spawn(move || other.set(7).unwrap());
        assert_eq!(*cell.wait(), 7);
        thread.join().unwrap();
    });
}

// --- reference counts ---

#[test]
fn an_arc_that_is_forgotten_is_a_leak() {
    let message = fails(FailureKind::Leak, || {
        let arc = Arc::new(1);
        let other = arc.clone();
        thread::spawn(move || drop(other)).join().unwrap();
        std::mem::forget(arc);
    });
    assert!(message.contains("more_models.rs"), "{message}");
}

#[test]
fn an_arc_turned_into_a_raw_pointer_and_not_back_is_a_leak() {
    fails(FailureKind::Leak, || {
        let _ = Arc::into_raw(Arc::new(1));
        thread::yield_now();
    });
    passes(|| {
        let raw = Arc::into_raw(Arc::new(1));
        thread::yield_now();
        unsafe {
            Arc::increment_strong_count(raw);
            Arc::decrement_strong_count(raw);
            drop(Arc::from_raw(raw));
        }
    });
}

#[test]
fn a_cycle_of_arcs_is_a_leak_and_a_weak_one_is_not() {
    struct Node {
        next: Mutex<Option<Arc<Node>>>,
        _back: Weak<Node>,
    }
    fn node(strong: bool) -> impl Fn() + Send + Sync + 'static {
        move || {
            let node = Arc::new_cyclic(|weak| Node { next: Mutex::new(None), _back: weak.clone() });
            if strong {
                *node.next.lock().unwrap() = Some(node.clone());
            }
            assert!(node.next.lock().unwrap().is_some() == strong);
        }
    }
    fails(FailureKind::Leak, node(true));
    passes(node(false));
}

#[test]
fn counting_is_no_step_unless_somebody_looks() {
    let body = |look: bool| {
        move || {
            let arc = Arc::new(AtomicUsize::new(0));
            arc.store(1, SeqCst);
            let threads: Vec<_> = (0..2)
                .map(|_| {
                    let arc = arc.clone();
                    thread::spawn(move || drop(arc))
                })
                .collect();
            if look {
                std::hint::black_box(Arc::strong_count(&arc));
            }
            for thread in threads {
                thread.join().unwrap();
            }
        }
    };
    assert_eq!(passes(body(false)).executions(), 1);
    assert!(passes(body(true)).executions() > 1);
}

#[test]
fn a_strong_count_of_one_used_as_a_lock_is_explored_with_both_outcomes() {
    static SEEN: StdMutex<BTreeSet<usize>> = StdMutex::new(BTreeSet::new());
    passes(|| {
        let arc = Arc::new(1);
        let other = arc.clone();
        let thread = thread::spawn(move || drop(other));
        let count = Arc::strong_count(&arc);
        SEEN.lock().unwrap().insert(count);
        thread.join().unwrap();
    });
    assert_eq!(*SEEN.lock().unwrap(), BTreeSet::from([1, 2]));
}

#[test]
fn the_last_reference_is_ordered_after_the_others_but_a_count_of_one_is_not() {
    struct Value(UnsafeCell<u32>);
    unsafe impl Sync for Value {}
    impl Drop for Value {
        fn drop(&mut self) {
            self.0.with_mut(|p| unsafe { *p += 1 });
        }
    }
    passes(|| {
        let arc = Arc::new(Value(UnsafeCell::new(0)));
        let other = arc.clone();
        let thread = thread::spawn(move || other.0.with(|p| unsafe { *p }));
        drop(arc);
        thread.join().unwrap();
    });
    fails(FailureKind::DataRace, || {
        let arc = Arc::new(Value(UnsafeCell::new(0)));
        let other = arc.clone();
        let thread = thread::spawn(move || {
            other.0.with(|p| unsafe { *p });
        });
        if Arc::strong_count(&arc) == 1 {
            arc.0.with_mut(|p| unsafe { *p = 1 });
        }
        thread.join().unwrap();
    });
}

#[test]
fn unwrapping_and_get_mut_succeed_for_exactly_one() {
    static SEEN: StdMutex<BTreeSet<(bool, bool)>> = StdMutex::new(BTreeSet::new());
    passes(|| {
        let arc = Arc::new(String::from("value"));
        let other = arc.clone();
        let thread = thread::spawn(move || Arc::into_inner(other).is_some());
        let mine = Arc::into_inner(arc).is_some();
        let theirs = thread.join().unwrap();
        SEEN.lock().unwrap().insert((mine, theirs));
    });
    assert_eq!(*SEEN.lock().unwrap(), BTreeSet::from([(true, false), (false, true)]));
}

#[test]
fn a_weak_reference_is_upgraded_as_long_as_the_value_lives() {
    static SEEN: StdMutex<BTreeSet<bool>> = StdMutex::new(BTreeSet::new());
    passes(|| {
        let arc = Arc::new(1);
        let weak = Arc::downgrade(&arc);
        let thread = thread::spawn(move || weak.upgrade().is_some());
        drop(arc);
        SEEN.lock().unwrap().insert(thread.join().unwrap());
    });
    assert_eq!(*SEEN.lock().unwrap(), BTreeSet::from([false, true]));
}

#[test]
fn an_arc_of_one_execution_cannot_be_used_in_another() {
    let report = Checker::new().leaks(false).run(|| {
        static KEPT: StdMutex<Option<Arc<u32>>> = StdMutex::new(None);
        let kept = KEPT.lock().unwrap().replace(Arc::new(1));
        gordian::choose(2);
        drop(kept.clone());
    });
    let failure = report.failure().expect("the second execution finds the arc of the first");
    assert!(failure.message().contains("made in one execution is used in another"), "{failure}");
}

#[test]
fn who_drops_last_is_explored_when_dropping_does_something() {
    static SEEN: StdMutex<BTreeSet<String>> = StdMutex::new(BTreeSet::new());
    static DROPS: AtomicUsize = AtomicUsize::new(0);
    struct Value;
    impl Drop for Value {
        fn drop(&mut self) {
            DROPS.fetch_add(1, SeqCst);
            SEEN.lock().unwrap().insert(thread::current().name().unwrap_or("other").to_owned());
        }
    }
    let report = passes(|| {
        let arc = Arc::new(Value);
        let other = arc.clone();
        let thread = thread::spawn(move || drop(other));
        drop(arc);
        thread.join().unwrap();
        assert_eq!(DROPS.load(SeqCst), 1);
    });
    assert_eq!(report.executions(), 2);
    assert_eq!(*SEEN.lock().unwrap(), BTreeSet::from(["main".to_owned(), "other".to_owned()]));
}

// --- thread-locals ---

#[test]
fn a_thread_local_is_fresh_in_every_thread_and_execution() {
    static MADE: Plain = Plain::new(0);
    gordian::thread_local! {
        static COUNT: std::cell::Cell<u32> = {
            MADE.fetch_add(1, SeqCst);
            std::cell::Cell::new(0)
        };
    }
    let report = passes(|| {
        let flag = std::sync::Arc::new(AtomicUsize::new(0));
        let other = flag.clone();
        let work = move |flag: &AtomicUsize| {
            COUNT.set(COUNT.get() + 1);
            flag.fetch_add(1, SeqCst);
            COUNT.set(COUNT.get() + 1);
            assert_eq!(COUNT.get(), 2);
        };
        let thread = thread::spawn(move || work(&other));
        work(&flag);
        thread.join().unwrap();
    });
    assert!(report.executions() > 1);
    assert_eq!(MADE.load(SeqCst) as u64, 2 * report.executions());
}

struct Said(&'static str);

static SAID: StdMutex<Vec<&'static str>> = StdMutex::new(Vec::new());

gordian::thread_local! {
    static FIRST: Said = const { Said("first") };
    static SECOND: Said = Said("second");
    static LATE: Said = Said("late");
}

impl Drop for Said {
    fn drop(&mut self) {
        SAID.lock().unwrap().push(self.0);
        thread::yield_now();
        if self.0 == "second" {
            assert!(SECOND.try_with(|_| ()).is_err(), "a value that is being dropped cannot be used");
            FIRST.with(|_| ());
            LATE.with(|_| ());
        }
    }
}

#[test]
fn thread_locals_are_dropped_youngest_first_also_those_that_a_destructor_makes() {
    passes(|| {
        SAID.lock().unwrap().clear();
        thread::spawn(|| {
            FIRST.with(|_| ());
            SECOND.with(|_| ());
        })
        .join()
        .unwrap();
        assert_eq!(*SAID.lock().unwrap(), ["second", "late", "first"]);
        SAID.lock().unwrap().clear();
        FIRST.with(|_| ());
    });
    assert_eq!(*SAID.lock().unwrap(), ["first"], "main's are dropped too");
}

mod keys {
    gordian::thread_local! {}
    gordian::thread_local!();
    gordian::thread_local! {
        /// A key for others.
        #[allow(dead_code)]
        pub(crate) static A: u32 = const {
            let a = 1;
            a + 1
        };
        #[cfg(any())]
        static GONE: Nothing = Nothing;
        pub(super) static B: String = String::from("b")
    }
}

#[test]
fn thread_locals_are_declared_as_in_std() {
    gordian::thread_local!(static INNER: std::cell::Cell<u8> = std::cell::Cell::new(3));
    const SAME: thread::LocalKey<u32> = keys::A;
    fn look() -> (u32, u32, String, u8) {
        let by_reference: &'static thread::LocalKey<String> = &keys::B;
        (keys::A.with(|a| *a), SAME.with(|a| *a), by_reference.with(String::clone), INNER.get())
    }
    assert_eq!(look(), (2, 2, "b".to_owned(), 3));
    passes(|| {
        thread::yield_now();
        assert_eq!(look(), (2, 2, "b".to_owned(), 3));
    });
}

#[test]
fn a_loop_that_counts_in_a_thread_local_is_no_livelock() {
    gordian::thread_local!(static ROUNDS: std::cell::Cell<u32> = const { std::cell::Cell::new(0) });
    passes(|| {
        let flag = AtomicUsize::new(0);
        while flag.load(SeqCst) == 0 && ROUNDS.get() < 10 {
            ROUNDS.set(ROUNDS.get() + 1);
        }
    });
}

#[test]
fn a_loop_that_counts_in_a_cell_is_no_livelock() {
    passes(|| {
        let flag = AtomicUsize::new(0);
        let rounds = Box::new(gordian::cell::Cell::new(0));
        while flag.load(SeqCst) == 0 && rounds.get() < 10 {
            rounds.set(rounds.get() + 1);
        }
    });
}

#[test]
fn what_a_thread_local_of_a_stuck_thread_holds_is_dropped_with_the_execution() {
    gordian::thread_local!(static HELD: std::cell::RefCell<Option<Arc<u32>>> = const { std::cell::RefCell::new(None) });
    fails(FailureKind::Deadlock, || {
        HELD.set(Some(Arc::new(1)));
        thread::park();
    });
}

#[test]
fn a_panic_in_the_destructor_of_a_thread_local_is_a_failure() {
    struct Bad;
    impl Drop for Bad {
        fn drop(&mut self) {
            panic!("bad drop");
        }
    }
    gordian::thread_local!(static BAD: Bad = const { Bad });
    let message = fails(FailureKind::Panic, || {
        let thread = thread::spawn(|| BAD.with(|_| ()));
        let _ = thread.join();
    });
    assert!(message.contains("bad drop"), "{message}");
}

// --- time ---

#[test]
fn a_loop_that_waits_for_a_deadline_ends() {
    passes(|| {
        let start = Instant::now();
        while start.elapsed() < Duration::from_secs(10) {}
        let flag = AtomicUsize::new(0);
        let start = Instant::now();
        while flag.load(SeqCst) == 0 && start.elapsed() < Duration::from_secs(10) {
            hint::spin_loop();
        }
        assert!(start.elapsed() < Duration::from_secs(100));
    });
}

#[test]
fn sleeping_takes_virtual_time_that_children_inherit_and_joining_takes_over() {
    passes(|| {
        let start = Instant::now();
        let wall = SystemTime::now();
        thread::sleep(Duration::from_secs(3600));
        let child = thread::spawn(move || {
            assert!(start.elapsed() >= Duration::from_secs(3600));
            thread::sleep(Duration::from_secs(3600));
            Instant::now()
        });
        let ended = child.join().unwrap();
        assert!(Instant::now() > ended);
        assert!(wall.elapsed().unwrap() >= Duration::from_secs(7200));
        assert!(start.elapsed() < Duration::from_secs(7201));
    });
}

#[test]
fn time_is_the_same_in_every_execution() {
    static SEEN: StdMutex<BTreeSet<Instant>> = StdMutex::new(BTreeSet::new());
    let report = passes(|| {
        gordian::choose(4);
        SEEN.lock().unwrap().insert(Instant::now());
    });
    assert_eq!(report.executions(), 4);
    assert_eq!(SEEN.lock().unwrap().len(), 1);
}

// --- futures ---

#[test]
fn block_on_waits_for_a_wake_from_another_thread() {
    use std::task::{Poll, Waker};
    passes(|| {
        let ready = std::sync::Arc::new(Mutex::new((false, None::<Waker>)));
        let other = ready.clone();
        let thread = thread::spawn(move || {
            let mut state = other.lock().unwrap();
            state.0 = true;
            if let Some(waker) = state.1.take() {
                waker.wake();
            }
        });
        gordian::future::block_on(std::future::poll_fn(|context| {
            let mut state = ready.lock().unwrap();
            if state.0 {
                return Poll::Ready(());
            }
            state.1 = Some(context.waker().clone());
            Poll::Pending
        }));
        thread.join().unwrap();
    });
}

/// Built with `cargo build --no-default-features`, everything is std's.
#[test]
fn without_the_feature_check_the_crate_builds_and_is_std() {
    let target = std::env::temp_dir().join(format!("gordian-plain-{}", std::process::id()));
    let status = std::process::Command::new(env!("CARGO"))
        .args(["check", "--quiet", "--no-default-features", "--example", "plain", "--manifest-path"])
        .arg(concat!(env!("CARGO_MANIFEST_DIR"), "/Cargo.toml"))
        .arg("--target-dir")
        .arg(&target)
        .status()
        .unwrap();
    let _ = std::fs::remove_dir_all(target);
    assert!(status.success());
}

// --- reductions ---

/// A program that says what it saw.
type Program = (&'static str, fn() -> String);

fn spawned<T: Send + 'static>(f: impl FnOnce() -> T + Send + 'static) -> thread::JoinHandle<T> {
    thread::spawn(f)
}

const PROGRAMS: &[Program] = &[
    ("three drop", || {
        static LAST: AtomicUsize = AtomicUsize::new(0);
        struct Value;
        impl Drop for Value {
            fn drop(&mut self) {
                let name = format!("{:?}", thread::current().id());
                LAST.store(name.bytes().map(usize::from).sum(), SeqCst);
            }
        }
        let arc = Arc::new(Value);
        let (a, b) = (arc.clone(), arc.clone());
        let threads = [spawned(move || drop(a)), spawned(move || drop(b))];
        drop(arc);
        let _ = threads.map(|t| t.join().unwrap());
        LAST.load(SeqCst).to_string()
    }),
    ("upgrade, clone and drop", || {
        let arc = Arc::new(1);
        let weak = Arc::downgrade(&arc);
        let other = arc.clone();
        let a = spawned(move || weak.upgrade().map(|arc| Arc::strong_count(&arc)));
        let b = spawned(move || {
            let more = other.clone();
            drop(other);
            Arc::try_unwrap(more).is_ok()
        });
        let mine = Arc::into_inner(arc).is_some();
        format!("{:?} {:?} {mine}", a.join().unwrap(), b.join().unwrap())
    }),
    ("unique", || {
        let mut arc = Arc::new(String::from("x"));
        let (a, b) = (arc.clone(), Arc::downgrade(&arc));
        let a = spawned(move || Arc::unwrap_or_clone(a).len());
        let b = spawned(move || (b.strong_count(), b.weak_count(), b.upgrade().is_some()));
        let mine = Arc::get_mut(&mut arc).is_some();
        Arc::make_mut(&mut arc).push('y');
        format!("{:?} {:?} {mine} {arc}", a.join().unwrap(), b.join().unwrap())
    }),
    ("three initialise", || {
        let cell: std::sync::Arc<OnceLock<u32>> = std::sync::Arc::default();
        let (a, b, c) = (cell.clone(), cell.clone(), cell.clone());
        let a = spawned(move || *a.get_or_init(|| 1));
        let b = spawned(move || b.set(2).is_ok());
        let c = spawned(move || *c.wait());
        let peeked = cell.get().copied();
        format!("{:?} {:?} {:?} {peeked:?}", a.join().unwrap(), b.join().unwrap(), c.join().unwrap())
    }),
    ("give up and try again", || {
        let cell: std::sync::Arc<OnceLock<u32>> = std::sync::Arc::default();
        let (a, b) = (cell.clone(), cell.clone());
        let a = spawned(move || panics(|| a.get_or_init(|| panic!("no"))));
        let b = spawned(move || b.get().copied());
        let mine = *cell.get_or_init(|| 1);
        format!("{:?} {:?} {mine}", a.join().unwrap(), b.join().unwrap())
    }),
    ("poison and force", || {
        let once = std::sync::Arc::new(Once::new());
        let (a, b) = (once.clone(), once.clone());
        let a = spawned(move || panics(|| a.call_once(|| panic!("no"))));
        let b = spawned(move || panics(|| b.call_once(|| ())));
        let mut poisoned = None;
        once.call_once_force(|state| poisoned = Some(state.is_poisoned()));
        format!("{:?} {:?} {poisoned:?}", a.join().unwrap(), b.join().unwrap())
    }),
];

#[test]
fn the_reductions_see_what_brute_force_sees() {
    for &(name, program) in PROGRAMS {
        let outcomes = |search: &str| {
            let seen = std::sync::Arc::new(StdMutex::new(BTreeSet::new()));
            let into = seen.clone();
            let report = Checker::new().search(search).run(move || {
                let outcome = program();
                into.lock().unwrap().insert(outcome);
            });
            assert!(report.failure().is_none() && report.complete(), "{name}, {search}: {report}");
            std::sync::Arc::into_inner(seen).unwrap().into_inner().unwrap()
        };
        let all = outcomes("dfs");
        assert!(all.len() > 1, "{name}: {all:?}");
        assert_eq!(outcomes("dfs:sleep"), all, "{name}");
        assert_eq!(outcomes("exhaustive"), all, "{name}");
    }
}

#[test]
fn waiting_for_a_poisoned_once_is_seen_before_and_after_it_is_forced() {
    use std::collections::BTreeSet;
    use std::panic::{AssertUnwindSafe, catch_unwind};
    let outcomes = ["dfs", "dfs:sleep", "exhaustive"].map(|search| {
        let seen = std::sync::Arc::new(std::sync::Mutex::new(BTreeSet::new()));
        let log = std::sync::Arc::clone(&seen);
        let report = gordian::Checker::new().search(search).run(move || {
            let once = std::sync::Arc::new(gordian::sync::Once::new());
            let other = std::sync::Arc::clone(&once);
            let thread = gordian::thread::spawn(move || {
                let _ = catch_unwind(AssertUnwindSafe(|| other.call_once(|| panic!("poison"))));
                other.call_once_force(|_| ());
            });
            let waited = catch_unwind(AssertUnwindSafe(|| once.wait())).is_ok();
            log.lock().unwrap().insert(waited);
            thread.join().unwrap();
        });
        assert!(report.failure().is_none(), "{report}");
        seen.lock().unwrap().clone()
    });
    for seen in outcomes {
        assert_eq!(seen, BTreeSet::from([false, true]));
    }
}

#[test]
fn a_static_mutex_serves_two_checks_that_run_side_by_side() {
    static MUTEX: gordian::sync::Mutex<()> = gordian::sync::Mutex::new(());
    static RWLOCK: gordian::sync::RwLock<()> = gordian::sync::RwLock::new(());
    let check = || {
        for _ in 0..200 {
            let report = gordian::Checker::new().run(|| {
                let thread = gordian::thread::spawn(|| {
                    drop(MUTEX.lock().unwrap());
                    drop(RWLOCK.write().unwrap());
                });
                drop(MUTEX.lock().unwrap());
                drop(RWLOCK.read().unwrap());
                thread.join().unwrap();
            });
            assert!(report.failure().is_none(), "{report}");
        }
    };
    let others = [std::thread::spawn(check), std::thread::spawn(check)];
    check();
    for other in others {
        other.join().unwrap();
    }
}
