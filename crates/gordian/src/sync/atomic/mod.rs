//! Atomics, as in [`std::sync::atomic`].

mod integer;
pub(crate) mod location;

pub use integer::{AtomicI8, AtomicI16, AtomicI32, AtomicI64, AtomicIsize, AtomicU8, AtomicU16, AtomicU32, AtomicU64, AtomicUsize};
pub use std::sync::atomic::Ordering;

use crate::runtime;
use location::order;

/// A fence; see [`std::sync::atomic::fence`].
pub fn fence(order_: Ordering) {
    if !runtime::active() {
        return std::sync::atomic::fence(order_);
    }
    assert!(order_ != Ordering::Relaxed, "there is no such thing as a relaxed fence");
    runtime::with(|conductor, me| conductor.fence(me, order(order_)));
}

pub use std::sync::atomic::compiler_fence;
