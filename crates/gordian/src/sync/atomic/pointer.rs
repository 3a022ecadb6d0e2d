//! The atomic pointer. The model knows addresses only, so provenance is exposed on the way in and picked up again on the way
//! out.

use super::common::common;
use super::location::Location;
use crate::runtime::{self, Tag};
use gordian_model::Rmw;
use std::fmt;
use std::sync::atomic::Ordering;

/// An atomic pointer; see [`std::sync::atomic::AtomicPtr`].
///
/// There is no `from_ptr`: this type is larger than a pointer.
pub struct AtomicPtr<T> {
    real: std::sync::atomic::AtomicPtr<T>,
    tag: Tag,
}

impl<T> AtomicPtr<T> {
    /// A new atomic.
    #[track_caller]
    pub const fn new(p: *mut T) -> AtomicPtr<T> {
        AtomicPtr { real: std::sync::atomic::AtomicPtr::new(p), tag: Tag::new() }
    }

    #[inline]
    fn at(&self) -> Location<'_> {
        Location { tag: &self.tag, bytes: size_of::<usize>() as u8 }
    }

    fn bits(p: *mut T) -> u64 {
        p.expose_provenance() as u64
    }

    fn value(bits: u64) -> *mut T {
        std::ptr::with_exposed_provenance_mut(bits as usize)
    }

    common!(*mut T);

    /// See std.
    #[inline(never)]
    #[track_caller]
    pub fn fetch_ptr_add(&self, val: usize, order: Ordering) -> *mut T {
        self.fetch_byte_add(val.wrapping_mul(size_of::<T>()), order)
    }

    /// See std.
    #[inline(never)]
    #[track_caller]
    pub fn fetch_ptr_sub(&self, val: usize, order: Ordering) -> *mut T {
        self.fetch_byte_sub(val.wrapping_mul(size_of::<T>()), order)
    }
}

macro_rules! bytewise {
    ($($method:ident $rmw:ident,)*) => {
        impl<T> AtomicPtr<T> {$(
            /// See std.
            #[inline(never)]
            #[track_caller]
            pub fn $method(&self, val: usize, order: Ordering) -> *mut T {
                if !runtime::active() {
                    self.tag.outside();
                    return self.real.$method(val, order);
                }
                self.rmw(Rmw::$rmw, val as u64, order)
            }
        )*}
    };
}

bytewise! {
    fetch_byte_add Add,
    fetch_byte_sub Sub,
    fetch_or Or,
    fetch_and And,
    fetch_xor Xor,
}

impl<T> Default for AtomicPtr<T> {
    #[track_caller]
    fn default() -> AtomicPtr<T> {
        AtomicPtr::new(std::ptr::null_mut())
    }
}

impl<T> From<*mut T> for AtomicPtr<T> {
    #[track_caller]
    fn from(p: *mut T) -> AtomicPtr<T> {
        AtomicPtr::new(p)
    }
}

impl<T> fmt::Debug for AtomicPtr<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&self.load(Ordering::Relaxed), f)
    }
}

impl<T> fmt::Pointer for AtomicPtr<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Pointer::fmt(&self.load(Ordering::Relaxed), f)
    }
}
