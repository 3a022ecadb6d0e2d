//! The atomic flag.

use super::common::common;
use super::location::Location;
use crate::runtime::{self, Tag};
use gordian_model::Rmw;
use std::fmt;
use std::sync::atomic::Ordering;

/// An atomic `bool`; see [`std::sync::atomic::AtomicBool`].
///
/// There is no `from_ptr`: this type is larger than a `bool`.
pub struct AtomicBool {
    real: std::sync::atomic::AtomicBool,
    tag: Tag,
}

impl AtomicBool {
    /// A new atomic.
    #[must_use]
    #[track_caller]
    pub const fn new(v: bool) -> AtomicBool {
        AtomicBool { real: std::sync::atomic::AtomicBool::new(v), tag: Tag::new() }
    }

    #[inline]
    fn at(&self) -> Location<'_> {
        Location { tag: &self.tag, bytes: 1 }
    }

    fn bits(v: bool) -> u64 {
        u64::from(v)
    }

    fn value(bits: u64) -> bool {
        bits != 0
    }

    common!(bool);

    /// See std.
    #[inline(never)]
    #[track_caller]
    pub fn fetch_and(&self, val: bool, order: Ordering) -> bool {
        if !runtime::active() {
            self.tag.outside();
            return self.real.fetch_and(val, order);
        }
        self.rmw(Rmw::And, Self::bits(val), order)
    }

    /// See std.
    #[inline(never)]
    #[track_caller]
    pub fn fetch_nand(&self, val: bool, order: Ordering) -> bool {
        // The arithmetic of the model is that of integers, where the result would be no bool.
        if val { self.fetch_xor(true, order) } else { self.swap(true, order) }
    }

    /// See std.
    #[inline(never)]
    #[track_caller]
    pub fn fetch_or(&self, val: bool, order: Ordering) -> bool {
        if !runtime::active() {
            self.tag.outside();
            return self.real.fetch_or(val, order);
        }
        self.rmw(Rmw::Or, Self::bits(val), order)
    }

    /// See std.
    #[inline(never)]
    #[track_caller]
    pub fn fetch_xor(&self, val: bool, order: Ordering) -> bool {
        if !runtime::active() {
            self.tag.outside();
            return self.real.fetch_xor(val, order);
        }
        self.rmw(Rmw::Xor, Self::bits(val), order)
    }

    /// See std.
    #[inline(never)]
    #[track_caller]
    pub fn fetch_not(&self, order: Ordering) -> bool {
        self.fetch_xor(true, order)
    }
}

impl Default for AtomicBool {
    #[track_caller]
    fn default() -> AtomicBool {
        AtomicBool::new(false)
    }
}

impl From<bool> for AtomicBool {
    #[track_caller]
    fn from(v: bool) -> AtomicBool {
        AtomicBool::new(v)
    }
}

impl fmt::Debug for AtomicBool {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&self.load(Ordering::Relaxed), f)
    }
}
