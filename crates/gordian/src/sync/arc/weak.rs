//! References that do not keep the value alive.

use super::Arc;
use super::count::Count;
use gordian_model::OpKind;
use gordian_model::object::Arc as Model;
use std::fmt;
use std::sync::Weak as Std;

/// A reference that does not keep the value alive; see [`std::sync::Weak`].
pub struct Weak<T: ?Sized> {
    count: Count,
    inner: Std<T>,
}

impl<T> Weak<T> {
    /// A reference to nothing.
    #[must_use]
    pub const fn new() -> Weak<T> {
        Weak { count: Count::UNTRACKED, inner: Std::new() }
    }
}

impl<T: ?Sized> Weak<T> {
    pub(super) fn new_from(count: Count, inner: Std<T>) -> Weak<T> {
        Weak { count, inner }
    }

    pub(super) fn completed(&self) -> Count {
        self.count.completed()
    }

    /// The reference as one of std's, which a check does not see.
    pub fn into_std(self) -> Std<T> {
        self.count.leave();
        self.inner
    }

    /// The address of the value. See std.
    #[must_use]
    pub fn as_ptr(&self) -> *const T {
        self.inner.as_ptr()
    }

    /// A strong reference, if the value is still there. See std.
    #[must_use = "this returns a new `Arc`, without modifying the original weak pointer"]
    #[track_caller]
    pub fn upgrade(&self) -> Option<Arc<T>> {
        if !self.count.is_tracked() {
            return self.inner.upgrade().map(Arc::untracked);
        }
        let count = self.count.upgrade()?;
        match self.inner.upgrade() {
            Some(inner) => Some(Arc::new_from(count, inner)),
            None => {
                count.leave();
                None
            }
        }
    }

    /// How many strong references are there? See std.
    #[must_use]
    #[track_caller]
    pub fn strong_count(&self) -> usize {
        if !self.count.is_tracked() {
            return self.inner.strong_count();
        }
        self.count.look(OpKind::CountRead, 0);
        self.count.strong_left() as usize
    }

    /// How many weak references are there, as long as the value is? See std.
    #[must_use]
    #[track_caller]
    pub fn weak_count(&self) -> usize {
        if !self.count.is_tracked() {
            return self.inner.weak_count();
        }
        let weak = self.count.look(OpKind::CountRead, Model::WEAK).value;
        if self.count.strong_left() == 0 { 0 } else { weak as usize }
    }

    /// Do both refer to the same value? See std.
    #[must_use]
    pub fn ptr_eq(&self, other: &Weak<T>) -> bool {
        self.inner.ptr_eq(&other.inner)
    }
}

#[allow(unsafe_code)]
impl<T: ?Sized> Weak<T> {
    /// See std.
    ///
    /// # Safety
    /// As std's: the pointer came from [`Weak::into_raw`] and is used once.
    pub unsafe fn from_raw(ptr: *const T) -> Weak<T> {
        let count = Count::from_raw(ptr.addr(), true, std::mem::needs_drop::<T>());
        // SAFETY: the caller's promise; our pointers are std's.
        Weak { count, inner: unsafe { Std::from_raw(ptr) } }
    }

    /// See std.
    #[must_use = "losing the pointer will leak memory"]
    pub fn into_raw(self) -> *const T {
        self.count.into_raw(self.inner.as_ptr().addr());
        self.inner.into_raw()
    }
}

impl<T: ?Sized> Clone for Weak<T> {
    #[track_caller]
    fn clone(&self) -> Weak<T> {
        Weak { count: self.count.another(true), inner: self.inner.clone() }
    }
}

impl<T> Default for Weak<T> {
    fn default() -> Weak<T> {
        Weak::new()
    }
}

impl<T: ?Sized> fmt::Debug for Weak<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "(Weak)")
    }
}
