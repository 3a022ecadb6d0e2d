//! The trait implementations of the mirrored types are those of std's: what std's implement, and what they do not.
//!
//! Everything here is decided when it is compiled.
#![cfg(feature = "check")]
#![allow(dead_code, clippy::all)]

use gordian::cell::{Cell, UnsafeCell};
use gordian::sync::{Arc, LazyLock, Once, OnceLock, OnceState, Weak};
use gordian::thread::{
    AccessError, Builder, JoinHandle, LocalKey, Scope, ScopedJoinHandle, Thread, ThreadId,
};
use gordian::time::{Duration, Instant, SystemTime, SystemTimeError};
use std::borrow::{Borrow, Cow};
use std::error::Error;
use std::ffi::{CStr, CString, OsStr, OsString};
use std::fmt::{Debug, Display, Pointer};
use std::fs::File;
use std::hash::Hash;
use std::io::{Read, Seek, Write};
use std::marker::PhantomPinned;
use std::ops::{Add, AddAssign, Deref, DerefMut, Sub, SubAssign};
use std::os::fd::{AsFd, AsRawFd};
use std::panic::{RefUnwindSafe, UnwindSafe};
use std::path::{Path, PathBuf};
use std::pin::Pin;
use std::task::{RawWaker, Wake, Waker};

type SyncOnly = std::sync::MutexGuard<'static, u8>;
type SendOnly = std::cell::Cell<u8>;
type NotUnwindSafe = &'static mut u8;
type NotRefUnwindSafe = std::cell::UnsafeCell<u8>;

macro_rules! implements {
    ($([$($generics:tt)*] $type:ty: { $($bound:tt)* })*) => {$(
        const _: () = {
            fn shown<'it, $($generics)*>(it: &'it $type) -> &'it (impl ?Sized + $($bound)*) {
                it
            }
        };
    )*};
}

/// `T: !Trait` by ambiguity: if it were implemented, there would be two answers.
macro_rules! does_not_implement {
    ($($type:ty: $bound:path;)*) => {$(
        const _: fn() = || {
            trait Ambiguous<A> {
                fn answer() {}
            }
            struct Other;
            impl<T: ?Sized> Ambiguous<()> for T {}
            impl<T: ?Sized + $bound> Ambiguous<Other> for T {}
            let _ = <$type as Ambiguous<_>>::answer;
        };
    )*};
}

macro_rules! statement {
    ($($type:ty)*) => { implements! { $([] $type: { Send + Sync + Unpin + UnwindSafe + RefUnwindSafe })* } };
}

statement! { Once Builder Thread ThreadId AccessError Instant SystemTime SystemTimeError LocalKey<SyncOnly> LocalKey<SendOnly> LocalKey<PhantomPinned> }

implements! {
    [] Once: { Debug }
    [] OnceState: { Debug + Send + Unpin + UnwindSafe }
    [T: Clone] OnceLock<T>: { Clone }
    [T: Debug] OnceLock<T>: { Debug }
    [T] OnceLock<T>: { Default + From<T> }
    [T: Eq] OnceLock<T>: { Eq }
    [T: PartialEq] OnceLock<T>: { PartialEq }
    [T: RefUnwindSafe + UnwindSafe] OnceLock<T>: { RefUnwindSafe }
    [T: Send] OnceLock<T>: { Send }
    [T: Send + Sync] OnceLock<T>: { Sync }
    [T: UnwindSafe] OnceLock<T>: { UnwindSafe }
    [T: Unpin] OnceLock<T>: { Unpin }
    [T: Debug, F] LazyLock<T, F>: { Debug }
    [T: Default] LazyLock<T>: { Default }
    [T, F: FnOnce() -> T] LazyLock<T, F>: { Deref<Target = T> + DerefMut }
    [T: RefUnwindSafe + UnwindSafe, F: UnwindSafe] LazyLock<T, F>: { RefUnwindSafe }
    [T: Send + Sync, F: Send] LazyLock<T, F>: { Sync }
    [T: UnwindSafe, F: UnwindSafe] LazyLock<T, F>: { UnwindSafe }
    [T: Send, F: Send] LazyLock<T, F>: { Send }
    [T: Unpin, F: Unpin] LazyLock<T, F>: { Unpin }
    [T: AsFd + ?Sized] Arc<T>: { AsFd }
    [T: AsRawFd] Arc<T>: { AsRawFd }
    [T: ?Sized] Arc<T>: { AsRef<T> + Borrow<T> + Clone + Deref<Target = T> + Pointer + Unpin + From<Box<T>> }
    [T: Debug + ?Sized] Arc<T>: { Debug }
    [T] Arc<[T]>: { Default + From<Vec<T>> + FromIterator<T> }
    [] Arc<CStr>: { Default }
    [T: Default] Arc<T>: { Default }
    [] Arc<str>: { Default }
    [T: Default] Pin<Arc<T>>: { Default }
    [] Pin<Arc<str>>: { Default }
    [T: Display + ?Sized] Arc<T>: { Display }
    [T: Error + ?Sized] Arc<T>: { Error }
    ['a, T: Clone] Arc<[T]>: { From<&'a [T]> + From<&'a mut [T]> }
    ['a] Arc<CStr>: { From<&'a CStr> + From<&'a mut CStr> + From<CString> + From<Cow<'a, CStr>> }
    ['a] Arc<OsStr>: { From<&'a OsStr> + From<&'a mut OsStr> + From<OsString> + From<Cow<'a, OsStr>> }
    ['a] Arc<Path>: { From<&'a Path> + From<&'a mut Path> + From<PathBuf> + From<Cow<'a, Path>> }
    ['a] Arc<str>: { From<&'a str> + From<&'a mut str> + From<String> + From<Cow<'a, str>> }
    [T, const N: usize] Arc<[T]>: { From<[T; N]> }
    [W: Wake + Send + Sync + 'static] RawWaker: { From<Arc<W>> }
    [W: Wake + Send + Sync + 'static] Waker: { From<Arc<W>> }
    [] Arc<[u8]>: { From<Arc<str>> }
    [T] Arc<T>: { From<T> }
    [T: ?Sized] Pin<Arc<T>>: { From<Arc<T>> }
    [T: Hash + ?Sized] Arc<T>: { Hash }
    [T: Ord + ?Sized] Arc<T>: { Ord }
    [T: PartialEq + ?Sized] Arc<T>: { PartialEq }
    [T: PartialOrd + ?Sized] Arc<T>: { PartialOrd }
    [T: Eq + ?Sized] Arc<T>: { Eq }
    [] Arc<File>: { Read + Write + Seek }
    [T, const N: usize] Arc<[T; N]>: { TryFrom<Arc<[T]>, Error = Arc<[T]>> }
    [T: Send + Sync + ?Sized] Arc<T>: { Send + Sync }
    [T: RefUnwindSafe + ?Sized] Arc<T>: { UnwindSafe + RefUnwindSafe }
    [T: ?Sized] Weak<T>: { Clone + Debug + Unpin }
    [T] Weak<T>: { Default }
    [T: Send + Sync + ?Sized] Weak<T>: { Send + Sync }
    [T: RefUnwindSafe + ?Sized] Weak<T>: { RefUnwindSafe + UnwindSafe }
    [] Builder: { Debug }
    [T] JoinHandle<T>: { Debug + Send + Sync + Unpin }
    [] Thread: { Clone + Debug }
    [] ThreadId: { Clone + Copy + Debug + Hash + PartialEq + Eq }
    ['scope, 'env] Scope<'scope, 'env>: { Debug + RefUnwindSafe + Send + Sync + Unpin }
    ['scope, T] ScopedJoinHandle<'scope, T>: { Debug + Unpin }
    ['scope, T: Send] ScopedJoinHandle<'scope, T>: { Send + Sync }
    [T: 'static] LocalKey<T>: { Debug }
    [] AccessError: { Clone + Copy + Debug + Display + Error + PartialEq + Eq }
    [T: ?Sized] UnsafeCell<T>: { Debug }
    [T: Default] UnsafeCell<T>: { Default }
    [T] UnsafeCell<T>: { From<T> }
    [T: Send + ?Sized] UnsafeCell<T>: { Send }
    [T: Unpin + ?Sized] UnsafeCell<T>: { Unpin }
    [T: UnwindSafe + ?Sized] UnsafeCell<T>: { UnwindSafe }
    [T: Copy] Cell<T>: { Clone }
    [T: Copy + Debug] Cell<T>: { Debug }
    [T: Default] Cell<T>: { Default }
    [T] Cell<T>: { From<T> }
    [T: Copy + Ord] Cell<T>: { Ord }
    [T: Copy + PartialEq] Cell<T>: { PartialEq }
    [T: Copy + PartialOrd] Cell<T>: { PartialOrd }
    [T: Copy + Eq] Cell<T>: { Eq }
    [T: Send + ?Sized] Cell<T>: { Send }
    [T: Unpin + ?Sized] Cell<T>: { Unpin }
    [T: UnwindSafe + ?Sized] Cell<T>: { UnwindSafe }
    [] Instant: { Add<Duration, Output = Instant> + AddAssign<Duration> + Clone + Copy + Debug + Eq + Hash + Ord }
    [] Instant: { Sub<Duration, Output = Instant> + Sub<Instant, Output = Duration> + SubAssign<Duration> }
    [] SystemTime: { Add<Duration, Output = SystemTime> + AddAssign<Duration> + Clone + Copy + Debug + Eq + Hash + Ord }
    [] SystemTime: { Sub<Duration, Output = SystemTime> + SubAssign<Duration> }
    [] SystemTimeError: { Clone + Debug + Display + Error }
}

does_not_implement! {
    Once: Default;
    OnceState: Sync;
    OnceState: RefUnwindSafe;
    OnceLock<SendOnly>: Sync;
    OnceLock<SyncOnly>: Sync;
    OnceLock<SyncOnly>: Send;
    OnceLock<NotUnwindSafe>: UnwindSafe;
    OnceLock<NotRefUnwindSafe>: RefUnwindSafe;
    OnceLock<PhantomPinned>: Unpin;
    LazyLock<SendOnly>: Sync;
    LazyLock<SyncOnly>: Send;
    LazyLock<NotUnwindSafe>: UnwindSafe;
    LazyLock<NotRefUnwindSafe>: RefUnwindSafe;
    LazyLock<PhantomPinned>: Unpin;
    Arc<SendOnly>: Send;
    Arc<SyncOnly>: Send;
    Arc<SendOnly>: Sync;
    Arc<SyncOnly>: Sync;
    Arc<NotRefUnwindSafe>: UnwindSafe;
    Arc<NotRefUnwindSafe>: RefUnwindSafe;
    Weak<SendOnly>: Send;
    Weak<SyncOnly>: Sync;
    Weak<NotRefUnwindSafe>: UnwindSafe;
    Builder: Default;
    JoinHandle<u8>: UnwindSafe;
    JoinHandle<u8>: RefUnwindSafe;
    Scope<'static, 'static>: UnwindSafe;
    ScopedJoinHandle<'static, u8>: UnwindSafe;
    ScopedJoinHandle<'static, u8>: RefUnwindSafe;
    ScopedJoinHandle<'static, SyncOnly>: Send;
    UnsafeCell<u8>: Sync;
    UnsafeCell<u8>: RefUnwindSafe;
    UnsafeCell<SyncOnly>: Send;
    UnsafeCell<PhantomPinned>: Unpin;
    Cell<u8>: Sync;
    Cell<u8>: RefUnwindSafe;
    Cell<SyncOnly>: Send;
}

/// Cells of sized values can be seen as cells of unsized ones.
fn cells_unsize<'a>(
    a: &'a UnsafeCell<u8>,
    b: &'a Cell<u8>,
) -> (&'a UnsafeCell<dyn Debug>, &'a Cell<dyn Debug>) {
    (a, b)
}

/// A shared value may be used for a shorter life than it has.
fn arcs_are_covariant<'a>(arc: Arc<&'static str>, weak: Weak<&'static str>) -> (Arc<&'a str>, Weak<&'a str>) {
    (arc, weak)
}

#[test]
fn it_compiles() {
    assert!(!std::mem::needs_drop::<UnsafeCell<u8>>() && !std::mem::needs_drop::<Cell<u8>>());
    assert!(!std::mem::needs_drop::<Once>() && std::mem::needs_drop::<OnceLock<u8>>());
}
