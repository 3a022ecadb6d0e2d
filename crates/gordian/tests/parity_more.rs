//! Every stable method of std's types is here too, and works inside and outside a check.
#![cfg(feature = "check")]
#![allow(
    unsafe_code,
    deprecated,
    clippy::declare_interior_mutable_const,
    clippy::borrow_interior_mutable_const
)]

use gordian::cell::{Cell, UnsafeCell};
use gordian::sync::{Arc, LazyLock, Once, OnceLock, OnceState, Weak};
use gordian::time::{Duration, Instant, SystemTime};
use gordian::{Checker, thread};
use std::cell::RefCell;
use std::mem::MaybeUninit;

/// The stable methods of Rust 1.95.
const INVENTORY: &[(&str, &[&str])] = &[
    ("Once", &["new", "call_once", "call_once_force", "is_completed", "wait", "wait_force"]),
    ("OnceState", &["is_poisoned"]),
    ("OnceLock", &["new", "get", "get_mut", "wait", "set", "get_or_init", "into_inner", "take"]),
    ("LazyLock", &["new", "force_mut", "force", "get_mut", "get"]),
    (
        "Arc",
        &[
            "new",
            "new_cyclic",
            "new_uninit",
            "new_zeroed",
            "pin",
            "try_unwrap",
            "into_inner",
            "new_uninit_slice",
            "new_zeroed_slice",
            "assume_init",
            "from_raw",
            "into_raw",
            "increment_strong_count",
            "decrement_strong_count",
            "as_ptr",
            "downgrade",
            "weak_count",
            "strong_count",
            "ptr_eq",
            "make_mut",
            "unwrap_or_clone",
            "get_mut",
            "downcast",
        ],
    ),
    ("Weak", &["new", "from_raw", "into_raw", "as_ptr", "upgrade", "strong_count", "weak_count", "ptr_eq"]),
    (
        "thread",
        &[
            "spawn",
            "scope",
            "current",
            "park",
            "park_timeout",
            "park_timeout_ms",
            "yield_now",
            "sleep",
            "sleep_ms",
            "panicking",
            "available_parallelism",
        ],
    ),
    ("Builder", &["new", "name", "stack_size", "spawn", "spawn_unchecked", "spawn_scoped"]),
    ("JoinHandle", &["thread", "join", "is_finished"]),
    ("Thread", &["unpark", "id", "name"]),
    ("Scope", &["spawn"]),
    ("ScopedJoinHandle", &["thread", "join", "is_finished"]),
    ("LocalKey", &["with", "try_with", "set", "get", "take", "replace", "with_borrow", "with_borrow_mut"]),
    ("UnsafeCell", &["new", "into_inner", "from_mut", "get", "get_mut", "raw_get"]),
    (
        "Cell",
        &[
            "new",
            "set",
            "swap",
            "replace",
            "into_inner",
            "get",
            "update",
            "as_ptr",
            "get_mut",
            "from_mut",
            "take",
            "as_slice_of_cells",
            "as_array_of_cells",
        ],
    ),
    (
        "Instant",
        &[
            "now",
            "duration_since",
            "checked_duration_since",
            "saturating_duration_since",
            "elapsed",
            "checked_add",
            "checked_sub",
        ],
    ),
    ("SystemTime", &["UNIX_EPOCH", "now", "duration_since", "elapsed", "checked_add", "checked_sub"]),
    ("SystemTimeError", &["duration"]),
    ("hint", &["spin_loop"]),
];

/// What cannot be: a cell that a check can follow has more in it than the value that std's lies over.
const IMPOSSIBLE: &[(&str, &str)] = &[
    ("UnsafeCell", "from_mut"),
    ("Cell", "from_mut"),
    ("Cell", "as_slice_of_cells"),
    ("Cell", "as_array_of_cells"),
];

type Row = (&'static str, &'static str, fn());

macro_rules! rows {
    ($($type:ident :: $method:ident => $body:block)*) => {
        const ROWS: &[Row] = &[$((stringify!($type), stringify!($method), || $body),)*];
    };
}

gordian::thread_local! {
    static KEY: std::cell::Cell<u32> = const { std::cell::Cell::new(1) };
    static CHECKED_KEY: Cell<u32> = Cell::new(1);
    /// Seen from outside.
    pub static LIST: RefCell<Vec<u32>> = RefCell::new(vec![1]);
}

rows! {
    Once::new => {
        const ONCE: Once = Once::new();
        assert!(!{ ONCE }.is_completed());
        assert!(!{ gordian::sync::ONCE_INIT }.is_completed());
    }
    Once::call_once => {
        let (once, mut n) = (Once::new(), 0);
        once.call_once(|| n += 1);
        once.call_once(|| n += 1);
        assert_eq!(n, 1);
    }
    Once::call_once_force => {
        let (once, mut n) = (Once::new(), 0);
        once.call_once_force(|_: &OnceState| n += 1);
        once.call_once_force(|_| n += 1);
        assert_eq!(n, 1);
    }
    Once::is_completed => {
        let once = Once::new();
        once.call_once(|| assert!(!once.is_completed()));
        assert!(once.is_completed());
    }
    Once::wait => {
        let once = Once::new();
        thread::scope(|s| {
            s.spawn(|| once.call_once(|| ()));
            once.wait();
        });
    }
    Once::wait_force => {
        let once = Once::new();
        thread::scope(|s| {
            s.spawn(|| once.call_once(|| ()));
            once.wait_force();
        });
    }
    OnceState::is_poisoned => {
        let once = Once::new();
        once.call_once_force(|state| assert!(!state.is_poisoned(), "{state:?}"));
    }
    OnceLock::new => {
        const EMPTY: OnceLock<u32> = OnceLock::new();
        assert!({ EMPTY }.get().is_none());
    }
    OnceLock::get => {
        let cell = OnceLock::new();
        assert_eq!(cell.get(), None);
        cell.set(1).unwrap();
        assert_eq!(cell.get(), Some(&1));
    }
    OnceLock::get_mut => {
        let mut cell = OnceLock::new();
        assert_eq!(cell.get_mut(), None);
        cell.set(1).unwrap();
        *cell.get_mut().unwrap() = 2;
        assert_eq!(cell.into_inner(), Some(2));
        assert_eq!(OnceLock::from(3).get_mut(), Some(&mut 3));
    }
    OnceLock::wait => {
        let cell = OnceLock::new();
        thread::scope(|s| {
            s.spawn(|| cell.set(1));
            assert_eq!(*cell.wait(), 1);
        });
    }
    OnceLock::set => {
        let cell = OnceLock::new();
        assert_eq!(cell.set(1), Ok(()));
        assert_eq!(cell.set(2), Err(2));
    }
    OnceLock::get_or_init => {
        let cell = OnceLock::new();
        assert_eq!(cell.get_or_init(|| 1), &1);
        assert_eq!(cell.get_or_init(|| 2), &1);
    }
    OnceLock::into_inner => {
        assert_eq!(OnceLock::<u32>::new().into_inner(), None);
        assert_eq!(OnceLock::from(1).into_inner(), Some(1));
    }
    OnceLock::take => {
        let mut cell = OnceLock::from(1);
        assert_eq!(cell.take(), Some(1));
        assert_eq!(cell.take(), None);
        assert_eq!(cell.set(2), Ok(()));
        assert_eq!(cell.take(), Some(2));
    }
    LazyLock::new => {
        const LAZY: LazyLock<u32> = LazyLock::new(|| 1);
        assert_eq!(*{ LAZY }, 1);
        let text = String::from("owned");
        assert_eq!(*LazyLock::new(move || text), "owned");
    }
    LazyLock::force_mut => {
        let mut lazy = LazyLock::new(|| 1);
        *LazyLock::force_mut(&mut lazy) += 1;
        *lazy += 1;
        assert_eq!(*lazy, 3);
    }
    LazyLock::force => {
        let lazy = LazyLock::new(|| 1);
        assert_eq!(LazyLock::force(&lazy), &1);
    }
    LazyLock::get_mut => {
        let mut lazy = LazyLock::new(|| 1);
        assert_eq!(LazyLock::get_mut(&mut lazy), None);
        LazyLock::force(&lazy);
        assert_eq!(LazyLock::get_mut(&mut lazy), Some(&mut 1));
    }
    LazyLock::get => {
        let lazy = LazyLock::new(|| 1);
        assert_eq!(LazyLock::get(&lazy), None);
        assert_eq!((*lazy, LazyLock::get(&lazy)), (1, Some(&1)));
    }
    Arc::new => {
        assert_eq!(*Arc::new(1), 1);
    }
    Arc::new_cyclic => {
        let arc = Arc::new_cyclic(|weak: &Weak<(u32, Weak<u32>)>| {
            assert!(weak.upgrade().is_none());
            (1, Weak::new())
        });
        assert_eq!((Arc::strong_count(&arc), Arc::weak_count(&arc)), (1, 0));
    }
    Arc::new_uninit => {
        let mut arc = Arc::<u32>::new_uninit();
        Arc::get_mut(&mut arc).unwrap().write(1);
        assert_eq!(*unsafe { arc.assume_init() }, 1);
    }
    Arc::new_zeroed => {
        assert_eq!(*unsafe { Arc::<u32>::new_zeroed().assume_init() }, 0);
    }
    Arc::pin => {
        assert_eq!(*Arc::pin(1), 1);
    }
    Arc::try_unwrap => {
        let arc = Arc::new(1);
        let other = arc.clone();
        let arc = Arc::try_unwrap(arc).unwrap_err();
        drop(other);
        assert_eq!(Arc::try_unwrap(arc), Ok(1));
    }
    Arc::into_inner => {
        let arc = Arc::new(1);
        let other = arc.clone();
        assert_eq!(Arc::into_inner(arc), None);
        assert_eq!(Arc::into_inner(other), Some(1));
    }
    Arc::new_uninit_slice => {
        let mut arc = Arc::<[u32]>::new_uninit_slice(2);
        Arc::get_mut(&mut arc).unwrap().fill(MaybeUninit::new(1));
        assert_eq!(*unsafe { arc.assume_init() }, [1, 1]);
    }
    Arc::new_zeroed_slice => {
        assert_eq!(*unsafe { Arc::<[u32]>::new_zeroed_slice(2).assume_init() }, [0, 0]);
    }
    Arc::assume_init => {
        assert_eq!(*unsafe { Arc::new(MaybeUninit::new(1)).assume_init() }, 1);
    }
    Arc::from_raw => {
        let arc = unsafe { Arc::<str>::from_raw(Arc::into_raw(Arc::from("text"))) };
        assert_eq!(&*arc, "text");
    }
    Arc::into_raw => {
        let raw = Arc::into_raw(Arc::new(1));
        assert_eq!(unsafe { *raw }, 1);
        drop(unsafe { Arc::from_raw(raw) });
    }
    Arc::increment_strong_count => {
        let raw = Arc::into_raw(Arc::new(1));
        unsafe { Arc::increment_strong_count(raw) };
        let arc = unsafe { Arc::from_raw(raw) };
        assert_eq!(Arc::strong_count(&arc), 2);
        drop(unsafe { Arc::from_raw(raw) });
    }
    Arc::decrement_strong_count => {
        let arc = Arc::new(1);
        let raw = Arc::into_raw(arc.clone());
        unsafe { Arc::decrement_strong_count(raw) };
        assert_eq!(Arc::strong_count(&arc), 1);
    }
    Arc::as_ptr => {
        let arc = Arc::new(1);
        assert!(std::ptr::eq(Arc::as_ptr(&arc), &*arc));
    }
    Arc::downgrade => {
        let arc = Arc::new(1);
        assert_eq!(*Arc::downgrade(&arc).upgrade().unwrap(), 1);
    }
    Arc::weak_count => {
        let arc = Arc::new(1);
        let _weak = Arc::downgrade(&arc);
        assert_eq!(Arc::weak_count(&arc), 1);
    }
    Arc::strong_count => {
        let arc = Arc::new(1);
        let _other = arc.clone();
        assert_eq!(Arc::strong_count(&arc), 2);
    }
    Arc::ptr_eq => {
        let arc = Arc::new(1);
        assert!(Arc::ptr_eq(&arc, &arc.clone()) && !Arc::ptr_eq(&arc, &Arc::new(1)));
    }
    Arc::make_mut => {
        let mut arc = Arc::new(1);
        *Arc::make_mut(&mut arc) += 1;
        let other = arc.clone();
        *Arc::make_mut(&mut arc) += 1;
        assert_eq!((*arc, *other), (3, 2));
        let weak = Arc::downgrade(&arc);
        *Arc::make_mut(&mut arc) += 1;
        assert!(*arc == 4 && weak.upgrade().is_none());
        let mut text: Arc<str> = Arc::from("a");
        let other = text.clone();
        Arc::make_mut(&mut text).make_ascii_uppercase();
        assert_eq!((&*text, &*other), ("A", "a"));
    }
    Arc::unwrap_or_clone => {
        let arc = Arc::new(String::from("text"));
        assert_eq!(Arc::unwrap_or_clone(arc.clone()), "text");
        assert_eq!(Arc::unwrap_or_clone(arc), "text");
    }
    Arc::get_mut => {
        let mut arc = Arc::new(1);
        *Arc::get_mut(&mut arc).unwrap() += 1;
        let _weak = Arc::downgrade(&arc);
        assert!(Arc::get_mut(&mut arc).is_none());
    }
    Arc::downcast => {
        let any: std::sync::Arc<dyn std::any::Any + Send + Sync> = std::sync::Arc::new(1_u32);
        let any = Arc::from_std(any).downcast::<String>().unwrap_err();
        assert_eq!(*any.downcast::<u32>().unwrap(), 1);
    }
    Weak::new => {
        const WEAK: Weak<u32> = Weak::new();
        assert!(WEAK.upgrade().is_none());
    }
    Weak::from_raw => {
        let arc = Arc::new(1);
        let weak = unsafe { Weak::from_raw(Arc::downgrade(&arc).into_raw()) };
        assert_eq!(*weak.upgrade().unwrap(), 1);
    }
    Weak::into_raw => {
        let arc = Arc::new(1);
        let raw = Arc::downgrade(&arc).into_raw();
        assert_eq!(Arc::weak_count(&arc), 1);
        drop(unsafe { Weak::from_raw(raw) });
        assert_eq!(Arc::weak_count(&arc), 0);
    }
    Weak::as_ptr => {
        let arc = Arc::new(1);
        assert_eq!(Arc::downgrade(&arc).as_ptr(), Arc::as_ptr(&arc));
    }
    Weak::upgrade => {
        let arc = Arc::new(1);
        let weak = Arc::downgrade(&arc);
        assert!(weak.upgrade().is_some());
        drop(arc);
        assert!(weak.upgrade().is_none());
    }
    Weak::strong_count => {
        let arc = Arc::new(1);
        let weak = Arc::downgrade(&arc);
        assert_eq!(weak.strong_count(), 1);
        drop(arc);
        assert_eq!((weak.strong_count(), Weak::<u32>::new().strong_count()), (0, 0));
    }
    Weak::weak_count => {
        let arc = Arc::new(1);
        let weak = Arc::downgrade(&arc);
        let other = weak.clone();
        assert_eq!(weak.weak_count(), 2);
        drop(arc);
        assert_eq!(other.weak_count(), 0);
    }
    Weak::ptr_eq => {
        let weak = Weak::<u32>::new();
        assert!(weak.ptr_eq(&weak.clone()));
    }
    thread::spawn => {
        assert_eq!(thread::spawn(|| 1).join().unwrap(), 1);
    }
    thread::scope => {
        let text = String::from("text");
        assert_eq!(thread::scope(|s| s.spawn(|| text.len()).join().unwrap()), 4);
    }
    thread::current => {
        assert_eq!(thread::current().id(), thread::current().id());
    }
    thread::park => {
        thread::current().unpark();
        thread::park();
    }
    thread::park_timeout => {
        thread::park_timeout(Duration::from_micros(1));
    }
    thread::park_timeout_ms => {
        thread::park_timeout_ms(1);
    }
    thread::yield_now => {
        thread::yield_now();
    }
    thread::sleep => {
        thread::sleep(Duration::from_micros(1));
    }
    thread::sleep_ms => {
        thread::sleep_ms(1);
    }
    thread::panicking => {
        assert!(!thread::panicking());
    }
    thread::available_parallelism => {
        assert!(thread::available_parallelism().unwrap().get() > 0);
    }
    Builder::new => {
        thread::Builder::new().spawn(|| ()).unwrap().join().unwrap();
    }
    Builder::name => {
        let thread = thread::Builder::new().name("named".to_owned());
        let thread = thread.spawn(|| thread::current().name().map(str::to_owned)).unwrap();
        assert_eq!(thread.thread().name(), Some("named"));
        assert_eq!(thread.join().unwrap().as_deref(), Some("named"));
    }
    Builder::stack_size => {
        thread::Builder::new().stack_size(1 << 20).spawn(|| ()).unwrap().join().unwrap();
    }
    Builder::spawn => {
        assert_eq!(thread::Builder::new().spawn(|| 1).unwrap().join().unwrap(), 1);
    }
    Builder::spawn_unchecked => {
        let text = String::from("text");
        let thread = unsafe { thread::Builder::new().spawn_unchecked(|| text.len()) }.unwrap();
        assert_eq!(thread.join().unwrap(), 4);
    }
    Builder::spawn_scoped => {
        let text = String::from("text");
        thread::scope(|s| {
            let thread = thread::Builder::new().spawn_scoped(s, || text.len()).unwrap();
            assert_eq!(thread.join().unwrap(), 4);
        });
    }
    JoinHandle::thread => {
        let thread = thread::spawn(|| thread::current().id());
        let id = thread.thread().id();
        assert_eq!(thread.join().unwrap(), id);
    }
    JoinHandle::join => {
        let caught = thread::spawn(|| std::panic::resume_unwind(Box::new(7))).join();
        assert_eq!(*caught.unwrap_err().downcast::<i32>().unwrap(), 7);
    }
    JoinHandle::is_finished => {
        let thread = thread::spawn(|| ());
        while !thread.is_finished() {
            thread::yield_now();
        }
        thread.join().unwrap();
    }
    Thread::unpark => {
        let thread = thread::spawn(thread::park);
        thread.thread().unpark();
        thread.join().unwrap();
    }
    Thread::id => {
        let other = thread::spawn(|| thread::current().id()).join().unwrap();
        assert_ne!(thread::current().id(), other);
        assert!(format!("{other:?}").starts_with("ThreadId("));
    }
    Thread::name => {
        assert!(thread::current().name().is_some());
        assert_eq!(thread::spawn(|| thread::current().name().map(str::to_owned)).join().unwrap(), None);
    }
    Scope::spawn => {
        let mut n = 0;
        thread::scope(|s| {
            s.spawn(|| s.spawn(|| n = 1).join().unwrap()).join().unwrap();
        });
        assert_eq!(n, 1);
    }
    ScopedJoinHandle::thread => {
        thread::scope(|s| {
            let thread = s.spawn(|| thread::current().id());
            let id = thread.thread().id();
            assert_eq!(thread.join().unwrap(), id);
        });
    }
    ScopedJoinHandle::join => {
        thread::scope(|s| assert!(s.spawn(|| std::panic::resume_unwind(Box::new(7))).join().is_err()));
    }
    ScopedJoinHandle::is_finished => {
        thread::scope(|s| {
            let thread = s.spawn(|| ());
            while !thread.is_finished() {
                thread::yield_now();
            }
        });
    }
    LocalKey::with => {
        assert_eq!(KEY.with(|key| key.replace(1)), 1);
    }
    LocalKey::try_with => {
        assert_eq!(LIST.try_with(|list| list.borrow().len()), Ok(1));
    }
    LocalKey::set => {
        thread::spawn(|| {
            KEY.set(2);
            CHECKED_KEY.set(3);
            LIST.set(vec![]);
            assert_eq!((KEY.get(), CHECKED_KEY.get(), LIST.take().len()), (2, 3, 0));
        })
        .join()
        .unwrap();
    }
    LocalKey::get => {
        assert_eq!((KEY.get(), CHECKED_KEY.get()), (1, 1));
    }
    LocalKey::take => {
        let taken = thread::spawn(|| (KEY.take(), CHECKED_KEY.take(), LIST.take())).join().unwrap();
        assert_eq!(taken, (1, 1, vec![1]));
    }
    LocalKey::replace => {
        let old = thread::spawn(|| (KEY.replace(2), CHECKED_KEY.replace(2), LIST.replace(vec![]))).join().unwrap();
        assert_eq!(old, (1, 1, vec![1]));
    }
    LocalKey::with_borrow => {
        assert_eq!(LIST.with_borrow(Vec::len), 1);
    }
    LocalKey::with_borrow_mut => {
        thread::spawn(|| {
            LIST.with_borrow_mut(|list| list.push(2));
            assert_eq!(LIST.take(), [1, 2]);
        })
        .join()
        .unwrap();
    }
    UnsafeCell::new => {
        const CELL: UnsafeCell<u32> = UnsafeCell::new(1);
        assert_eq!(CELL.into_inner(), 1);
    }
    UnsafeCell::into_inner => {
        assert_eq!(UnsafeCell::from(1).into_inner(), 1);
    }
    UnsafeCell::get => {
        let cell = UnsafeCell::new(1);
        unsafe { *cell.get() += 1 };
        assert_eq!(cell.into_inner(), 2);
    }
    UnsafeCell::get_mut => {
        let mut cell = UnsafeCell::new(1);
        *cell.get_mut() += 1;
        assert_eq!(cell.with(|p| unsafe { *p }), 2);
    }
    UnsafeCell::raw_get => {
        let cell = UnsafeCell::new(1);
        assert_eq!(UnsafeCell::raw_get(&raw const cell), cell.get());
    }
    Cell::new => {
        const CELL: Cell<u32> = Cell::new(1);
        assert_eq!(CELL.get(), 1);
    }
    Cell::set => {
        let cell = Cell::new(1);
        cell.set(2);
        assert_eq!(cell, Cell::new(2));
    }
    Cell::swap => {
        let (a, b) = (Cell::new(1), Cell::new(2));
        a.swap(&b);
        assert!(a > b);
    }
    Cell::replace => {
        assert_eq!(Cell::new(1).replace(2), 1);
    }
    Cell::into_inner => {
        assert_eq!(Cell::from(1).into_inner(), 1);
    }
    Cell::get => {
        assert_eq!(Cell::new(1).clone().get(), 1);
    }
    Cell::update => {
        let cell = Cell::new(1);
        cell.update(|n| n + 1);
        assert_eq!(format!("{cell:?}"), "Cell { value: 2 }");
    }
    Cell::as_ptr => {
        assert_eq!(unsafe { *Cell::new(1).as_ptr() }, 1);
    }
    Cell::get_mut => {
        let mut cell = Cell::new(1);
        *cell.get_mut() += 1;
        assert_eq!(cell.get(), 2);
    }
    Cell::take => {
        assert_eq!(Cell::new(1).take(), 1);
    }
    Instant::now => {
        assert!(Instant::now() <= Instant::now());
    }
    Instant::duration_since => {
        let start = Instant::now();
        assert_eq!((start + Duration::from_secs(1)).duration_since(start), Duration::from_secs(1));
        assert_eq!(start - (start + Duration::from_secs(1)), Duration::ZERO);
    }
    Instant::checked_duration_since => {
        let start = Instant::now();
        assert_eq!(start.checked_duration_since(start + Duration::from_secs(1)), None);
    }
    Instant::saturating_duration_since => {
        let start = Instant::now();
        assert_eq!(start.saturating_duration_since(start + Duration::from_secs(1)), Duration::ZERO);
    }
    Instant::elapsed => {
        assert!(Instant::now().elapsed() < Duration::from_secs(60));
    }
    Instant::checked_add => {
        assert_eq!(Instant::now().checked_add(Duration::MAX), None);
    }
    Instant::checked_sub => {
        assert_eq!(Instant::now().checked_sub(Duration::MAX), None);
        let mut now = Instant::now();
        now += Duration::from_secs(1);
        now -= Duration::from_secs(1);
        assert!(now.checked_sub(Duration::ZERO).is_some());
    }
    SystemTime::UNIX_EPOCH => {
        assert_eq!(SystemTime::UNIX_EPOCH, gordian::time::UNIX_EPOCH);
    }
    SystemTime::now => {
        assert!(SystemTime::now() > SystemTime::UNIX_EPOCH);
        assert_eq!(SystemTime::from(std::time::SystemTime::from(SystemTime::UNIX_EPOCH)), SystemTime::UNIX_EPOCH);
    }
    SystemTime::duration_since => {
        assert!(SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).is_ok());
    }
    SystemTime::elapsed => {
        assert!((SystemTime::now() - Duration::from_secs(1)).elapsed().unwrap() >= Duration::from_secs(1));
    }
    SystemTime::checked_add => {
        assert_eq!(SystemTime::now().checked_add(Duration::MAX), None);
    }
    SystemTime::checked_sub => {
        assert_eq!(SystemTime::now().checked_sub(Duration::MAX), None);
    }
    SystemTimeError::duration => {
        let now = SystemTime::now();
        let error = now.duration_since(now + Duration::from_secs(5)).unwrap_err();
        assert_eq!(error.duration(), Duration::from_secs(5));
    }
    hint::spin_loop => {
        gordian::hint::spin_loop();
    }
}

#[test]
fn every_stable_method_has_a_row() {
    let missing: Vec<_> = INVENTORY
        .iter()
        .flat_map(|(kind, methods)| methods.iter().map(move |method| (*kind, *method)))
        .filter(|row| !IMPOSSIBLE.contains(row) && !ROWS.iter().any(|r| (r.0, r.1) == *row))
        .collect();
    assert_eq!(missing, []);
    assert_eq!(ROWS.len() + IMPOSSIBLE.len(), INVENTORY.iter().map(|t| t.1.len()).sum::<usize>());
}

#[test]
fn every_row_works_outside_a_check() {
    for (_, _, row) in ROWS {
        row();
    }
}

#[test]
fn every_row_works_inside_a_check() {
    let mut wrong = Vec::new();
    for (kind, method, row) in ROWS {
        let report = Checker::new().executions(10_000).run(move || {
            thread::yield_now();
            row();
        });
        if let Some(failure) = report.failure() {
            wrong.push(format!("{kind}::{method}: {failure}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
