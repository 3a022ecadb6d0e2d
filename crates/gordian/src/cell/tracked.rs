//! Tracked access to cells, by a name that std's cells have as well.

/// Access to the contents of an `UnsafeCell` that a check can see.
///
/// Code that is built with and without the feature `check` imports this trait and uses `with` and `with_mut` instead
/// of `get`; on std's cell they are `get` and nothing else.
pub trait Tracked<T: ?Sized> {
    /// Reads: the pointer is for reading, inside the closure.
    fn with<R>(&self, f: impl FnOnce(*const T) -> R) -> R;

    /// Writes: the pointer is for reading and writing, inside the closure.
    fn with_mut<R>(&self, f: impl FnOnce(*mut T) -> R) -> R;
}

impl<T: ?Sized> Tracked<T> for std::cell::UnsafeCell<T> {
    fn with<R>(&self, f: impl FnOnce(*const T) -> R) -> R {
        f(self.get())
    }

    fn with_mut<R>(&self, f: impl FnOnce(*mut T) -> R) -> R {
        f(self.get())
    }
}
