//! Time, as in [`std::time`]. In a check it is virtual.

use crate::runtime;
use std::time::Duration;
pub use std::time::{Duration as StdDuration, SystemTimeError, UNIX_EPOCH};

/// The running thread's virtual time goes on.
pub(crate) fn pass(dur: Duration) {
    let nanos = u64::try_from(dur.as_nanos()).unwrap_or(u64::MAX);
    runtime::shared(|shared, me| match shared.times.iter_mut().find(|t| t.0 == me) {
        Some((_, time)) => *time = time.saturating_add(nanos),
        None => shared.times.push((me, nanos)),
    });
}
