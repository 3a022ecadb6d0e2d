//! The clock that never goes back.

use super::{checked_add, checked_sub, look, since};
use crate::runtime;
use std::fmt;
use std::ops::{Add, AddAssign, Sub, SubAssign};
use std::sync::OnceLock;
use std::time::Duration;

/// A point in time; see [`std::time::Instant`]. In a check it is virtual: see [the module](super).
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Instant {
    /// Nanoseconds, in a check since the execution began, outside since the first use in the process.
    nanos: i128,
}

impl Instant {
    /// Now.
    #[must_use]
    pub fn now() -> Instant {
        if runtime::active() {
            return Instant { nanos: i128::from(look()) };
        }
        static BASE: OnceLock<std::time::Instant> = OnceLock::new();
        let base = BASE.get_or_init(std::time::Instant::now);
        Instant { nanos: base.elapsed().as_nanos() as i128 }
    }

    /// The time since an earlier point; zero if it is later.
    #[must_use]
    pub fn duration_since(&self, earlier: Instant) -> Duration {
        self.saturating_duration_since(earlier)
    }

    /// The time since an earlier point; `None` if it is later.
    #[must_use]
    pub fn checked_duration_since(&self, earlier: Instant) -> Option<Duration> {
        since(self.nanos, earlier.nanos).ok()
    }

    /// The time since an earlier point; zero if it is later.
    #[must_use]
    pub fn saturating_duration_since(&self, earlier: Instant) -> Duration {
        self.checked_duration_since(earlier).unwrap_or_default()
    }

    /// The time since then.
    #[must_use]
    pub fn elapsed(&self) -> Duration {
        Instant::now() - *self
    }

    /// A later point, if it can be represented.
    pub fn checked_add(&self, duration: Duration) -> Option<Instant> {
        checked_add(self.nanos, duration).map(|nanos| Instant { nanos })
    }

    /// An earlier point, if it can be represented.
    pub fn checked_sub(&self, duration: Duration) -> Option<Instant> {
        checked_sub(self.nanos, duration).map(|nanos| Instant { nanos })
    }
}

impl Add<Duration> for Instant {
    type Output = Instant;

    #[track_caller]
    fn add(self, other: Duration) -> Instant {
        self.checked_add(other).expect("overflow when adding duration to instant")
    }
}

impl AddAssign<Duration> for Instant {
    #[track_caller]
    fn add_assign(&mut self, other: Duration) {
        *self = *self + other;
    }
}

impl Sub<Duration> for Instant {
    type Output = Instant;

    #[track_caller]
    fn sub(self, other: Duration) -> Instant {
        self.checked_sub(other).expect("overflow when subtracting duration from instant")
    }
}

impl SubAssign<Duration> for Instant {
    #[track_caller]
    fn sub_assign(&mut self, other: Duration) {
        *self = *self - other;
    }
}

impl Sub for Instant {
    type Output = Duration;

    fn sub(self, other: Instant) -> Duration {
        self.duration_since(other)
    }
}

impl fmt::Debug for Instant {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Instant").field(&self.nanos).finish()
    }
}
