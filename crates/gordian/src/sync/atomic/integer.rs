//! Integer atomics.

use super::location::Location;
use crate::runtime::{self, Tag};
use gordian_model::Rmw;
use std::fmt;
use std::sync::atomic::Ordering;

macro_rules! integers {
    ($($name:ident $int:ident $unsigned:ident $max:ident $min:ident;)*) => {$(
        #[doc = concat!("An atomic `", stringify!($int), "`; see [`std::sync::atomic::", stringify!($name), "`].")]
        pub struct $name {
            real: std::sync::atomic::$name,
            tag: Tag,
        }

        impl $name {
            /// A new atomic.
            #[track_caller]
            pub const fn new(v: $int) -> Self {
                Self { real: std::sync::atomic::$name::new(v), tag: Tag::new() }
            }

            #[inline]
            fn at(&self) -> Location<'_> {
                Location { tag: &self.tag, bytes: size_of::<$int>() as u8 }
            }

            fn bits(v: $int) -> u64 {
                v as $unsigned as u64
            }

            #[inline]
            fn first(&self) -> impl FnOnce() -> u64 + '_ {
                || Self::bits(self.real.load(Ordering::Relaxed))
            }

            /// The value as it is inside or outside of a check, put into `real`.
            fn settle(&mut self) {
                if runtime::active() && let Some(bits) = self.at().current() {
                    *self.real.get_mut() = bits as $int;
                    // The next use registers it anew with the value that is there then.
                    self.tag.forget();
                }
            }

            /// See std.
            pub fn get_mut(&mut self) -> &mut $int {
                self.settle();
                self.real.get_mut()
            }

            /// See std.
            pub fn into_inner(mut self) -> $int {
                self.settle();
                self.real.into_inner()
            }

            /// See std. What is done through the pointer is not seen by a check.
            pub const fn as_ptr(&self) -> *mut $int {
                self.real.as_ptr()
            }

            /// See std.
            #[inline(never)]
            #[track_caller]
            pub fn load(&self, order: Ordering) -> $int {
                if !runtime::active() {
                    self.tag.outside();
                    return self.real.load(order);
                }
                self.at().load(self.first(), order) as $int
            }

            /// See std.
            #[inline(never)]
            #[track_caller]
            pub fn store(&self, val: $int, order: Ordering) {
                if !runtime::active() {
                    self.tag.outside();
                    return self.real.store(val, order);
                }
                self.at().store(self.first(), Self::bits(val), order);
            }

            /// See std.
            #[inline(never)]
            #[track_caller]
            pub fn compare_exchange(&self, current: $int, new: $int, success: Ordering, failure: Ordering) -> Result<$int, $int> {
                if !runtime::active() {
                    self.tag.outside();
                    return self.real.compare_exchange(current, new, success, failure);
                }
                let values = (Self::bits(current), Self::bits(new));
                let reply = self.at().compare_exchange(self.first(), values, (success, failure), false);
                reply.map(|v| v as $int).map_err(|v| v as $int)
            }

            /// See std.
            #[inline(never)]
            #[track_caller]
            pub fn compare_exchange_weak(&self, current: $int, new: $int, success: Ordering, failure: Ordering) -> Result<$int, $int> {
                if !runtime::active() {
                    self.tag.outside();
                    return self.real.compare_exchange_weak(current, new, success, failure);
                }
                let values = (Self::bits(current), Self::bits(new));
                let reply = self.at().compare_exchange(self.first(), values, (success, failure), true);
                reply.map(|v| v as $int).map_err(|v| v as $int)
            }

            /// See std.
            #[deprecated(note = "Use `compare_exchange` or `compare_exchange_weak` instead")]
            #[track_caller]
            pub fn compare_and_swap(&self, current: $int, new: $int, order: Ordering) -> $int {
                let failure = match order {
                    Ordering::Relaxed | Ordering::Release => Ordering::Relaxed,
                    Ordering::Acquire | Ordering::AcqRel => Ordering::Acquire,
                    other => other,
                };
                self.compare_exchange(current, new, order, failure).unwrap_or_else(|v| v)
            }

            /// See std.
            #[track_caller]
            pub fn fetch_update<F>(&self, set_order: Ordering, fetch_order: Ordering, f: F) -> Result<$int, $int>
            where
                F: FnMut($int) -> Option<$int>,
            {
                self.try_update(set_order, fetch_order, f)
            }

            /// See std.
            #[track_caller]
            pub fn try_update(&self, set_order: Ordering, fetch_order: Ordering, mut f: impl FnMut($int) -> Option<$int>) -> Result<$int, $int> {
                let mut prev = self.load(fetch_order);
                while let Some(next) = f(prev) {
                    match self.compare_exchange_weak(prev, next, set_order, fetch_order) {
                        Ok(x) => return Ok(x),
                        Err(next_prev) => prev = next_prev,
                    }
                }
                Err(prev)
            }

            /// See std.
            #[track_caller]
            pub fn update(&self, set_order: Ordering, fetch_order: Ordering, mut f: impl FnMut($int) -> $int) -> $int {
                let mut prev = self.load(fetch_order);
                loop {
                    match self.compare_exchange_weak(prev, f(prev), set_order, fetch_order) {
                        Ok(x) => return x,
                        Err(next_prev) => prev = next_prev,
                    }
                }
            }

            /// See std.
            ///
            /// # Safety
            /// As std's: the pointer is valid and aligned for as long as the reference lives. It must have come from a
            /// gordian atomic's address, because this type is larger than the integer.
            #[allow(unsafe_code)]
            pub const unsafe fn from_ptr<'a>(ptr: *mut $int) -> &'a $name {
                // SAFETY: the caller's promise; the integer is the first field.
                unsafe { &*ptr.cast::<$name>() }
            }

            integers!(@rmw $name $int swap Swap);
            integers!(@rmw $name $int fetch_add Add);
            integers!(@rmw $name $int fetch_sub Sub);
            integers!(@rmw $name $int fetch_and And);
            integers!(@rmw $name $int fetch_nand Nand);
            integers!(@rmw $name $int fetch_or Or);
            integers!(@rmw $name $int fetch_xor Xor);
            integers!(@rmw $name $int fetch_max $max);
            integers!(@rmw $name $int fetch_min $min);
        }

        impl Default for $name {
            #[track_caller]
            fn default() -> Self {
                Self::new(0)
            }
        }

        impl From<$int> for $name {
            #[track_caller]
            fn from(v: $int) -> Self {
                Self::new(v)
            }
        }

        impl fmt::Debug for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                fmt::Debug::fmt(&self.load(Ordering::Relaxed), f)
            }
        }
    )*};
    (@rmw $name:ident $int:ident $method:ident $rmw:ident) => {
        /// See std.
        #[inline(never)]
        #[track_caller]
        pub fn $method(&self, val: $int, order: Ordering) -> $int {
            if !runtime::active() {
                self.tag.outside();
                return self.real.$method(val, order);
            }
            self.at().rmw(self.first(), Rmw::$rmw, Self::bits(val), order) as $int
        }
    };
}

integers! {
    AtomicU8 u8 u8 UMax UMin;
    AtomicU16 u16 u16 UMax UMin;
    AtomicU32 u32 u32 UMax UMin;
    AtomicU64 u64 u64 UMax UMin;
    AtomicUsize usize usize UMax UMin;
    AtomicI8 i8 u8 Max Min;
    AtomicI16 i16 u16 Max Min;
    AtomicI32 i32 u32 Max Min;
    AtomicI64 i64 u64 Max Min;
    AtomicIsize isize usize Max Min;
}
