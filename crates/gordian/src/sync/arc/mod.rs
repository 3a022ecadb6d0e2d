//! Shared ownership.

mod convert;
mod count;
mod traits;
mod weak;

pub use convert::{FromStd, MakeMut};
pub use weak::Weak;

use count::Count;
use gordian_model::OpKind;
use gordian_model::object::Arc as Model;
use std::any::Any;
use std::mem::MaybeUninit;
use std::pin::Pin;
use std::sync::Arc as Std;

/// Shared ownership of a value; see [`std::sync::Arc`].
///
/// In a check the counts are modelled: the last reference is ordered after all others, a count that the program looks
/// at is explored, and a value that is never dropped is a failure.
///
/// Two things that std's can do need the compiler's help: turning an `Arc<T>` into an `Arc<dyn Trait>` or `Arc<[T]>` by
/// itself, for which there is [`Arc::from_std`], and `self: Arc<Self>` as a receiver. An `Arc` that was made outside a
/// check is not modelled, and neither are its clones.
pub struct Arc<T: ?Sized> {
    count: Count,
    /// There until it is dropped or taken apart.
    inner: Option<Std<T>>,
}

impl<T: ?Sized> Arc<T> {
    fn new_from(count: Count, inner: Std<T>) -> Arc<T> {
        Arc { count, inner: Some(inner) }
    }

    #[track_caller]
    fn tracked(inner: Std<T>) -> Arc<T> {
        Arc::new_from(Count::new(std::mem::needs_drop::<T>()), inner)
    }

    fn untracked(inner: Std<T>) -> Arc<T> {
        Arc::new_from(Count::UNTRACKED, inner)
    }

    #[inline]
    fn inner(&self) -> &Std<T> {
        self.inner.as_ref().expect("there until dropped")
    }

    fn inner_mut(&mut self) -> &mut Std<T> {
        self.inner.as_mut().expect("there until dropped")
    }

    fn into_parts(mut self) -> (Count, Std<T>) {
        (self.count.take(), self.inner.take().expect("there until dropped"))
    }

    /// Takes over one of std's, for example `Arc::<dyn Trait>::from_std(std::sync::Arc::new(value))`. It is modelled if
    /// it is the only reference to its value.
    #[track_caller]
    pub fn from_std(inner: Std<T>) -> Arc<T> {
        if Std::strong_count(&inner) == 1 { Arc::tracked(inner) } else { Arc::untracked(inner) }
    }

    /// The reference as one of std's, which a check does not see.
    pub fn into_std(this: Arc<T>) -> Std<T> {
        let (count, inner) = this.into_parts();
        count.leave();
        inner
    }
}

impl<T> Arc<T> {
    /// A new shared value.
    #[inline]
    #[track_caller]
    pub fn new(data: T) -> Arc<T> {
        Arc::tracked(Std::new(data))
    }

    /// A value that holds a weak reference to itself. See std.
    #[track_caller]
    pub fn new_cyclic<F>(data_fn: F) -> Arc<T>
    where
        F: FnOnce(&Weak<T>) -> T,
    {
        let mut weak = None;
        let count = Count::under_construction(std::mem::needs_drop::<T>());
        let inner = Std::new_cyclic(|inner| data_fn(weak.insert(Weak::new_from(count, inner.clone()))));
        let weak = weak.expect("std calls the closure");
        let count = weak.completed();
        weak.into_std();
        Arc::new_from(count, inner)
    }

    /// Room for a value. See std.
    #[must_use]
    #[track_caller]
    pub fn new_uninit() -> Arc<MaybeUninit<T>> {
        Arc::tracked(Std::new_uninit())
    }

    /// Room for a value, filled with zeros. See std.
    #[must_use]
    #[track_caller]
    pub fn new_zeroed() -> Arc<MaybeUninit<T>> {
        Arc::tracked(Std::new_zeroed())
    }

    /// A new pinned shared value. See std.
    #[must_use]
    #[track_caller]
    pub fn pin(data: T) -> Pin<Arc<T>> {
        Arc::into_pin(Arc::new(data))
    }

    /// The value, if this is the only strong reference. See std.
    #[track_caller]
    pub fn try_unwrap(this: Arc<T>) -> Result<T, Arc<T>> {
        if this.count.is_tracked() && !this.count.look(OpKind::CountTest, Model::UNWRAP).ok {
            return Err(this);
        }
        let (count, inner) = this.into_parts();
        // The model has counted down already.
        count.forget();
        Std::try_unwrap(inner).map_err(Arc::untracked)
    }

    /// Drops the reference and gives the value if it was the last. See std.
    #[track_caller]
    pub fn into_inner(this: Arc<T>) -> Option<T> {
        let (count, inner) = this.into_parts();
        if count.is_tracked() {
            count.look(OpKind::CountDown, 0);
        }
        count.forget();
        Std::into_inner(inner)
    }
}

impl<T> Arc<[T]> {
    /// Room for a slice. See std.
    #[must_use]
    #[track_caller]
    pub fn new_uninit_slice(len: usize) -> Arc<[MaybeUninit<T>]> {
        Arc::tracked(Std::new_uninit_slice(len))
    }

    /// Room for a slice, filled with zeros. See std.
    #[must_use]
    #[track_caller]
    pub fn new_zeroed_slice(len: usize) -> Arc<[MaybeUninit<T>]> {
        Arc::tracked(Std::new_zeroed_slice(len))
    }
}

#[allow(unsafe_code)]
impl<T> Arc<MaybeUninit<T>> {
    /// See std.
    ///
    /// # Safety
    /// As std's: the value is initialised.
    #[must_use = "`self` will be dropped if the result is not used"]
    pub unsafe fn assume_init(self) -> Arc<T> {
        let (count, inner) = self.into_parts();
        // SAFETY: the caller's promise.
        Arc::new_from(count, unsafe { inner.assume_init() })
    }
}

#[allow(unsafe_code)]
impl<T> Arc<[MaybeUninit<T>]> {
    /// See std.
    ///
    /// # Safety
    /// As std's: the values are initialised.
    #[must_use = "`self` will be dropped if the result is not used"]
    pub unsafe fn assume_init(self) -> Arc<[T]> {
        let (count, inner) = self.into_parts();
        // SAFETY: the caller's promise.
        Arc::new_from(count, unsafe { inner.assume_init() })
    }
}

#[allow(unsafe_code)]
impl<T: ?Sized> Arc<T> {
    /// See std.
    ///
    /// # Safety
    /// As std's: the pointer came from [`Arc::into_raw`] and is used once.
    pub unsafe fn from_raw(ptr: *const T) -> Arc<T> {
        let count = Count::from_raw(ptr.addr(), false, std::mem::needs_drop::<T>());
        // SAFETY: the caller's promise; our pointers are std's.
        Arc::new_from(count, unsafe { Std::from_raw(ptr) })
    }

    /// See std.
    #[must_use = "losing the pointer will leak memory"]
    pub fn into_raw(this: Arc<T>) -> *const T {
        let (count, inner) = this.into_parts();
        count.into_raw(Std::as_ptr(&inner).addr());
        Std::into_raw(inner)
    }

    /// See std.
    ///
    /// # Safety
    /// As std's: the pointer came from [`Arc::into_raw`] and there is still a strong reference.
    #[track_caller]
    pub unsafe fn increment_strong_count(ptr: *const T) {
        Count::duplicate_raw(ptr.addr());
        // SAFETY: the caller's promise.
        unsafe { Std::increment_strong_count(ptr) };
    }

    /// See std.
    ///
    /// # Safety
    /// As std's: the pointer came from [`Arc::into_raw`] and there is still a strong reference.
    #[track_caller]
    pub unsafe fn decrement_strong_count(ptr: *const T) {
        // SAFETY: the caller's promise.
        drop(unsafe { Arc::from_raw(ptr) });
    }

    /// Pins a shared value, which does not move as long as it is shared.
    fn into_pin(this: Arc<T>) -> Pin<Arc<T>> {
        // SAFETY: the value behind an `Arc` never moves, and `Deref` gives what std's `Arc` holds.
        unsafe { Pin::new_unchecked(this) }
    }
}

impl<T: ?Sized> Arc<T> {
    /// The address of the value. See std.
    #[must_use]
    pub fn as_ptr(this: &Arc<T>) -> *const T {
        Std::as_ptr(this.inner())
    }

    /// A weak reference to the value. See std.
    #[must_use = "this returns a new `Weak` pointer, without modifying the original `Arc`"]
    #[track_caller]
    pub fn downgrade(this: &Arc<T>) -> Weak<T> {
        Weak::new_from(this.count.another(true), Std::downgrade(this.inner()))
    }

    /// How many weak references are there? See std.
    #[must_use]
    #[track_caller]
    pub fn weak_count(this: &Arc<T>) -> usize {
        if !this.count.is_tracked() {
            return Std::weak_count(this.inner());
        }
        this.count.look(OpKind::CountRead, Model::WEAK).value as usize
    }

    /// How many strong references are there? See std.
    #[must_use]
    #[track_caller]
    pub fn strong_count(this: &Arc<T>) -> usize {
        if !this.count.is_tracked() {
            return Std::strong_count(this.inner());
        }
        this.count.look(OpKind::CountRead, 0).value as usize
    }

    /// Do both refer to the same value? See std.
    #[must_use]
    pub fn ptr_eq(this: &Arc<T>, other: &Arc<T>) -> bool {
        Std::ptr_eq(this.inner(), other.inner())
    }

    /// The value, if this is the only reference. See std.
    #[track_caller]
    pub fn get_mut(this: &mut Arc<T>) -> Option<&mut T> {
        if this.count.is_tracked() && !this.count.look(OpKind::CountTest, 0).ok {
            return None;
        }
        Std::get_mut(this.inner_mut())
    }

    /// The value for writing, cloned if it is shared. See std.
    #[track_caller]
    pub fn make_mut(this: &mut Arc<T>) -> &mut T
    where
        T: MakeMut,
    {
        if this.count.is_tracked() {
            if !this.count.look(OpKind::CountTest, Model::UNWRAP).ok {
                *this = Arc::tracked(T::clone_shared(this.inner()));
            } else if this.count.weak_left() == 0 {
                this.count.revive();
            } else {
                // Only weak references are left: std moves the value away from them.
                std::mem::replace(&mut this.count, Count::new(std::mem::needs_drop::<T>())).forget();
            }
        }
        T::make_mut(this.inner_mut())
    }
}

impl<T: Clone> Arc<T> {
    /// The value, cloned if it is shared. See std.
    #[track_caller]
    pub fn unwrap_or_clone(this: Arc<T>) -> T {
        Arc::try_unwrap(this).unwrap_or_else(|arc| (*arc).clone())
    }
}

impl Arc<dyn Any + Send + Sync> {
    /// The value as one of type `T`. See std.
    pub fn downcast<T>(self) -> Result<Arc<T>, Arc<dyn Any + Sync + Send>>
    where
        T: Any + Send + Sync,
    {
        let (count, inner) = self.into_parts();
        match inner.downcast() {
            Ok(inner) => Ok(Arc::new_from(count, inner)),
            Err(inner) => Err(Arc::new_from(count, inner)),
        }
    }
}

impl<T: ?Sized> Drop for Arc<T> {
    #[inline]
    #[track_caller]
    fn drop(&mut self) {
        let Some(inner) = self.inner.take() else { return };
        let dropping = self.count.take().down();
        drop(inner);
        if let Some(dropping) = dropping {
            dropping.done();
        }
    }
}
