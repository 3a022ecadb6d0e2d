//! Atomics, as in [`std::sync::atomic`].

mod boolean;
mod common;
mod integer;
pub(crate) mod location;
mod pointer;

pub use boolean::AtomicBool;
pub use integer::{
    AtomicI8, AtomicI16, AtomicI32, AtomicI64, AtomicIsize, AtomicU8, AtomicU16, AtomicU32, AtomicU64,
    AtomicUsize,
};
pub use pointer::AtomicPtr;
pub use std::sync::atomic::{Ordering, compiler_fence};

use crate::runtime;
use gordian_model::{ObjectId, OpKind};
use location::order;

/// A fence; see [`std::sync::atomic::fence`].
pub fn fence(order_: Ordering) {
    if !runtime::active() {
        return std::sync::atomic::fence(order_);
    }
    assert!(order_ != Ordering::Relaxed, "there is no such thing as a relaxed fence");
    runtime::with(|conductor, me| conductor.fence(me, order(order_)));
}

/// A hint that the thread spins; see [`std::sync::atomic::spin_loop_hint`].
#[deprecated(note = "use hint::spin_loop instead")]
#[track_caller]
pub fn spin_loop_hint() {
    if !runtime::active() {
        return std::hint::spin_loop();
    }
    runtime::simple(OpKind::SpinHint, ObjectId::NONE);
}

macro_rules! first_values {
    ($($name:ident: $atomic:ident = $value:literal,)*) => {$(
        #[doc = concat!("A new atomic; see [`std::sync::atomic::", stringify!($name), "`].")]
        #[deprecated(note = "the `new` function is now preferred")]
        #[allow(clippy::declare_interior_mutable_const)]
        pub const $name: $atomic = $atomic::new($value);
    )*};
}

first_values! {
    ATOMIC_BOOL_INIT: AtomicBool = false,
    ATOMIC_USIZE_INIT: AtomicUsize = 0,
    ATOMIC_ISIZE_INIT: AtomicIsize = 0,
}
