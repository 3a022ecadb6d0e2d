//! Integer atomics.

use super::common::common;
use super::location::Location;
use crate::runtime::{self, Tag};
use gordian_model::Rmw;
use std::fmt;
use std::sync::atomic::Ordering;

macro_rules! integers {
    ($($name:ident $int:ident $unsigned:ident $max:ident $min:ident;)*) => {$(
        #[doc = concat!("An atomic `", stringify!($int), "`; see [`std::sync::atomic::", stringify!($name), "`].")]
        ///
        /// There is no `from_ptr`: this type is larger than the integer.
        pub struct $name {
            real: std::sync::atomic::$name,
            tag: Tag,
        }

        impl $name {
            /// A new atomic.
            #[must_use]
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

            fn value(bits: u64) -> $int {
                bits as $int
            }

            common!($int);

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
            self.rmw(Rmw::$rmw, Self::bits(val), order)
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
