//! The clock on the wall.

use super::{SECOND, checked_add, checked_sub, look, since};
use crate::runtime;
use std::fmt;
use std::ops::{Add, AddAssign, Sub, SubAssign};
use std::time::{Duration, SystemTimeError};

/// A point in time; see [`std::time::SystemTime`]. In a check it is virtual: see [the module](super).
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SystemTime {
    /// Nanoseconds since the beginning of 1970.
    nanos: i128,
}

/// The beginning of 1970; see [`std::time::UNIX_EPOCH`].
pub const UNIX_EPOCH: SystemTime = SystemTime { nanos: 0 };

/// In a check, executions begin at the beginning of 2025.
const BEGINNING: i128 = 1_735_689_600 * SECOND;

impl SystemTime {
    /// The beginning of 1970.
    pub const UNIX_EPOCH: SystemTime = UNIX_EPOCH;

    /// Now.
    #[must_use]
    pub fn now() -> SystemTime {
        if runtime::active() {
            return SystemTime { nanos: BEGINNING + i128::from(look()) };
        }
        SystemTime::from(std::time::SystemTime::now())
    }

    /// The time since an earlier point. See std.
    pub fn duration_since(&self, earlier: SystemTime) -> Result<Duration, SystemTimeError> {
        since(self.nanos, earlier.nanos).map_err(error)
    }

    /// The time since then. See std.
    pub fn elapsed(&self) -> Result<Duration, SystemTimeError> {
        SystemTime::now().duration_since(*self)
    }

    /// A later point, if it can be represented.
    pub fn checked_add(&self, duration: Duration) -> Option<SystemTime> {
        checked_add(self.nanos, duration).map(|nanos| SystemTime { nanos })
    }

    /// An earlier point, if it can be represented.
    pub fn checked_sub(&self, duration: Duration) -> Option<SystemTime> {
        checked_sub(self.nanos, duration).map(|nanos| SystemTime { nanos })
    }
}

/// Std's error can only be had from std.
fn error(by: Duration) -> SystemTimeError {
    let epoch = std::time::UNIX_EPOCH;
    epoch.checked_add(by).and_then(|later| epoch.duration_since(later).err()).unwrap_or_else(|| {
        epoch.duration_since(epoch + Duration::from_secs(i64::MAX as u64)).expect_err("it is later")
    })
}

/// For what std gives out, the times of files for example.
impl From<std::time::SystemTime> for SystemTime {
    fn from(time: std::time::SystemTime) -> SystemTime {
        let nanos = match time.duration_since(std::time::UNIX_EPOCH) {
            Ok(after) => after.as_nanos() as i128,
            Err(before) => -(before.duration().as_nanos() as i128),
        };
        SystemTime { nanos }
    }
}

/// For what std takes.
impl From<SystemTime> for std::time::SystemTime {
    fn from(time: SystemTime) -> std::time::SystemTime {
        match since(time.nanos, 0) {
            Ok(after) => std::time::UNIX_EPOCH + after,
            Err(before) => std::time::UNIX_EPOCH - before,
        }
    }
}

impl Add<Duration> for SystemTime {
    type Output = SystemTime;

    #[track_caller]
    fn add(self, dur: Duration) -> SystemTime {
        self.checked_add(dur).expect("overflow when adding duration to instant")
    }
}

impl AddAssign<Duration> for SystemTime {
    #[track_caller]
    fn add_assign(&mut self, other: Duration) {
        *self = *self + other;
    }
}

impl Sub<Duration> for SystemTime {
    type Output = SystemTime;

    #[track_caller]
    fn sub(self, dur: Duration) -> SystemTime {
        self.checked_sub(dur).expect("overflow when subtracting duration from instant")
    }
}

impl SubAssign<Duration> for SystemTime {
    #[track_caller]
    fn sub_assign(&mut self, other: Duration) {
        *self = *self - other;
    }
}

impl fmt::Debug for SystemTime {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("SystemTime").field(&self.nanos).finish()
    }
}
