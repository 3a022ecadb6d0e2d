//! Cells whose value is moved in and out.

use super::access;
use crate::runtime::Tag;
use std::cmp::Ordering;
use std::fmt;

/// A changeable value; see [`std::cell::Cell`].
///
/// It is not `Sync`, so a check finds data races on it only in code that shares it by its own promise.
pub struct Cell<T: ?Sized> {
    tag: Tag,
    inner: std::cell::Cell<T>,
}

impl<T> Cell<T> {
    /// A new cell.
    #[track_caller]
    pub const fn new(value: T) -> Cell<T> {
        Cell { tag: Tag::new(), inner: std::cell::Cell::new(value) }
    }

    /// Sets the value.
    #[track_caller]
    pub fn set(&self, val: T) {
        access(&self.tag, true);
        self.inner.set(val);
    }

    /// Swaps two values.
    #[track_caller]
    pub fn swap(&self, other: &Cell<T>) {
        access(&self.tag, true);
        access(&other.tag, true);
        self.inner.swap(&other.inner);
    }

    /// Sets the value and returns the old one.
    #[track_caller]
    pub fn replace(&self, val: T) -> T {
        access(&self.tag, true);
        self.inner.replace(val)
    }

    /// The value.
    #[track_caller]
    pub fn into_inner(self) -> T {
        access(&self.tag, true);
        self.inner.into_inner()
    }
}

impl<T: Copy> Cell<T> {
    /// A copy of the value.
    #[track_caller]
    pub fn get(&self) -> T {
        access(&self.tag, false);
        self.inner.get()
    }

    /// Changes the value.
    #[track_caller]
    pub fn update(&self, f: impl FnOnce(T) -> T) {
        self.set(f(self.get()));
    }
}

impl<T: ?Sized> Cell<T> {
    /// The address of the value. What is done with it is not seen by a check.
    pub const fn as_ptr(&self) -> *mut T {
        self.inner.as_ptr()
    }

    /// The value, by exclusive access.
    #[track_caller]
    pub fn get_mut(&mut self) -> &mut T {
        access(&self.tag, true);
        self.inner.get_mut()
    }
}

impl<T: Default> Cell<T> {
    /// Takes the value and leaves the default one.
    #[track_caller]
    pub fn take(&self) -> T {
        self.replace(T::default())
    }
}

impl<T: Copy> Clone for Cell<T> {
    #[track_caller]
    fn clone(&self) -> Cell<T> {
        Cell::new(self.get())
    }
}

impl<T: Default> Default for Cell<T> {
    #[track_caller]
    fn default() -> Cell<T> {
        Cell::new(T::default())
    }
}

impl<T> From<T> for Cell<T> {
    #[track_caller]
    fn from(t: T) -> Cell<T> {
        Cell::new(t)
    }
}

impl<T: PartialEq + Copy> PartialEq for Cell<T> {
    #[track_caller]
    fn eq(&self, other: &Cell<T>) -> bool {
        self.get() == other.get()
    }
}

impl<T: Eq + Copy> Eq for Cell<T> {}

impl<T: PartialOrd + Copy> PartialOrd for Cell<T> {
    #[track_caller]
    fn partial_cmp(&self, other: &Cell<T>) -> Option<Ordering> {
        self.get().partial_cmp(&other.get())
    }
}

impl<T: Ord + Copy> Ord for Cell<T> {
    #[track_caller]
    fn cmp(&self, other: &Cell<T>) -> Ordering {
        self.get().cmp(&other.get())
    }
}

impl<T: Copy + fmt::Debug> fmt::Debug for Cell<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Cell").field("value", &self.get()).finish()
    }
}
