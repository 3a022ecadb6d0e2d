//! Many readers or one writer.

use super::quietly;
use crate::runtime::{self, Tag};
use gordian_model::object::{Object, RwLock as Model};
use gordian_model::{ObjectId, Op, OpKind, Reply};
use std::fmt;
use std::ops::{Deref, DerefMut};
use std::panic::Location;
use std::sync::{LockResult, PoisonError, TryLockError, TryLockResult};

/// A readers-writer lock; see [`std::sync::RwLock`].
///
/// In a check readers are let in whenever no writer holds the lock, even if one waits: std promises no other policy.
pub struct RwLock<T: ?Sized> {
    tag: Tag,
    real: std::sync::RwLock<T>,
}

fn object(tag: &Tag) -> ObjectId {
    tag.object(|| Object::RwLock(Model::new()))
}

fn poisoned_if<G>(poisoned: bool, guard: G) -> LockResult<G> {
    if poisoned { Err(PoisonError::new(guard)) } else { Ok(guard) }
}

/// Puts what std gave, poisoned or not, into a guard of ours.
fn wrap<G, H>(result: LockResult<G>, guard: impl FnOnce(G) -> H) -> LockResult<H> {
    match result {
        Ok(inner) => Ok(guard(inner)),
        Err(poison) => Err(PoisonError::new(guard(poison.into_inner()))),
    }
}

fn try_wrap<G, H>(result: TryLockResult<G>, guard: impl FnOnce(G) -> H) -> TryLockResult<H> {
    match result {
        Ok(inner) => Ok(guard(inner)),
        Err(TryLockError::Poisoned(poison)) => {
            Err(TryLockError::Poisoned(PoisonError::new(guard(poison.into_inner()))))
        }
        Err(TryLockError::WouldBlock) => Err(TryLockError::WouldBlock),
    }
}

impl<T> RwLock<T> {
    /// A new lock.
    #[track_caller]
    pub const fn new(t: T) -> RwLock<T> {
        RwLock { tag: Tag::new(), real: std::sync::RwLock::new(t) }
    }

    /// The value. See std.
    #[track_caller]
    pub fn into_inner(self) -> LockResult<T> {
        let poisoned = self.is_poisoned_quietly();
        poisoned_if(poisoned, self.real.into_inner().unwrap_or_else(PoisonError::into_inner))
    }
}

impl<T: ?Sized> RwLock<T> {
    #[track_caller]
    fn op(&self, kind: OpKind) -> Reply {
        runtime::simple(kind, object(&self.tag))
    }

    #[track_caller]
    fn is_poisoned_quietly(&self) -> bool {
        if !runtime::active() {
            return self.real.is_poisoned();
        }
        quietly(OpKind::IsPoisoned, object(&self.tag)).flag
    }

    fn reader<'a>(
        &'a self,
        inner: std::sync::RwLockReadGuard<'a, T>,
        checked: bool,
    ) -> RwLockReadGuard<'a, T> {
        RwLockReadGuard { tag: &self.tag, inner: Some(inner), checked }
    }

    fn writer<'a>(
        &'a self,
        inner: std::sync::RwLockWriteGuard<'a, T>,
        checked: bool,
    ) -> RwLockWriteGuard<'a, T> {
        let panicking = checked && runtime::is_panicking();
        RwLockWriteGuard { tag: &self.tag, inner: Some(inner), checked, panicking }
    }

    fn granted_read(&self, poisoned: bool) -> LockResult<RwLockReadGuard<'_, T>> {
        poisoned_if(poisoned, self.reader(runtime::take_real("RwLock", || self.real.try_read()), true))
    }

    fn granted_write(&self, poisoned: bool) -> LockResult<RwLockWriteGuard<'_, T>> {
        poisoned_if(poisoned, self.writer(runtime::take_real("RwLock", || self.real.try_write()), true))
    }

    /// Waits until no writer has the lock and takes a share of it. See std.
    #[track_caller]
    pub fn read(&self) -> LockResult<RwLockReadGuard<'_, T>> {
        if !runtime::active() {
            self.tag.outside();
            return wrap(self.real.read(), |inner| self.reader(inner, false));
        }
        let reply = self.op(OpKind::ReadLock);
        self.granted_read(reply.flag)
    }

    /// Takes a share of the lock if no writer has it. See std.
    #[track_caller]
    pub fn try_read(&self) -> TryLockResult<RwLockReadGuard<'_, T>> {
        if !runtime::active() {
            self.tag.outside();
            return try_wrap(self.real.try_read(), |inner| self.reader(inner, false));
        }
        let reply = self.op(OpKind::TryReadLock);
        if !reply.ok {
            return Err(TryLockError::WouldBlock);
        }
        Ok(self.granted_read(reply.flag)?)
    }

    /// Waits until nobody has the lock and takes it. See std.
    #[track_caller]
    pub fn write(&self) -> LockResult<RwLockWriteGuard<'_, T>> {
        if !runtime::active() {
            self.tag.outside();
            return wrap(self.real.write(), |inner| self.writer(inner, false));
        }
        let reply = self.op(OpKind::WriteLock);
        self.granted_write(reply.flag)
    }

    /// Takes the lock if nobody has it. See std.
    #[track_caller]
    pub fn try_write(&self) -> TryLockResult<RwLockWriteGuard<'_, T>> {
        if !runtime::active() {
            self.tag.outside();
            return try_wrap(self.real.try_write(), |inner| self.writer(inner, false));
        }
        let reply = self.op(OpKind::TryWriteLock);
        if !reply.ok {
            return Err(TryLockError::WouldBlock);
        }
        Ok(self.granted_write(reply.flag)?)
    }

    /// Has a thread panicked while it held the lock for writing? See std.
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
        poisoned_if(poisoned, self.real.get_mut().unwrap_or_else(PoisonError::into_inner))
    }
}

impl<T: Default> Default for RwLock<T> {
    #[track_caller]
    fn default() -> RwLock<T> {
        RwLock::new(T::default())
    }
}

impl<T> From<T> for RwLock<T> {
    #[track_caller]
    fn from(t: T) -> RwLock<T> {
        RwLock::new(t)
    }
}

impl<T: ?Sized + fmt::Debug> fmt::Debug for RwLock<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut d = f.debug_struct("RwLock");
        match self.try_read() {
            Ok(guard) => d.field("data", &&*guard),
            Err(TryLockError::Poisoned(poison)) => d.field("data", &&**poison.get_ref()),
            Err(TryLockError::WouldBlock) => d.field("data", &format_args!("<locked>")),
        };
        d.field("poisoned", &self.is_poisoned()).finish_non_exhaustive()
    }
}

/// The right to read the value of a [`RwLock`]; see [`std::sync::RwLockReadGuard`].
#[must_use = "if unused the RwLock will immediately unlock"]
#[clippy::has_significant_drop]
pub struct RwLockReadGuard<'rwlock, T: ?Sized + 'rwlock> {
    /// Not the lock itself, which would make the guard invariant in `T`.
    tag: &'rwlock Tag,
    inner: Option<std::sync::RwLockReadGuard<'rwlock, T>>,
    checked: bool,
}

/// The right to use the value of a [`RwLock`]; see [`std::sync::RwLockWriteGuard`].
#[must_use = "if unused the RwLock will immediately unlock"]
#[clippy::has_significant_drop]
pub struct RwLockWriteGuard<'rwlock, T: ?Sized + 'rwlock> {
    tag: &'rwlock Tag,
    inner: Option<std::sync::RwLockWriteGuard<'rwlock, T>>,
    checked: bool,
    /// The thread was unwinding already when it took the lock.
    panicking: bool,
}

impl<'rwlock, T: ?Sized> RwLockWriteGuard<'rwlock, T> {
    /// Gives the lock back for writing and keeps it for reading, with no writer in between. See std.
    #[track_caller]
    pub fn downgrade(mut s: Self) -> RwLockReadGuard<'rwlock, T> {
        let inner = s.inner.take().expect("there until dropped");
        let inner = Some(std::sync::RwLockWriteGuard::downgrade(inner));
        let checked = s.checked && runtime::active();
        if checked {
            runtime::simple(OpKind::Downgrade, object(s.tag));
        }
        RwLockReadGuard { tag: s.tag, inner, checked }
    }
}

impl<T: ?Sized> Deref for RwLockReadGuard<'_, T> {
    type Target = T;

    fn deref(&self) -> &T {
        self.inner.as_ref().expect("there until dropped")
    }
}

impl<T: ?Sized> Deref for RwLockWriteGuard<'_, T> {
    type Target = T;

    fn deref(&self) -> &T {
        self.inner.as_ref().expect("there until dropped")
    }
}

impl<T: ?Sized> DerefMut for RwLockWriteGuard<'_, T> {
    fn deref_mut(&mut self) -> &mut T {
        self.inner.as_mut().expect("there until dropped")
    }
}

impl<T: ?Sized> Drop for RwLockReadGuard<'_, T> {
    #[inline]
    #[track_caller]
    fn drop(&mut self) {
        drop(self.inner.take());
        if self.checked && runtime::active() {
            runtime::simple(OpKind::ReadUnlock, object(self.tag));
        }
    }
}

impl<T: ?Sized> Drop for RwLockWriteGuard<'_, T> {
    #[inline]
    #[track_caller]
    fn drop(&mut self) {
        let Some(inner) = self.inner.take() else { return };
        drop(inner);
        if self.checked && runtime::active() {
            let poison = !self.panicking && runtime::is_panicking();
            let site = runtime::site(Location::caller());
            runtime::op(Op {
                arg: u64::from(poison),
                ..Op::new(OpKind::WriteUnlock, object(self.tag), site)
            });
        }
    }
}

impl<T: ?Sized + fmt::Debug> fmt::Debug for RwLockReadGuard<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        (**self).fmt(f)
    }
}

impl<T: ?Sized + fmt::Debug> fmt::Debug for RwLockWriteGuard<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        (**self).fmt(f)
    }
}

impl<T: ?Sized + fmt::Display> fmt::Display for RwLockReadGuard<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        (**self).fmt(f)
    }
}

impl<T: ?Sized + fmt::Display> fmt::Display for RwLockWriteGuard<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        (**self).fmt(f)
    }
}
