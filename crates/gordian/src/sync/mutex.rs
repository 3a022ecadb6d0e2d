//! Mutual exclusion.

use super::quietly;
use crate::runtime::{self, Tag};
use gordian_model::object::{Mutex as Model, Object};
use gordian_model::{ObjectId, Op, OpKind};
use std::fmt;
use std::ops::{Deref, DerefMut};
use std::panic::Location;
use std::sync::{LockResult, PoisonError, TryLockError, TryLockResult};

/// A mutex; see [`std::sync::Mutex`].
///
/// The value is kept in a std mutex, which inside a check is free whenever the model says that this one is: so the guard
/// needs no unsafe code, and outside a check it simply is std's.
pub struct Mutex<T: ?Sized> {
    tag: Tag,
    real: std::sync::Mutex<T>,
}

impl<T> Mutex<T> {
    /// A new mutex.
    #[track_caller]
    pub const fn new(t: T) -> Mutex<T> {
        Mutex { tag: Tag::new(), real: std::sync::Mutex::new(t) }
    }

    /// The value. See std.
    #[track_caller]
    pub fn into_inner(self) -> LockResult<T> {
        let poisoned = self.is_poisoned_quietly();
        let value = self.real.into_inner().unwrap_or_else(PoisonError::into_inner);
        if poisoned { Err(PoisonError::new(value)) } else { Ok(value) }
    }
}

impl<T: ?Sized> Mutex<T> {
    #[inline]
    pub(crate) fn object(&self) -> ObjectId {
        self.tag.object(|| Object::Mutex(Model::new()))
    }

    #[track_caller]
    fn op(&self, kind: OpKind) -> gordian_model::Reply {
        runtime::simple(kind, self.object())
    }

    #[track_caller]
    fn is_poisoned_quietly(&self) -> bool {
        if !runtime::active() {
            return self.real.is_poisoned();
        }
        quietly(OpKind::IsPoisoned, self.object()).flag
    }

    /// The guard for a lock that the model has granted.
    pub(crate) fn granted(&self, poisoned: bool) -> LockResult<MutexGuard<'_, T>> {
        let inner = runtime::take_real("Mutex", || self.real.try_lock());
        let guard =
            MutexGuard { mutex: self, inner: Some(inner), checked: true, panicking: runtime::is_panicking() };
        if poisoned { Err(PoisonError::new(guard)) } else { Ok(guard) }
    }

    fn outside<'a>(
        &'a self,
        result: LockResult<std::sync::MutexGuard<'a, T>>,
    ) -> LockResult<MutexGuard<'a, T>> {
        let wrap = |inner| MutexGuard { mutex: self, inner: Some(inner), checked: false, panicking: false };
        result.map(wrap).map_err(|poison| PoisonError::new(wrap(poison.into_inner())))
    }

    /// Waits for the mutex and takes it. See std.
    #[track_caller]
    pub fn lock(&self) -> LockResult<MutexGuard<'_, T>> {
        if !runtime::active() {
            self.tag.outside();
            return self.outside(self.real.lock());
        }
        let reply = runtime::lock(self.object());
        self.granted(reply.flag)
    }

    /// Takes the mutex if it is free. See std.
    #[track_caller]
    #[inline(never)]
    pub fn try_lock(&self) -> TryLockResult<MutexGuard<'_, T>> {
        if !runtime::active() {
            self.tag.outside();
            return match self.real.try_lock() {
                Ok(guard) => Ok(self.outside(Ok(guard)).unwrap_or_else(PoisonError::into_inner)),
                Err(TryLockError::Poisoned(poison)) => {
                    Err(TryLockError::Poisoned(self.outside(Err(poison)).err().expect("poisoned")))
                }
                Err(TryLockError::WouldBlock) => Err(TryLockError::WouldBlock),
            };
        }
        let reply = self.op(OpKind::TryLock);
        if !reply.ok {
            return Err(TryLockError::WouldBlock);
        }
        Ok(self.granted(reply.flag)?)
    }

    /// Has a thread panicked while it held the mutex? See std.
    #[track_caller]
    pub fn is_poisoned(&self) -> bool {
        if !runtime::active() {
            return self.real.is_poisoned();
        }
        self.op(OpKind::IsPoisoned).flag
    }

    /// Forgets the panic. See std.
    #[track_caller]
    pub fn clear_poison(&self) {
        if !runtime::active() {
            return self.real.clear_poison();
        }
        self.op(OpKind::ClearPoison);
    }

    /// The value, by exclusive access. See std.
    #[track_caller]
    pub fn get_mut(&mut self) -> LockResult<&mut T> {
        let poisoned = self.is_poisoned_quietly();
        let value = self.real.get_mut().unwrap_or_else(PoisonError::into_inner);
        if poisoned { Err(PoisonError::new(value)) } else { Ok(value) }
    }
}

impl<T: Default> Default for Mutex<T> {
    #[track_caller]
    fn default() -> Mutex<T> {
        Mutex::new(T::default())
    }
}

impl<T> From<T> for Mutex<T> {
    #[track_caller]
    fn from(t: T) -> Self {
        Mutex::new(t)
    }
}

impl<T: ?Sized + fmt::Debug> fmt::Debug for Mutex<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut d = f.debug_struct("Mutex");
        match self.try_lock() {
            Ok(guard) => d.field("data", &&*guard),
            Err(TryLockError::Poisoned(poison)) => d.field("data", &&**poison.get_ref()),
            Err(TryLockError::WouldBlock) => d.field("data", &"<locked>"),
        };
        d.field("poisoned", &self.is_poisoned()).finish_non_exhaustive()
    }
}

/// The right to use the value of a [`Mutex`]; see [`std::sync::MutexGuard`].
#[must_use = "if unused the Mutex will immediately unlock"]
#[clippy::has_significant_drop]
pub struct MutexGuard<'a, T: ?Sized + 'a> {
    mutex: &'a Mutex<T>,
    inner: Option<std::sync::MutexGuard<'a, T>>,
    checked: bool,
    /// The thread was unwinding already when it took the mutex.
    panicking: bool,
}

impl<'a, T: ?Sized> MutexGuard<'a, T> {
    pub(crate) fn mutex(&self) -> &'a Mutex<T> {
        self.mutex
    }

    /// Takes std's guard out, for a wait outside a check.
    pub(crate) fn into_std(mut self) -> std::sync::MutexGuard<'a, T> {
        self.inner.take().expect("there until dropped")
    }

    pub(crate) fn from_std(mutex: &'a Mutex<T>, inner: std::sync::MutexGuard<'a, T>) -> MutexGuard<'a, T> {
        MutexGuard { mutex, inner: Some(inner), checked: false, panicking: false }
    }

    /// Gives std's mutex back without telling the model, which does so in the step that begins a wait.
    pub(crate) fn release_quietly(mut self) {
        self.inner = None;
    }
}

impl<T: ?Sized> Deref for MutexGuard<'_, T> {
    type Target = T;

    fn deref(&self) -> &T {
        self.inner.as_ref().expect("there until dropped")
    }
}

impl<T: ?Sized> DerefMut for MutexGuard<'_, T> {
    fn deref_mut(&mut self) -> &mut T {
        self.inner.as_mut().expect("there until dropped")
    }
}

impl<T: ?Sized> Drop for MutexGuard<'_, T> {
    #[inline]
    #[track_caller]
    fn drop(&mut self) {
        let Some(inner) = self.inner.take() else { return };
        drop(inner);
        if self.checked && runtime::active() {
            let poison = !self.panicking && runtime::is_panicking();
            let object = self.mutex.object();
            let site = runtime::site(Location::caller());
            runtime::op(Op { arg: u64::from(poison), ..Op::new(OpKind::Unlock, object, site) });
        }
    }
}

impl<T: ?Sized + fmt::Debug> fmt::Debug for MutexGuard<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        (**self).fmt(f)
    }
}

impl<T: ?Sized + fmt::Display> fmt::Display for MutexGuard<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        (**self).fmt(f)
    }
}
