//! Thread-local values.
//!
//! In a check there is one value for each thread and execution, made when it is first used and dropped when the thread
//! ends, the youngest first. Outside, std's own key does the work.

use super::life;
use crate::runtime;
use gordian_model::ThreadId;
use std::any::Any;
use std::cell::{Cell, RefCell};
use std::error::Error;
use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::rc::Rc;

/// The value of one key in one thread.
pub(crate) struct Local {
    thread: ThreadId,
    key: usize,
    state: State,
}

enum State {
    /// `true`: dropping it runs code.
    Alive(Rc<dyn Any>, bool),
    Destroyed,
}

/// Tells keys apart by their address. Made by [`thread_local!`](crate::thread_local).
#[doc(hidden)]
pub struct KeyId(#[allow(dead_code)] std::sync::atomic::AtomicU8);

impl KeyId {
    #[doc(hidden)]
    #[allow(clippy::new_without_default)]
    pub const fn new() -> KeyId {
        KeyId(std::sync::atomic::AtomicU8::new(0))
    }
}

/// A thread-local value; see [`std::thread::LocalKey`]. Made by [`thread_local!`](crate::thread_local).
pub struct LocalKey<T: 'static> {
    id: &'static KeyId,
    std: &'static std::thread::LocalKey<T>,
    init: fn() -> T,
}

/// The value is being dropped or has been; see [`std::thread::AccessError`].
#[non_exhaustive]
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct AccessError;

impl fmt::Debug for AccessError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("AccessError").finish()
    }
}

impl fmt::Display for AccessError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("already destroyed")
    }
}

impl Error for AccessError {}

#[track_caller]
fn destroyed() -> ! {
    panic!("cannot access a Thread Local Storage value during or after destruction: AccessError")
}

impl<T: 'static> LocalKey<T> {
    #[doc(hidden)]
    pub const fn new(
        id: &'static KeyId,
        std: &'static std::thread::LocalKey<T>,
        init: fn() -> T,
    ) -> LocalKey<T> {
        LocalKey { id, std, init }
    }

    fn address(&self) -> usize {
        std::ptr::from_ref(self.id) as usize
    }

    /// The value in this execution: there, not there yet, or gone.
    fn find(&self) -> Result<Option<Rc<T>>, AccessError> {
        // What is kept here is state of the thread that its stack does not show.
        runtime::with(|conductor, me| conductor.not_idle(me));
        let key = self.address();
        runtime::shared(|shared, me| match shared.locals.iter().find(|l| l.thread == me && l.key == key) {
            None => Ok(None),
            Some(Local { state: State::Destroyed, .. }) => Err(AccessError),
            Some(Local { state: State::Alive(value, _), .. }) => {
                Ok(Some(Rc::clone(value).downcast().expect("a key has values of its type")))
            }
        })
    }

    fn insert(&self, value: T) -> Rc<T> {
        let value = Rc::new(value);
        let state = State::Alive(Rc::clone(&value) as Rc<dyn Any>, std::mem::needs_drop::<T>());
        let key = self.address();
        let old = runtime::shared(|shared, thread| {
            // An initialiser that used its own key has put a value there: it is replaced.
            let old = shared.locals.iter().position(|l| l.thread == thread && l.key == key);
            let old = old.map(|i| shared.locals.remove(i));
            shared.locals.push(Local { thread, key, state });
            old
        });
        drop(old);
        value
    }

    /// Uses the value, or with `first` as the initial value if there is none; whatever is not used comes back.
    fn use_or_set<R>(&'static self, first: T, f: impl FnOnce(&T, T) -> R) -> Option<R> {
        match self.find().unwrap_or_else(|AccessError| destroyed()) {
            Some(value) => Some(f(&value, first)),
            None => {
                self.insert(first);
                None
            }
        }
    }

    /// Uses the value. See std.
    #[track_caller]
    pub fn with<F, R>(&'static self, f: F) -> R
    where
        F: FnOnce(&T) -> R,
    {
        self.try_with(f).unwrap_or_else(|AccessError| destroyed())
    }

    /// Uses the value, unless it is being dropped or has been. See std.
    pub fn try_with<F, R>(&'static self, f: F) -> Result<R, AccessError>
    where
        F: FnOnce(&T) -> R,
    {
        if !runtime::active() {
            return self.std.try_with(f).map_err(|_| AccessError);
        }
        let value = match self.find()? {
            Some(value) => value,
            None => self.insert((self.init)()),
        };
        Ok(f(&value))
    }
}

macro_rules! cell_methods {
    ($cell:ty) => {
        impl<T: 'static> LocalKey<$cell> {
            /// Sets the value, without making the initial one. See std.
            #[track_caller]
            pub fn set(&'static self, value: T) {
                if !runtime::active() {
                    return self.std.with(|cell| cell.set(value));
                }
                self.use_or_set(<$cell>::new(value), |cell, new| cell.set(new.into_inner()));
            }

            /// A copy of the value. See std.
            #[track_caller]
            pub fn get(&'static self) -> T
            where
                T: Copy,
            {
                self.with(|cell| cell.get())
            }

            /// Takes the value and leaves the default one. See std.
            #[track_caller]
            pub fn take(&'static self) -> T
            where
                T: Default,
            {
                self.with(|cell| cell.take())
            }

            /// Sets the value and returns the old one. See std.
            #[track_caller]
            pub fn replace(&'static self, value: T) -> T {
                self.with(|cell| cell.replace(value))
            }
        }
    };
}

cell_methods!(Cell<T>);
cell_methods!(crate::cell::Cell<T>);

impl<T: 'static> LocalKey<RefCell<T>> {
    /// Uses the borrowed value. See std.
    #[track_caller]
    pub fn with_borrow<F, R>(&'static self, f: F) -> R
    where
        F: FnOnce(&T) -> R,
    {
        self.with(|cell| f(&cell.borrow()))
    }

    /// Changes the borrowed value. See std.
    #[track_caller]
    pub fn with_borrow_mut<F, R>(&'static self, f: F) -> R
    where
        F: FnOnce(&mut T) -> R,
    {
        self.with(|cell| f(&mut cell.borrow_mut()))
    }

    /// Sets the value, without making the initial one. See std.
    #[track_caller]
    pub fn set(&'static self, value: T) {
        if !runtime::active() {
            return self.std.set(value);
        }
        self.use_or_set(RefCell::new(value), |cell, new| *cell.borrow_mut() = new.into_inner());
    }

    /// Takes the value and leaves the default one. See std.
    #[track_caller]
    pub fn take(&'static self) -> T
    where
        T: Default,
    {
        self.with(|cell| cell.take())
    }

    /// Sets the value and returns the old one. See std.
    #[track_caller]
    pub fn replace(&'static self, value: T) -> T {
        self.with(|cell| cell.replace(value))
    }
}

impl<T: 'static> fmt::Debug for LocalKey<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("LocalKey").finish_non_exhaustive()
    }
}

/// The youngest value of a thread that is to be dropped with code; from then on it cannot be used.
fn take_youngest(of: impl Fn(ThreadId) -> bool) -> Option<(ThreadId, Rc<dyn Any>)> {
    runtime::shared(|shared, _| {
        let local =
            shared.locals.iter_mut().rfind(|l| of(l.thread) && matches!(l.state, State::Alive(_, true)))?;
        match std::mem::replace(&mut local.state, State::Destroyed) {
            State::Alive(value, _) => Some((local.thread, value)),
            State::Destroyed => None,
        }
    })
}

/// Drops the thread-local values of the running thread, which comes to its end.
#[inline]
pub(super) fn drop_all() {
    if !runtime::shared(|shared, _| shared.locals.is_empty()) {
        drop_mine();
    }
}

#[inline(never)]
fn drop_mine() {
    let me = runtime::me();
    while let Some((_, value)) = take_youngest(|thread| thread == me) {
        if let Err(payload) = catch_unwind(AssertUnwindSafe(|| drop(value))) {
            life::end_with_panic(payload);
        }
    }
    runtime::shared(|shared, _| shared.locals.retain(|l| l.thread != me));
}

/// Drops the values of threads that were torn down before they ended.
pub(crate) fn drop_left_locals() {
    while let Some((_, value)) = take_youngest(|_| true) {
        drop(value);
    }
    runtime::shared(|shared, _| shared.locals.clear());
}

/// Declares thread-local values; see [`std::thread_local`].
#[macro_export]
macro_rules! thread_local {
    () => {};
    ($(#[$($attr:tt)*])* $vis:vis static $name:ident : $t:ty = const $init:block; $($rest:tt)*) => {
        $crate::__thread_local_key!([$(#[$($attr)*])*] [$vis] $name, $t, $init, const $init);
        $crate::thread_local!($($rest)*);
    };
    ($(#[$($attr:tt)*])* $vis:vis static $name:ident : $t:ty = const $init:block) => {
        $crate::__thread_local_key!([$(#[$($attr)*])*] [$vis] $name, $t, $init, const $init);
    };
    ($(#[$($attr:tt)*])* $vis:vis static $name:ident : $t:ty = $init:expr; $($rest:tt)*) => {
        $crate::__thread_local_key!([$(#[$($attr)*])*] [$vis] $name, $t, $init, $init);
        $crate::thread_local!($($rest)*);
    };
    ($(#[$($attr:tt)*])* $vis:vis static $name:ident : $t:ty = $init:expr) => {
        $crate::__thread_local_key!([$(#[$($attr)*])*] [$vis] $name, $t, $init, $init);
    };
}

/// One key of [`thread_local!`](crate::thread_local).
#[doc(hidden)]
#[macro_export]
macro_rules! __thread_local_key {
    ([$($attr:tt)*] [$vis:vis] $name:ident, $t:ty, $init:expr, $($std:tt)*) => {
        $($attr)*
        $vis const $name: $crate::thread::LocalKey<$t> = {
            static ID: $crate::thread::KeyId = $crate::thread::KeyId::new();
            ::std::thread_local!(static STD: $t = $($std)*);
            fn init() -> $t {
                $init
            }
            $crate::thread::LocalKey::new(&ID, &STD, init)
        };
    };
}
