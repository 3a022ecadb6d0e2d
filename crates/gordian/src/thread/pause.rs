//! Waiting without an object: parking, yielding, sleeping.

use crate::{runtime, time};
use gordian_model::{ObjectId, Op, OpKind};
use std::num::NonZeroUsize;
use std::panic::Location;
use std::time::Duration;

/// Waits for the token that [`Thread::unpark`](super::Thread::unpark) gives; see [`std::thread::park`].
#[track_caller]
pub fn park() {
    if !runtime::active() {
        return std::thread::park();
    }
    runtime::simple(OpKind::Park, ObjectId::life(runtime::me()));
}

/// As [`park`], for some time at most. In a check the time may run out at any moment.
#[track_caller]
#[inline(never)]
pub fn park_timeout(dur: Duration) {
    if !runtime::active() {
        return std::thread::park_timeout(dur);
    }
    let reply = runtime::simple(OpKind::ParkTimed, ObjectId::life(runtime::me()));
    if !reply.ok {
        time::pass(dur);
    }
}

/// As [`park_timeout`], in milliseconds.
#[deprecated(note = "replaced by `std::thread::park_timeout`")]
#[track_caller]
pub fn park_timeout_ms(ms: u32) {
    park_timeout(Duration::from_millis(u64::from(ms)));
}

/// As [`sleep`], in milliseconds.
#[deprecated(note = "replaced by `std::thread::sleep`")]
#[track_caller]
pub fn sleep_ms(ms: u32) {
    sleep(Duration::from_millis(u64::from(ms)));
}

/// Lets others go first; see [`std::thread::yield_now`].
#[track_caller]
#[inline(never)]
pub fn yield_now() {
    if !runtime::active() {
        return std::thread::yield_now();
    }
    runtime::op(Op::new(OpKind::Yield, ObjectId::NONE, runtime::site(Location::caller())));
}

/// Sleeps; see [`std::thread::sleep`]. In a check, time is virtual: sleeping takes none, and others may do any amount of
/// work meanwhile.
#[track_caller]
#[inline(never)]
pub fn sleep(dur: Duration) {
    if !runtime::active() {
        return std::thread::sleep(dur);
    }
    runtime::op(Op::new(OpKind::Sleep, ObjectId::NONE, runtime::site(Location::caller())));
    time::pass(dur);
}

/// Is the calling thread unwinding? See [`std::thread::panicking`].
pub fn panicking() -> bool {
    // What is torn down really unwinds, and destructors that ask before they assert must know.
    if runtime::active() && !runtime::is_silent() {
        runtime::is_panicking()
    } else {
        std::thread::panicking()
    }
}

/// See [`std::thread::available_parallelism`]. In a check it is two, on every machine, so that executions repeat.
pub fn available_parallelism() -> std::io::Result<NonZeroUsize> {
    if runtime::active() {
        Ok(NonZeroUsize::new(2).expect("two"))
    } else {
        std::thread::available_parallelism()
    }
}
