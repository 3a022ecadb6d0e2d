//! The cell that all sharing is built from.

use super::{Tracked, access, access_at};
use crate::runtime::Tag;
use std::fmt;
use std::panic::Location;

/// Memory that may be shared and changed; see [`std::cell::UnsafeCell`].
///
/// What is done through the pointer that [`get`](Self::get) returns cannot be seen by a check. Use [`with`](Self::with)
/// and [`with_mut`](Self::with_mut), or the trait [`Tracked`], to have data races found.
pub struct UnsafeCell<T: ?Sized> {
    tag: Tag,
    inner: std::cell::UnsafeCell<T>,
}

impl<T> UnsafeCell<T> {
    /// A new cell.
    #[track_caller]
    pub const fn new(value: T) -> UnsafeCell<T> {
        UnsafeCell { tag: Tag::new(), inner: std::cell::UnsafeCell::new(value) }
    }

    /// The value. It counts as a write.
    #[track_caller]
    pub fn into_inner(self) -> T {
        access(&self.tag, true);
        self.inner.into_inner()
    }
}

impl<T: ?Sized> UnsafeCell<T> {
    /// The address of the value. What is done with it is not seen by a check.
    pub const fn get(&self) -> *mut T {
        self.inner.get()
    }

    /// The value, by exclusive access. It counts as a write.
    #[track_caller]
    pub fn get_mut(&mut self) -> &mut T {
        access(&self.tag, true);
        self.inner.get_mut()
    }

    /// The address of the value of a cell behind a raw pointer. See std.
    #[allow(unsafe_code, clippy::not_unsafe_ptr_arg_deref)]
    pub const fn raw_get(this: *const UnsafeCell<T>) -> *mut T {
        // SAFETY: only the address of a field is computed, nothing is read. Unlike std's, `this` must point to a cell, or
        // to room for one, because the value does not lie at its very beginning.
        std::cell::UnsafeCell::raw_get(unsafe { &raw const (*this).inner })
    }

    /// Reads: the pointer is for reading, inside the closure.
    #[track_caller]
    pub fn with<R>(&self, f: impl FnOnce(*const T) -> R) -> R {
        self.during(false, |p| f(p.cast_const()))
    }

    /// Writes: the pointer is for reading and writing, inside the closure.
    #[track_caller]
    pub fn with_mut<R>(&self, f: impl FnOnce(*mut T) -> R) -> R {
        self.during(true, f)
    }

    /// The access lasts as long as the closure: who sees what the closure publishes may still race with its end.
    #[track_caller]
    fn during<R>(&self, write: bool, f: impl FnOnce(*mut T) -> R) -> R {
        let place = Location::caller();
        access_at(&self.tag, write, place);
        let result = f(self.inner.get());
        access_at(&self.tag, write, place);
        result
    }
}

impl<T: ?Sized> Tracked<T> for UnsafeCell<T> {
    #[track_caller]
    fn with<R>(&self, f: impl FnOnce(*const T) -> R) -> R {
        UnsafeCell::with(self, f)
    }

    #[track_caller]
    fn with_mut<R>(&self, f: impl FnOnce(*mut T) -> R) -> R {
        UnsafeCell::with_mut(self, f)
    }
}

impl<T: Default> Default for UnsafeCell<T> {
    #[track_caller]
    fn default() -> UnsafeCell<T> {
        UnsafeCell::new(T::default())
    }
}

impl<T> From<T> for UnsafeCell<T> {
    #[track_caller]
    fn from(value: T) -> UnsafeCell<T> {
        UnsafeCell::new(value)
    }
}

impl<T: ?Sized> fmt::Debug for UnsafeCell<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("UnsafeCell").finish_non_exhaustive()
    }
}
