//! `gordian::sync` has every stable method and trait of `std::sync` (Rust 1.95), with std's signatures.
//!
//! The table below is compiled twice, once with `std` and once with `gordian` in place of `$root`, so a signature that differs does
//! not compile. Its rows run with std, with gordian outside a check, and with gordian inside one. `STABLE` is the list of what there
//! has to be; a row that is missing, or one too many, fails. `Once` and `Arc` and what belongs to them have a table of their own.
#![allow(deprecated)]

use gordian::Checker;
use std::collections::BTreeSet;

/// The stable methods. `-name` is one that cannot be mirrored; the reasons are below.
const STABLE: &[(&str, &str)] = &[
    (
        "AtomicBool",
        "new -from_ptr get_mut into_inner load store swap compare_and_swap compare_exchange compare_exchange_weak \
         fetch_and fetch_nand fetch_or fetch_xor fetch_not as_ptr fetch_update try_update update",
    ),
    (
        "AtomicPtr",
        "new -from_ptr get_mut into_inner load store swap compare_and_swap compare_exchange compare_exchange_weak \
         fetch_update try_update update fetch_ptr_add fetch_ptr_sub fetch_byte_add fetch_byte_sub fetch_or fetch_and \
         fetch_xor as_ptr",
    ),
    ("AtomicU8", INTEGER),
    ("AtomicU16", INTEGER),
    ("AtomicU32", INTEGER),
    ("AtomicU64", INTEGER),
    ("AtomicUsize", INTEGER),
    ("AtomicI8", INTEGER),
    ("AtomicI16", INTEGER),
    ("AtomicI32", INTEGER),
    ("AtomicI64", INTEGER),
    ("AtomicIsize", INTEGER),
    (
        "atomic",
        "fence compiler_fence spin_loop_hint ATOMIC_BOOL_INIT ATOMIC_USIZE_INIT ATOMIC_ISIZE_INIT Ordering",
    ),
    ("Mutex", "new lock try_lock is_poisoned clear_poison into_inner get_mut"),
    ("RwLock", "new read try_read write try_write is_poisoned clear_poison into_inner get_mut"),
    ("RwLockWriteGuard", "downgrade"),
    ("Condvar", "new wait wait_while wait_timeout_ms wait_timeout wait_timeout_while notify_one notify_all"),
    ("WaitTimeoutResult", "timed_out"),
    ("Barrier", "new wait"),
    ("BarrierWaitResult", "is_leader"),
    ("PoisonError", "new into_inner get_ref get_mut"),
    ("mpsc", "channel sync_channel"),
    ("Sender", "send"),
    ("SyncSender", "send try_send"),
    ("Receiver", "try_recv recv recv_timeout iter try_iter"),
];

// `from_ptr` makes a reference to an atomic out of a pointer to a plain value; a mirrored atomic also holds its identity and is
// therefore larger than the value, so there is no such reference. (`into_inner` of the atomics is there, but is no `const fn`: in a
// check the value is in the model.)
const INTEGER: &str = "new -from_ptr get_mut into_inner load store swap compare_and_swap compare_exchange \
    compare_exchange_weak fetch_add fetch_sub fetch_and fetch_nand fetch_or fetch_xor fetch_update try_update update \
    fetch_max fetch_min as_ptr";

type Row = (&'static str, &'static str, fn());

struct Has;

trait NotSend<A> {
    fn is() {}
}
impl<T: ?Sized> NotSend<()> for T {}
impl<T: ?Sized + Send> NotSend<Has> for T {}

trait NotSync<A> {
    fn is() {}
}
impl<T: ?Sized> NotSync<()> for T {}
impl<T: ?Sized + Sync> NotSync<Has> for T {}

macro_rules! table {
    ($module:ident, $root:ident) => {
        mod $module {
            use super::{NotSend, NotSync, Row};
            use std::fmt::Debug;
            use std::panic::{RefUnwindSafe, UnwindSafe};
            use std::time::Duration;
            use $root::sync::atomic::*;
            use $root::sync::mpsc::{self, *};
            use $root::sync::*;
            use Ordering::{AcqRel, Acquire, Relaxed, Release, SeqCst};

            const POISONED: &str = "poisoned lock: another task failed inside";
            const LONG: Duration = Duration::from_secs(3600);
            const SHORT: Duration = Duration::from_millis(1);

            /// Poisons by a panic that is caught where it is raised.
            fn panicking(f: impl FnOnce() + UnwindSafe) {
                assert!(std::panic::catch_unwind(f).is_err());
            }

            /// Runs something in another thread to its end.
            fn elsewhere<R: Send + 'static>(f: impl FnOnce() -> R + Send + 'static) -> R {
                $root::thread::spawn(f).join().unwrap()
            }

            pub fn rows() -> Vec<Row> {
                let mut rows: Vec<Row> = vec![
                    ("AtomicBool", "new", || {
                        static FLAG: AtomicBool = AtomicBool::new(true);
                        assert!(FLAG.load(SeqCst));
                    }),
                    ("AtomicBool", "get_mut", || {
                        let f: for<'a> fn(&'a mut AtomicBool) -> &'a mut bool = AtomicBool::get_mut;
                        let mut flag = AtomicBool::new(false);
                        flag.store(true, SeqCst);
                        assert!(*f(&mut flag));
                        *flag.get_mut() = false;
                        assert!(!flag.load(SeqCst));
                    }),
                    ("AtomicBool", "into_inner", || {
                        let f: fn(AtomicBool) -> bool = AtomicBool::into_inner;
                        let flag = AtomicBool::new(false);
                        flag.store(true, SeqCst);
                        assert!(f(flag));
                    }),
                    ("AtomicBool", "load", || {
                        let f: fn(&AtomicBool, Ordering) -> bool = AtomicBool::load;
                        assert!(f(&AtomicBool::new(true), Acquire));
                    }),
                    ("AtomicBool", "store", || {
                        let f: fn(&AtomicBool, bool, Ordering) = AtomicBool::store;
                        let flag = AtomicBool::new(false);
                        f(&flag, true, Release);
                        assert!(flag.load(Relaxed));
                    }),
                    ("AtomicBool", "swap", || {
                        let f: fn(&AtomicBool, bool, Ordering) -> bool = AtomicBool::swap;
                        let flag = AtomicBool::new(false);
                        assert_eq!((f(&flag, true, AcqRel), flag.load(SeqCst)), (false, true));
                    }),
                    ("AtomicBool", "compare_and_swap", || {
                        let f: fn(&AtomicBool, bool, bool, Ordering) -> bool = AtomicBool::compare_and_swap;
                        let flag = AtomicBool::new(false);
                        assert_eq!([f(&flag, true, false, Release), f(&flag, false, true, AcqRel)], [false; 2]);
                        assert!(flag.load(SeqCst));
                    }),
                    ("AtomicBool", "compare_exchange", || {
                        let f: fn(&AtomicBool, bool, bool, Ordering, Ordering) -> Result<bool, bool> =
                            AtomicBool::compare_exchange;
                        let flag = AtomicBool::new(false);
                        assert_eq!(f(&flag, true, false, AcqRel, Acquire), Err(false));
                        assert_eq!(f(&flag, false, true, Relaxed, SeqCst), Ok(false));
                        assert!(flag.load(SeqCst));
                    }),
                    ("AtomicBool", "compare_exchange_weak", || {
                        let f: fn(&AtomicBool, bool, bool, Ordering, Ordering) -> Result<bool, bool> =
                            AtomicBool::compare_exchange_weak;
                        let flag = AtomicBool::new(false);
                        assert_eq!(f(&flag, true, false, AcqRel, Acquire), Err(false));
                        while f(&flag, false, true, SeqCst, Relaxed).is_err() {}
                        assert!(flag.load(SeqCst));
                    }),
                    ("AtomicBool", "fetch_and", || bool_table(AtomicBool::fetch_and, |a, b| a & b)),
                    ("AtomicBool", "fetch_nand", || bool_table(AtomicBool::fetch_nand, |a, b| !(a & b))),
                    ("AtomicBool", "fetch_or", || bool_table(AtomicBool::fetch_or, |a, b| a | b)),
                    ("AtomicBool", "fetch_xor", || bool_table(AtomicBool::fetch_xor, |a, b| a ^ b)),
                    ("AtomicBool", "fetch_not", || bool_table(|flag, _, o| flag.fetch_not(o), |a, _| !a)),
                    ("AtomicBool", "as_ptr", || {
                        const fn pointer(flag: &AtomicBool) -> *mut bool {
                            flag.as_ptr()
                        }
                        assert!(!pointer(&AtomicBool::new(true)).is_null());
                    }),
                    ("AtomicBool", "fetch_update", || {
                        let flag = AtomicBool::new(false);
                        assert_eq!(flag.fetch_update(SeqCst, SeqCst, |v| Some(!v)), Ok(false));
                        assert_eq!(flag.fetch_update(SeqCst, SeqCst, |_| None), Err(true));
                    }),
                    ("AtomicBool", "try_update", || {
                        let flag = AtomicBool::new(false);
                        assert_eq!(flag.try_update(SeqCst, SeqCst, |v| Some(!v)), Ok(false));
                        assert_eq!(flag.try_update(SeqCst, SeqCst, |_| None), Err(true));
                    }),
                    ("AtomicBool", "update", || {
                        let flag = AtomicBool::new(false);
                        assert!(!flag.update(AcqRel, Acquire, |v| !v) && flag.load(SeqCst));
                    }),
                    ("AtomicPtr", "new", || {
                        static POINTER: AtomicPtr<u8> = AtomicPtr::new(std::ptr::null_mut());
                        assert!(POINTER.load(SeqCst).is_null());
                    }),
                    ("AtomicPtr", "get_mut", || {
                        let mut values = [1u32, 2];
                        let first = values.as_mut_ptr();
                        let mut pointer = AtomicPtr::new(std::ptr::null_mut());
                        pointer.store(first, SeqCst);
                        let inner: &mut *mut u32 = pointer.get_mut();
                        assert_eq!(*inner, first);
                        *inner = first.wrapping_add(1);
                        assert_eq!(pointer.load(SeqCst), first.wrapping_add(1));
                    }),
                    ("AtomicPtr", "into_inner", || {
                        let f: fn(AtomicPtr<u8>) -> *mut u8 = AtomicPtr::into_inner;
                        let mut value = 1;
                        let pointer = AtomicPtr::default();
                        pointer.store(&raw mut value, SeqCst);
                        assert_eq!(f(pointer), &raw mut value);
                    }),
                    ("AtomicPtr", "load", || {
                        let f: fn(&AtomicPtr<u8>, Ordering) -> *mut u8 = AtomicPtr::load;
                        let mut value = 1;
                        assert_eq!(f(&AtomicPtr::new(&raw mut value), SeqCst), &raw mut value);
                    }),
                    ("AtomicPtr", "store", || {
                        let f: fn(&AtomicPtr<u8>, *mut u8, Ordering) = AtomicPtr::store;
                        let pointer = AtomicPtr::default();
                        let mut value = 1;
                        f(&pointer, &raw mut value, SeqCst);
                        assert_eq!(pointer.load(SeqCst), &raw mut value);
                    }),
                    ("AtomicPtr", "swap", || {
                        let f: fn(&AtomicPtr<u8>, *mut u8, Ordering) -> *mut u8 = AtomicPtr::swap;
                        let mut values = [1, 2];
                        let first = values.as_mut_ptr();
                        let pointer = AtomicPtr::new(first);
                        assert_eq!(f(&pointer, first.wrapping_add(1), SeqCst), first);
                        assert_eq!(pointer.load(SeqCst), first.wrapping_add(1));
                    }),
                    ("AtomicPtr", "compare_and_swap", || {
                        let f: fn(&AtomicPtr<u8>, *mut u8, *mut u8, Ordering) -> *mut u8 = AtomicPtr::compare_and_swap;
                        let mut value = 1;
                        let pointer = AtomicPtr::default();
                        assert!(f(&pointer, std::ptr::null_mut(), &raw mut value, SeqCst).is_null());
                        assert_eq!(pointer.load(SeqCst), &raw mut value);
                    }),
                    ("AtomicPtr", "compare_exchange", || {
                        type Exchange = fn(&AtomicPtr<u8>, *mut u8, *mut u8, Ordering, Ordering) -> Result<*mut u8, *mut u8>;
                        let f: Exchange = AtomicPtr::compare_exchange;
                        let mut value = 1;
                        let (null, there) = (std::ptr::null_mut(), &raw mut value);
                        let pointer = AtomicPtr::default();
                        assert_eq!(f(&pointer, there, null, SeqCst, SeqCst), Err(null));
                        assert_eq!(f(&pointer, null, there, SeqCst, SeqCst), Ok(null));
                        assert_eq!(pointer.load(SeqCst), there);
                    }),
                    ("AtomicPtr", "compare_exchange_weak", || {
                        type Exchange = fn(&AtomicPtr<u8>, *mut u8, *mut u8, Ordering, Ordering) -> Result<*mut u8, *mut u8>;
                        let f: Exchange = AtomicPtr::compare_exchange_weak;
                        let mut value = 1;
                        let (null, there) = (std::ptr::null_mut(), &raw mut value);
                        let pointer = AtomicPtr::default();
                        assert_eq!(f(&pointer, there, null, SeqCst, SeqCst), Err(null));
                        while f(&pointer, null, there, SeqCst, SeqCst).is_err() {}
                        assert_eq!(pointer.load(SeqCst), there);
                    }),
                    ("AtomicPtr", "fetch_update", || {
                        let pointer = AtomicPtr::new(std::ptr::null_mut::<u8>());
                        assert!(pointer.fetch_update(SeqCst, SeqCst, |p| Some(p.wrapping_add(1))).unwrap().is_null());
                        assert_eq!(pointer.fetch_update(SeqCst, SeqCst, |_| None).unwrap_err().addr(), 1);
                    }),
                    ("AtomicPtr", "try_update", || {
                        let pointer = AtomicPtr::new(std::ptr::null_mut::<u8>());
                        assert!(pointer.try_update(SeqCst, SeqCst, |p| Some(p.wrapping_add(1))).unwrap().is_null());
                        assert_eq!(pointer.try_update(SeqCst, SeqCst, |_| None).unwrap_err().addr(), 1);
                    }),
                    ("AtomicPtr", "update", || {
                        let pointer = AtomicPtr::new(std::ptr::null_mut::<u8>());
                        assert!(pointer.update(SeqCst, SeqCst, |p| p.wrapping_add(3)).is_null());
                        assert_eq!(pointer.load(SeqCst).addr(), 3);
                    }),
                    ("AtomicPtr", "fetch_ptr_add", || pointer_table(AtomicPtr::fetch_ptr_add, 2, 8 + 16)),
                    ("AtomicPtr", "fetch_ptr_sub", || pointer_table(AtomicPtr::fetch_ptr_sub, 1, 0)),
                    ("AtomicPtr", "fetch_byte_add", || pointer_table(AtomicPtr::fetch_byte_add, 2, 10)),
                    ("AtomicPtr", "fetch_byte_sub", || pointer_table(AtomicPtr::fetch_byte_sub, 2, 6)),
                    ("AtomicPtr", "fetch_or", || pointer_table(AtomicPtr::fetch_or, 3, 11)),
                    ("AtomicPtr", "fetch_and", || pointer_table(AtomicPtr::fetch_and, !8, 0)),
                    ("AtomicPtr", "fetch_xor", || pointer_table(AtomicPtr::fetch_xor, 9, 1)),
                    ("AtomicPtr", "as_ptr", || {
                        const fn pointer(atomic: &AtomicPtr<u8>) -> *mut *mut u8 {
                            atomic.as_ptr()
                        }
                        assert!(!pointer(&AtomicPtr::default()).is_null());
                    }),
                    ("atomic", "fence", || fence(SeqCst)),
                    ("atomic", "compiler_fence", || compiler_fence(SeqCst)),
                    ("atomic", "spin_loop_hint", || spin_loop_hint()),
                    ("atomic", "ATOMIC_BOOL_INIT", || {
                        static FLAG: AtomicBool = ATOMIC_BOOL_INIT;
                        assert!(!FLAG.load(SeqCst));
                    }),
                    ("atomic", "ATOMIC_USIZE_INIT", || {
                        static COUNT: AtomicUsize = ATOMIC_USIZE_INIT;
                        assert_eq!(COUNT.load(SeqCst), 0);
                    }),
                    ("atomic", "ATOMIC_ISIZE_INIT", || {
                        static COUNT: AtomicIsize = ATOMIC_ISIZE_INIT;
                        assert_eq!(COUNT.load(SeqCst), 0);
                    }),
                    ("atomic", "Ordering", || {
                        let _: std::sync::atomic::Ordering = Ordering::Relaxed;
                    }),
                    ("Mutex", "new", || {
                        static MUTEX: Mutex<u8> = Mutex::new(1);
                        assert_eq!(*MUTEX.lock().unwrap(), 1);
                    }),
                    ("Mutex", "lock", || {
                        let f: for<'a> fn(&'a Mutex<u8>) -> LockResult<MutexGuard<'a, u8>> = Mutex::lock;
                        let mutex = Mutex::new(1);
                        *f(&mutex).unwrap() += 1;
                        assert_eq!(*mutex.lock().unwrap(), 2);
                    }),
                    ("Mutex", "try_lock", || {
                        let f: for<'a> fn(&'a Mutex<u8>) -> TryLockResult<MutexGuard<'a, u8>> = Mutex::try_lock;
                        let mutex = Mutex::new(1);
                        let guard = f(&mutex).unwrap();
                        assert!(matches!(f(&mutex), Err(TryLockError::WouldBlock)));
                        drop(guard);
                        panicking(|| {
                            let _guard = mutex.lock();
                            panic!();
                        });
                        assert!(matches!(f(&mutex), Err(TryLockError::Poisoned(_))));
                    }),
                    ("Mutex", "is_poisoned", || {
                        let mutex = Mutex::new(1);
                        assert!(!mutex.is_poisoned());
                        panicking(|| {
                            let _guard = mutex.lock();
                            panic!();
                        });
                        assert!(mutex.is_poisoned() && mutex.lock().is_err());
                    }),
                    ("Mutex", "clear_poison", || {
                        let mutex = Mutex::new(1);
                        panicking(|| {
                            let _guard = mutex.lock();
                            panic!();
                        });
                        mutex.clear_poison();
                        assert!(!mutex.is_poisoned() && mutex.lock().is_ok());
                    }),
                    ("Mutex", "into_inner", || {
                        let f: fn(Mutex<u8>) -> LockResult<u8> = Mutex::into_inner;
                        assert_eq!(f(Mutex::new(3)).unwrap(), 3);
                        let mutex = Mutex::new(4);
                        panicking(|| {
                            let _guard = mutex.lock();
                            panic!();
                        });
                        assert_eq!(f(mutex).unwrap_err().into_inner(), 4);
                    }),
                    ("Mutex", "get_mut", || {
                        let f: for<'a> fn(&'a mut Mutex<u8>) -> LockResult<&'a mut u8> = Mutex::get_mut;
                        let mut mutex = Mutex::new(3);
                        *f(&mut mutex).unwrap() = 4;
                        assert_eq!(*mutex.lock().unwrap(), 4);
                    }),
                    ("RwLock", "new", || {
                        static LOCK: RwLock<u8> = RwLock::new(1);
                        assert_eq!(*LOCK.read().unwrap(), 1);
                    }),
                    ("RwLock", "read", || {
                        let f: for<'a> fn(&'a RwLock<u8>) -> LockResult<RwLockReadGuard<'a, u8>> = RwLock::read;
                        let lock = RwLock::new(1);
                        let (a, b) = (f(&lock).unwrap(), f(&lock).unwrap());
                        assert_eq!(*a, *b);
                    }),
                    ("RwLock", "try_read", || {
                        let f: for<'a> fn(&'a RwLock<u8>) -> TryLockResult<RwLockReadGuard<'a, u8>> = RwLock::try_read;
                        let lock = RwLock::new(1);
                        let guard = lock.write().unwrap();
                        assert!(matches!(f(&lock), Err(TryLockError::WouldBlock)));
                        drop(guard);
                        assert_eq!(*f(&lock).unwrap(), 1);
                        panicking(|| {
                            let _guard = lock.write();
                            panic!();
                        });
                        assert!(matches!(f(&lock), Err(TryLockError::Poisoned(_))));
                    }),
                    ("RwLock", "write", || {
                        let f: for<'a> fn(&'a RwLock<u8>) -> LockResult<RwLockWriteGuard<'a, u8>> = RwLock::write;
                        let lock = RwLock::new(1);
                        *f(&lock).unwrap() = 2;
                        assert_eq!(*lock.read().unwrap(), 2);
                    }),
                    ("RwLock", "try_write", || {
                        let f: for<'a> fn(&'a RwLock<u8>) -> TryLockResult<RwLockWriteGuard<'a, u8>> = RwLock::try_write;
                        let lock = RwLock::new(1);
                        let guard = lock.read().unwrap();
                        assert!(matches!(f(&lock), Err(TryLockError::WouldBlock)));
                        drop(guard);
                        *f(&lock).unwrap() = 2;
                        assert_eq!(*lock.read().unwrap(), 2);
                    }),
                    ("RwLock", "is_poisoned", || {
                        let lock = RwLock::new(1);
                        panicking(|| {
                            let _guard = lock.read();
                            panic!();
                        });
                        assert!(!lock.is_poisoned());
                        panicking(|| {
                            let _guard = lock.write();
                            panic!();
                        });
                        assert!(lock.is_poisoned() && lock.read().is_err() && lock.write().is_err());
                    }),
                    ("RwLock", "clear_poison", || {
                        let lock = RwLock::new(1);
                        panicking(|| {
                            let _guard = lock.write();
                            panic!();
                        });
                        lock.clear_poison();
                        assert!(!lock.is_poisoned() && lock.read().is_ok());
                    }),
                    ("RwLock", "into_inner", || {
                        let f: fn(RwLock<u8>) -> LockResult<u8> = RwLock::into_inner;
                        assert_eq!(f(RwLock::new(3)).unwrap(), 3);
                        let lock = RwLock::new(4);
                        panicking(|| {
                            let _guard = lock.write();
                            panic!();
                        });
                        assert_eq!(f(lock).unwrap_err().into_inner(), 4);
                    }),
                    ("RwLock", "get_mut", || {
                        let f: for<'a> fn(&'a mut RwLock<u8>) -> LockResult<&'a mut u8> = RwLock::get_mut;
                        let mut lock = RwLock::new(3);
                        *f(&mut lock).unwrap() = 4;
                        assert_eq!(*lock.read().unwrap(), 4);
                    }),
                    ("RwLockWriteGuard", "downgrade", || {
                        fn f<'a>(guard: RwLockWriteGuard<'a, u8>) -> RwLockReadGuard<'a, u8> {
                            RwLockWriteGuard::downgrade(guard)
                        }
                        let lock = RwLock::new(3);
                        let guard = f(lock.write().unwrap());
                        assert_eq!((*guard, *lock.read().unwrap()), (3, 3));
                        assert!(lock.try_write().is_err());
                        drop(guard);
                        assert!(lock.try_write().is_ok());
                    }),
                    ("Condvar", "new", || {
                        static CONDVAR: Condvar = Condvar::new();
                        CONDVAR.notify_one();
                    }),
                    ("Condvar", "wait", || {
                        type Wait = for<'a> fn(&Condvar, MutexGuard<'a, bool>) -> LockResult<MutexGuard<'a, bool>>;
                        waiting(|pair| {
                            let f: Wait = Condvar::wait;
                            let mut ready = pair.0.lock().unwrap();
                            while !*ready {
                                ready = f(&pair.1, ready).unwrap();
                            }
                        });
                    }),
                    ("Condvar", "wait_while", || {
                        waiting(|pair| {
                            let guard = pair.0.lock().unwrap();
                            let guard: MutexGuard<'_, bool> = pair.1.wait_while(guard, |ready| !*ready).unwrap();
                            assert!(*guard);
                        });
                    }),
                    ("Condvar", "wait_timeout_ms", || {
                        let pair = (Mutex::new(()), Condvar::new());
                        let (_guard, notified): (_, bool) = pair.1.wait_timeout_ms(pair.0.lock().unwrap(), 1).unwrap();
                        assert!(!notified);
                    }),
                    ("Condvar", "wait_timeout", || {
                        let pair = (Mutex::new(()), Condvar::new());
                        let (_guard, result): (MutexGuard<'_, ()>, WaitTimeoutResult) =
                            pair.1.wait_timeout(pair.0.lock().unwrap(), SHORT).unwrap();
                        assert!(result.timed_out());
                    }),
                    ("Condvar", "wait_timeout_while", || {
                        let pair = (Mutex::new(0), Condvar::new());
                        let guard = pair.0.lock().unwrap();
                        let (guard, result) = pair.1.wait_timeout_while(guard, SHORT, |_| true).unwrap();
                        assert!(result.timed_out());
                        let (_guard, result): (_, WaitTimeoutResult) =
                            pair.1.wait_timeout_while(guard, LONG, |n: &mut i32| *n != 0).unwrap();
                        assert!(!result.timed_out());
                    }),
                    ("Condvar", "notify_one", || waiting(|pair| drop(pair.1.wait_while(pair.0.lock().unwrap(), |r| !*r)))),
                    ("Condvar", "notify_all", || {
                        let f: fn(&Condvar) = Condvar::notify_all;
                        f(&Condvar::new());
                    }),
                    ("WaitTimeoutResult", "timed_out", || {
                        let f: fn(&WaitTimeoutResult) -> bool = WaitTimeoutResult::timed_out;
                        let pair = (Mutex::new(()), Condvar::new());
                        let (_guard, result) = pair.1.wait_timeout(pair.0.lock().unwrap(), SHORT).unwrap();
                        assert!(f(&result) && result == result.clone());
                        assert_eq!(format!("{result:?}"), "WaitTimeoutResult(true)");
                    }),
                    ("Barrier", "new", || {
                        static BARRIER: Barrier = Barrier::new(1);
                        BARRIER.wait();
                    }),
                    ("Barrier", "wait", || {
                        let f: fn(&Barrier) -> BarrierWaitResult = Barrier::wait;
                        let barrier = std::sync::Arc::new(Barrier::new(2));
                        let other = std::sync::Arc::clone(&barrier);
                        let thread = $root::thread::spawn(move || other.wait().is_leader());
                        let mine = f(&barrier).is_leader();
                        assert_ne!(mine, thread.join().unwrap());
                    }),
                    ("BarrierWaitResult", "is_leader", || {
                        let f: fn(&BarrierWaitResult) -> bool = BarrierWaitResult::is_leader;
                        let result = Barrier::new(0).wait();
                        assert!(f(&result) && f(&result));
                        assert_eq!(format!("{result:?}"), "BarrierWaitResult { is_leader: true }");
                    }),
                    ("PoisonError", "new", || assert_eq!(PoisonError::new(1).to_string(), POISONED)),
                    ("PoisonError", "into_inner", || assert_eq!(PoisonError::new(1).into_inner(), 1)),
                    ("PoisonError", "get_ref", || assert_eq!(*PoisonError::new(1).get_ref(), 1)),
                    ("PoisonError", "get_mut", || assert_eq!(*PoisonError::new(1).get_mut(), 1)),
                    ("mpsc", "channel", || {
                        let f: fn() -> (Sender<u8>, Receiver<u8>) = mpsc::channel;
                        let (sender, receiver) = f();
                        sender.send(1).unwrap();
                        assert_eq!(receiver.recv(), Ok(1));
                    }),
                    ("mpsc", "sync_channel", || {
                        let f: fn(usize) -> (SyncSender<u8>, Receiver<u8>) = mpsc::sync_channel;
                        for bound in [0, 1] {
                            let (sender, receiver) = f(bound);
                            let thread = $root::thread::spawn(move || sender.send(1));
                            assert_eq!(receiver.recv(), Ok(1));
                            assert_eq!(thread.join().unwrap(), Ok(()));
                        }
                    }),
                    ("Sender", "send", || {
                        let f: fn(&Sender<u8>, u8) -> Result<(), SendError<u8>> = Sender::send;
                        let (sender, receiver) = mpsc::channel();
                        assert_eq!(f(&sender.clone(), 1), Ok(()));
                        drop(receiver);
                        assert_eq!(f(&sender, 2), Err(SendError(2)));
                        assert_eq!(format!("{sender:?}"), "Sender { .. }");
                    }),
                    ("SyncSender", "send", || {
                        let f: fn(&SyncSender<u8>, u8) -> Result<(), SendError<u8>> = SyncSender::send;
                        let (sender, receiver) = mpsc::sync_channel(1);
                        assert_eq!(f(&sender.clone(), 1), Ok(()));
                        drop(receiver);
                        assert_eq!(f(&sender, 2), Err(SendError(2)));
                        assert_eq!(format!("{sender:?}"), "SyncSender { .. }");
                    }),
                    ("SyncSender", "try_send", || {
                        let f: fn(&SyncSender<u8>, u8) -> Result<(), TrySendError<u8>> = SyncSender::try_send;
                        let (sender, receiver) = mpsc::sync_channel(1);
                        assert_eq!(f(&sender, 1), Ok(()));
                        assert_eq!(f(&sender, 2), Err(TrySendError::Full(2)));
                        drop(receiver);
                        assert_eq!(f(&sender, 3), Err(TrySendError::Disconnected(3)));
                        let (sender, _receiver) = mpsc::sync_channel(0);
                        assert_eq!(f(&sender, 4), Err(TrySendError::Full(4)));
                    }),
                    ("Receiver", "try_recv", || {
                        let f: fn(&Receiver<u8>) -> Result<u8, TryRecvError> = Receiver::try_recv;
                        let (sender, receiver) = mpsc::channel();
                        assert_eq!(f(&receiver), Err(TryRecvError::Empty));
                        sender.send(1).unwrap();
                        drop(sender);
                        assert_eq!([f(&receiver), f(&receiver)], [Ok(1), Err(TryRecvError::Disconnected)]);
                    }),
                    ("Receiver", "recv", || {
                        let f: fn(&Receiver<u8>) -> Result<u8, RecvError> = Receiver::recv;
                        let (sender, receiver) = mpsc::channel();
                        sender.send(1).unwrap();
                        drop(sender);
                        assert_eq!([f(&receiver), f(&receiver)], [Ok(1), Err(RecvError)]);
                        assert_eq!(format!("{receiver:?}"), "Receiver { .. }");
                    }),
                    ("Receiver", "recv_timeout", || {
                        let f: fn(&Receiver<u8>, Duration) -> Result<u8, RecvTimeoutError> = Receiver::recv_timeout;
                        for bound in [0, 1] {
                            let (sender, receiver) = mpsc::sync_channel(bound);
                            assert_eq!(f(&receiver, SHORT), Err(RecvTimeoutError::Timeout));
                            drop(sender);
                            assert_eq!(f(&receiver, LONG), Err(RecvTimeoutError::Disconnected));
                        }
                    }),
                    ("Receiver", "iter", || {
                        let (sender, receiver) = mpsc::channel();
                        [1, 2, 3, 4].into_iter().for_each(|n| sender.send(n).unwrap());
                        drop(sender);
                        let iter: mpsc::Iter<'_, i32> = receiver.iter();
                        assert_eq!(format!("{iter:?}"), "Iter { rx: Receiver { .. } }");
                        assert_eq!(iter.take(2).collect::<Vec<_>>(), [1, 2]);
                        assert_eq!((&receiver).into_iter().next(), Some(3));
                        let owned: mpsc::IntoIter<i32> = receiver.into_iter();
                        assert_eq!(owned.collect::<Vec<_>>(), [4]);
                    }),
                    ("Receiver", "try_iter", || {
                        let (sender, receiver) = mpsc::channel();
                        [1, 2].into_iter().for_each(|n| sender.send(n).unwrap());
                        let iter: mpsc::TryIter<'_, i32> = receiver.try_iter();
                        assert_eq!(iter.collect::<Vec<_>>(), [1, 2]);
                    }),
                ];
                rows.extend(integers());
                rows
            }

            fn bool_table(f: fn(&AtomicBool, bool, Ordering) -> bool, expected: fn(bool, bool) -> bool) {
                for (a, b) in [(false, false), (false, true), (true, false), (true, true)] {
                    let flag = AtomicBool::new(a);
                    assert_eq!(f(&flag, b, SeqCst), a);
                    assert_eq!(flag.load(SeqCst), expected(a, b), "{a} {b}");
                }
            }

            /// The pointer, to 8-byte values, starts at address 8.
            fn pointer_table(f: fn(&AtomicPtr<u64>, usize, Ordering) -> *mut u64, arg: usize, expected: usize) {
                let pointer = AtomicPtr::new(std::ptr::without_provenance_mut(8));
                assert_eq!(f(&pointer, arg, SeqCst).addr(), 8);
                assert_eq!(pointer.load(SeqCst).addr(), expected);
            }

            /// One thread waits for what another says.
            fn waiting(wait: fn(&(Mutex<bool>, Condvar))) {
                let pair = std::sync::Arc::new((Mutex::new(false), Condvar::new()));
                let other = std::sync::Arc::clone(&pair);
                let thread = $root::thread::spawn(move || {
                    *other.0.lock().unwrap() = true;
                    other.1.notify_one();
                });
                wait(&pair);
                thread.join().unwrap();
            }

            macro_rules! integer {
                ($rows:ident $name:ident $int:ident) => {
                    $rows.extend([
                        (stringify!($name), "new", (|| {
                            static VALUE: $name = $name::new(7);
                            assert_eq!(VALUE.load(SeqCst), 7);
                        }) as fn()),
                        (stringify!($name), "get_mut", || {
                            let f: for<'a> fn(&'a mut $name) -> &'a mut $int = $name::get_mut;
                            let mut value = $name::new(1);
                            value.fetch_add(1, SeqCst);
                            *f(&mut value) += 1;
                            assert_eq!(value.load(SeqCst), 3);
                        }),
                        (stringify!($name), "into_inner", || {
                            let f: fn($name) -> $int = $name::into_inner;
                            let value = $name::new(1);
                            value.store($int::MAX, SeqCst);
                            assert_eq!(f(value), $int::MAX);
                        }),
                        (stringify!($name), "load", || {
                            let f: fn(&$name, Ordering) -> $int = $name::load;
                            assert_eq!(f(&$name::new($int::MIN), Acquire), $int::MIN);
                        }),
                        (stringify!($name), "store", || {
                            let f: fn(&$name, $int, Ordering) = $name::store;
                            let value = $name::new(0);
                            f(&value, $int::MAX, Release);
                            assert_eq!(value.load(Relaxed), $int::MAX);
                        }),
                        (stringify!($name), "compare_and_swap", || {
                            let f: fn(&$name, $int, $int, Ordering) -> $int = $name::compare_and_swap;
                            let value = $name::new(1);
                            assert_eq!([f(&value, 1, 2, AcqRel), f(&value, 1, 3, Release)], [1, 2]);
                        }),
                        (stringify!($name), "compare_exchange", || {
                            let f: fn(&$name, $int, $int, Ordering, Ordering) -> Result<$int, $int> = $name::compare_exchange;
                            let value = $name::new(1);
                            assert_eq!(f(&value, 1, 2, AcqRel, Acquire), Ok(1));
                            assert_eq!(f(&value, 1, 2, AcqRel, Acquire), Err(2));
                        }),
                        (stringify!($name), "compare_exchange_weak", || {
                            let f: fn(&$name, $int, $int, Ordering, Ordering) -> Result<$int, $int> =
                                $name::compare_exchange_weak;
                            let value = $name::new(1);
                            while f(&value, 1, 2, AcqRel, Acquire).is_err() {}
                            assert_eq!(f(&value, 1, 2, AcqRel, Acquire), Err(2));
                        }),
                        (stringify!($name), "fetch_update", || {
                            let value = $name::new(1);
                            assert_eq!(value.fetch_update(SeqCst, SeqCst, |v| Some(v + 1)), Ok(1));
                            assert_eq!(value.fetch_update(SeqCst, SeqCst, |_| None), Err(2));
                        }),
                        (stringify!($name), "try_update", || {
                            let value = $name::new(1);
                            assert_eq!(value.try_update(SeqCst, SeqCst, |v| Some(v + 1)), Ok(1));
                            assert_eq!(value.try_update(SeqCst, SeqCst, |_| None), Err(2));
                        }),
                        (stringify!($name), "update", || {
                            let value = $name::new(1);
                            assert_eq!((value.update(SeqCst, SeqCst, |v| v + 1), value.load(SeqCst)), (1, 2));
                        }),
                        (stringify!($name), "as_ptr", || {
                            const fn pointer(value: &$name) -> *mut $int {
                                value.as_ptr()
                            }
                            assert!(!pointer(&$name::new(0)).is_null());
                        }),
                        integer!(@rmw $name $int swap |_, b| b),
                        integer!(@rmw $name $int fetch_add |a: $int, b| a.wrapping_add(b)),
                        integer!(@rmw $name $int fetch_sub |a: $int, b| a.wrapping_sub(b)),
                        integer!(@rmw $name $int fetch_and |a, b| a & b),
                        integer!(@rmw $name $int fetch_nand |a, b| !(a & b)),
                        integer!(@rmw $name $int fetch_or |a, b| a | b),
                        integer!(@rmw $name $int fetch_xor |a, b| a ^ b),
                        integer!(@rmw $name $int fetch_max |a: $int, b| a.max(b)),
                        integer!(@rmw $name $int fetch_min |a: $int, b| a.min(b)),
                    ]);
                };
                (@rmw $name:ident $int:ident $method:ident $expected:expr) => {
                    (stringify!($name), stringify!($method), || {
                        let f: fn(&$name, $int, Ordering) -> $int = $name::$method;
                        let expected: fn($int, $int) -> $int = $expected;
                        let values = [0, 1, 5, $int::MAX, $int::MIN, $int::MAX - 1];
                        for (a, b) in values.into_iter().flat_map(|a| values.map(|b| (a, b))) {
                            let value = $name::new(a);
                            assert_eq!(f(&value, b, SeqCst), a);
                            assert_eq!(value.load(SeqCst), expected(a, b), "{a} {b}");
                        }
                    })
                };
            }

            fn integers() -> Vec<Row> {
                let mut rows: Vec<Row> = Vec::new();
                integer!(rows AtomicU8 u8);
                integer!(rows AtomicU16 u16);
                integer!(rows AtomicU32 u32);
                integer!(rows AtomicU64 u64);
                integer!(rows AtomicUsize usize);
                integer!(rows AtomicI8 i8);
                integer!(rows AtomicI16 i16);
                integer!(rows AtomicI32 i32);
                integer!(rows AtomicI64 i64);
                integer!(rows AtomicIsize isize);
                rows
            }

            /// Trait implementations, and what formatting shows.
            pub fn traits() {
                fn plain<T: Debug + Send + Sync + Unpin + UnwindSafe + RefUnwindSafe>() {}
                fn value<T: Debug + Default + From<V> + Send + Sync + Unpin + UnwindSafe + RefUnwindSafe, V>() {}
                fn guard<T: Debug + std::fmt::Display + Sync + Unpin + UnwindSafe + RefUnwindSafe>() {}
                fn lock_of_anything<T: UnwindSafe + RefUnwindSafe + ?Sized>() {}
                fn end<T: Debug + Send + Unpin + UnwindSafe + RefUnwindSafe>() {}
                fn sync<T: Sync + Clone>() {}
                fn iterator<T: Iterator<Item = u8> + Debug>() {}
                value::<AtomicBool, bool>();
                value::<AtomicU8, u8>();
                value::<AtomicIsize, isize>();
                value::<AtomicPtr<u8>, *mut u8>();
                value::<Mutex<u8>, u8>();
                value::<RwLock<u8>, u8>();
                plain::<Condvar>();
                plain::<WaitTimeoutResult>();
                plain::<Barrier>();
                plain::<BarrierWaitResult>();
                let _: (Condvar, AtomicPtr<std::cell::Cell<u8>>) = Default::default();
                guard::<MutexGuard<'_, u8>>();
                guard::<RwLockReadGuard<'_, u8>>();
                guard::<RwLockWriteGuard<'_, u8>>();
                lock_of_anything::<Mutex<&mut std::cell::Cell<u8>>>();
                lock_of_anything::<RwLock<&mut std::cell::Cell<u8>>>();
                end::<Sender<std::cell::Cell<u8>>>();
                end::<SyncSender<std::cell::Cell<u8>>>();
                end::<Receiver<std::cell::Cell<u8>>>();
                end::<mpsc::IntoIter<u8>>();
                sync::<Sender<std::cell::Cell<u8>>>();
                sync::<SyncSender<std::cell::Cell<u8>>>();
                iterator::<mpsc::Iter<'_, u8>>();
                iterator::<mpsc::TryIter<'_, u8>>();
                iterator::<mpsc::IntoIter<u8>>();
                // Ambiguous, and so not compiled, if the type has the trait after all.
                <MutexGuard<'_, u8> as NotSend<_>>::is();
                <RwLockReadGuard<'_, u8> as NotSend<_>>::is();
                <RwLockWriteGuard<'_, u8> as NotSend<_>>::is();
                <mpsc::Iter<'_, u8> as NotSend<_>>::is();
                <Mutex<std::rc::Rc<u8>> as NotSend<_>>::is();
                <Sender<std::rc::Rc<u8>> as NotSend<_>>::is();
                <Receiver<u8> as NotSync<_>>::is();
                <mpsc::IntoIter<u8> as NotSync<_>>::is();
                <RwLock<std::cell::Cell<u8>> as NotSync<_>>::is();
                // Unsizing, and the variance of the guards.
                let _: &Mutex<[u8]> = &Mutex::new([1, 2]);
                let _: &RwLock<[u8]> = &RwLock::new([1, 2]);
                let _: Box<Mutex<dyn Debug>> = Box::new(Mutex::new(1));
                fn _covariant<'a, 'b>(guard: RwLockReadGuard<'a, &'static str>) -> RwLockReadGuard<'a, &'b str> {
                    guard
                }
                // What is shown.
                let mutex = Mutex::new(1);
                assert_eq!(format!("{mutex:?}"), "Mutex { data: 1, poisoned: false, .. }");
                let guard = mutex.lock().unwrap();
                assert_eq!(format!("{guard:?} {guard}"), "1 1");
                assert_eq!(format!("{mutex:?}"), "Mutex { data: \"<locked>\", poisoned: false, .. }");
                drop(guard);
                let lock = RwLock::new(1);
                assert_eq!(format!("{lock:?}"), "RwLock { data: 1, poisoned: false, .. }");
                let guard = lock.read().unwrap();
                assert_eq!(format!("{guard:?} {guard}"), "1 1");
                drop(guard);
                let guard = lock.write().unwrap();
                assert_eq!(format!("{guard:?} {guard} {lock:?}"), "1 1 RwLock { data: <locked>, poisoned: false, .. }");
                drop(guard);
                assert_eq!(format!("{:?} {:?}", Condvar::new(), Barrier::new(1)), "Condvar { .. } Barrier { .. }");
                assert_eq!(format!("{:?} {:?}", AtomicBool::new(true), AtomicI8::new(-1)), "true -1");
                let pointer = AtomicPtr::new(std::ptr::without_provenance_mut::<u8>(16));
                assert_eq!(format!("{pointer:?} {pointer:p}"), "0x10 0x10");
                assert_eq!(elsewhere(|| 1), 1);
            }
        }
    };
}

table!(with_std, std);
table!(with_gordian, gordian);

#[test]
fn nothing_is_missing_from_the_table() {
    let stable: BTreeSet<(&str, &str)> = STABLE
        .iter()
        .flat_map(|&(ty, methods)| methods.split_whitespace().map(move |m| (ty, m)))
        .filter(|(_, m)| !m.starts_with('-'))
        .collect();
    let table: BTreeSet<(&str, &str)> = with_gordian::rows().into_iter().map(|(ty, m, _)| (ty, m)).collect();
    assert_eq!(table, stable);
}

#[test]
fn std_passes_the_table() {
    for (_, _, row) in with_std::rows() {
        row();
    }
    with_std::traits();
}

#[test]
fn outside_a_check_gordian_passes_the_table() {
    for (_, _, row) in with_gordian::rows() {
        row();
    }
    with_gordian::traits();
}

#[test]
fn inside_a_check_gordian_passes_the_table() {
    let mut failed = Vec::new();
    for (ty, method, row) in with_gordian::rows() {
        for search in ["exhaustive", "dfs:sleep"] {
            let report = Checker::new().search(search).run(move || {
                // Some rows have no step of their own.
                gordian::thread::yield_now();
                row();
            });
            if report.failure().is_some() || !report.complete() {
                failed.push(format!("{ty}::{method} ({search}): {report}"));
            }
        }
    }
    assert!(failed.is_empty(), "{}", failed.join("\n"));
    gordian::check(with_gordian::traits);
}
