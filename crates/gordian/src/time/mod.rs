//! Time, as in [`std::time`].
//!
//! In a check time is virtual, so that executions repeat. Every thread has its own: it goes on by sleeping and by waits
//! that time out, a spawned thread starts with its parent's, and joining takes the later of both. Asking for the time
//! takes a little of it; asking again and again without changing anything takes ever more, so that a loop that waits
//! for a deadline comes to its end after a few rounds.

mod instant;
mod system_time;

pub use instant::Instant;
pub use std::time::{Duration, SystemTimeError, TryFromFloatSecsError};
pub use system_time::{SystemTime, UNIX_EPOCH};

use crate::runtime;
use gordian_model::ThreadId;

/// The virtual time of one thread, in nanoseconds since the execution began.
pub(crate) struct Clock {
    thread: ThreadId,
    nanos: u64,
    /// What the next look at the clock takes.
    tick: u64,
    /// How often the thread had changed something at the last look.
    changes: u32,
}

/// What a look at the clock takes, after anything else was done.
const TICK: u64 = 1_000;
const LONGEST_TICK: u64 = 1_000_000_000;

fn with_clock<R>(f: impl FnOnce(&mut Clock) -> R) -> R {
    runtime::shared(|shared, me| {
        let i = shared.times.iter().position(|c| c.thread == me).unwrap_or_else(|| {
            shared.times.push(Clock { thread: me, nanos: 0, tick: TICK, changes: 0 });
            shared.times.len() - 1
        });
        f(&mut shared.times[i])
    })
}

/// The running thread's virtual time goes on.
pub(crate) fn pass(dur: Duration) {
    let nanos = u64::try_from(dur.as_nanos()).unwrap_or(u64::MAX);
    runtime::with(|conductor, me| conductor.not_idle(me));
    with_clock(|clock| clock.nanos = clock.nanos.saturating_add(nanos));
}

/// The running thread looks at its clock.
fn look() -> u64 {
    let changes = runtime::with(|conductor, me| {
        conductor.not_idle(me);
        conductor.changes(me)
    });
    with_clock(|clock| {
        if clock.changes != changes {
            clock.changes = changes;
            clock.tick = TICK;
        }
        clock.nanos = clock.nanos.saturating_add(clock.tick);
        clock.tick = (clock.tick * 2).min(LONGEST_TICK);
        clock.nanos
    })
}

/// The running thread has spawned another, which starts with its time.
#[inline]
pub(crate) fn begin_with_mine(child: ThreadId) {
    runtime::shared(|shared, me| {
        if !shared.times.is_empty() {
            begin_with(shared, child, time_among(&shared.times, me));
        }
    });
}

#[inline(never)]
fn begin_with(shared: &mut runtime::Shared, thread: ThreadId, nanos: u64) {
    if nanos > 0 {
        shared.times.push(Clock { thread, nanos, tick: TICK, changes: 0 });
    }
}

/// Most programs know no time at all.
#[inline]
fn time_of(thread: ThreadId) -> u64 {
    runtime::shared(|shared, _| if shared.times.is_empty() { 0 } else { time_among(&shared.times, thread) })
}

#[inline(never)]
fn time_among(times: &[Clock], thread: ThreadId) -> u64 {
    times.iter().find(|clock| clock.thread == thread).map_or(0, |clock| clock.nanos)
}

/// It is at least that late for the running thread.
#[inline]
pub(crate) fn at_least(nanos: u64) {
    if nanos > 0 {
        go_on_to(nanos);
    }
}

#[inline(never)]
fn go_on_to(nanos: u64) {
    with_clock(|clock| clock.nanos = clock.nanos.max(nanos));
}

/// The running thread has waited for the end of another.
#[inline]
pub(crate) fn catch_up_with(thread: ThreadId) {
    at_least(time_of(thread));
}

const SECOND: i128 = 1_000_000_000;

/// A point in time as nanoseconds; the range is that of std's: as many seconds as an `i64` counts.
fn checked_add(nanos: i128, by: Duration) -> Option<i128> {
    in_range(nanos.checked_add(i128::try_from(by.as_nanos()).ok()?)?)
}

fn checked_sub(nanos: i128, by: Duration) -> Option<i128> {
    in_range(nanos.checked_sub(i128::try_from(by.as_nanos()).ok()?)?)
}

fn in_range(nanos: i128) -> Option<i128> {
    i64::try_from(nanos.div_euclid(SECOND)).ok().map(|_| nanos)
}

/// `Err` is how much earlier it is.
fn since(later: i128, earlier: i128) -> Result<Duration, Duration> {
    let difference = later - earlier;
    let size = difference.unsigned_abs();
    let duration = Duration::new(
        u64::try_from(size / SECOND.unsigned_abs()).unwrap_or(u64::MAX),
        (size % SECOND.unsigned_abs()) as u32,
    );
    if difference >= 0 { Ok(duration) } else { Err(duration) }
}
