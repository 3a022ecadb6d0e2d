//! Virtual time. Sleeping takes none, and others may do any amount of work meanwhile; a wait that times out makes it as late as it was to
//! be. As in tests on Gordian's own types every thread has its own time: a new one starts with its parent's, joining takes the
//! later of both, and asking for the time takes a little of it, ever more if nothing else is done.

use super::real::{entry, real};
use super::sites::site;
use super::{cancel, inputs, sys, turn};
use gordian_model::{ObjectId, Op, OpKind, ThreadId};
use libc::{c_int, c_uint, c_void, clockid_t, time_t, timespec, timeval};

/// When executions begin: some day, the same for all of them.
const EPOCH: i64 = 1_700_000_000;
/// How long the machine has been running then.
const UPTIME: i64 = 100_000;
const SECOND: i64 = 1_000_000_000;
const TICK: u64 = 1_000;
const LONGEST_TICK: u64 = 1_000_000_000;

/// The virtual time of one thread, in nanoseconds since the execution began.
#[derive(Clone, Copy)]
pub(crate) struct Clock {
    nanos: u64,
    tick: u64,
    changes: u32,
    looks: u32,
}

impl Default for Clock {
    fn default() -> Clock {
        Clock { nanos: 0, tick: TICK, changes: 0, looks: 0 }
    }
}

impl Clock {
    /// The clock of a thread that one with this clock spawns.
    pub(crate) fn after(parent: &Clock) -> Clock {
        Clock { nanos: parent.nanos, ..Clock::default() }
    }

    pub(crate) fn catch_up(&mut self, other: &Clock) {
        self.nanos = self.nanos.max(other.nanos);
    }
}

/// What a clock shows at the beginning, in nanoseconds; nothing for clocks that are not virtual.
fn origin(clock: clockid_t) -> Option<i64> {
    match clock {
        libc::CLOCK_REALTIME | libc::CLOCK_REALTIME_COARSE | libc::CLOCK_TAI => Some(EPOCH * SECOND),
        libc::CLOCK_MONOTONIC
        | libc::CLOCK_MONOTONIC_RAW
        | libc::CLOCK_MONOTONIC_COARSE
        | libc::CLOCK_BOOTTIME => Some(UPTIME * SECOND),
        libc::CLOCK_PROCESS_CPUTIME_ID | libc::CLOCK_THREAD_CPUTIME_ID => Some(0),
        _ => None,
    }
}

fn nanos(time: &timespec) -> i64 {
    time.tv_sec.saturating_mul(SECOND).saturating_add(time.tv_nsec)
}

/// The thread's time goes on.
pub(crate) fn pass(me: ThreadId, time: &timespec) {
    turn::with(|rt| {
        let clock = &mut rt.control(me).clock;
        clock.nanos = clock.nanos.saturating_add(nanos(time).max(0) as u64);
    });
}

/// A wait of the thread has timed out: it is at least that late.
pub(crate) fn expired(me: ThreadId, clock: clockid_t, until: Option<&timespec>) {
    if let Some((until, origin)) = until.zip(origin(clock)) {
        let origin = inputs::time(me, clock).unwrap_or(origin);
        let then = nanos(until).saturating_sub(origin).max(0) as u64;
        turn::with(|rt| {
            let clock = &mut rt.control(me).clock;
            clock.nanos = clock.nanos.max(then);
        });
    }
}

/// The thread looks at its clock.
fn look(me: ThreadId) -> i64 {
    turn::with(|rt| {
        let changes = rt.conductor.changes(me);
        // A program that only looks at the clock until it is late enough is still under control.
        rt.beat();
        rt.conductor.not_idle(me);
        let clock = &mut rt.control(me).clock;
        if clock.changes != changes {
            clock.changes = changes;
            clock.tick = TICK;
        }
        clock.nanos = clock.nanos.saturating_add(clock.tick);
        clock.tick = (clock.tick * 2).min(LONGEST_TICK);
        i64::try_from(clock.nanos).unwrap_or(i64::MAX)
    })
}

/// So often in a row a thread may look at a real clock before its time goes on faster.
const LOOKS: u32 = 64;

/// How much further the time of a thread is that looks at a real clock.
fn look_again(me: ThreadId) -> i64 {
    turn::with(|rt| {
        let changes = rt.conductor.changes(me);
        let clock = &mut rt.control(me).clock;
        clock.looks = if clock.changes == changes { clock.looks + 1 } else { 0 };
        if clock.looks == 0 {
            clock.changes = changes;
            clock.tick = TICK;
        }
        if clock.looks > LOOKS {
            clock.nanos = clock.nanos.saturating_add(clock.tick);
            clock.tick = (clock.tick * 2).min(LONGEST_TICK);
        }
        i64::try_from(clock.nanos).unwrap_or(i64::MAX)
    })
}

/// The thread says that it has nothing better to do.
pub(crate) fn pause(me: ThreadId, kind: OpKind, caller: usize) {
    let at = site(caller);
    turn::step(me, &Op::new(kind, ObjectId::NONE, at));
}

entry!(
    /// See sched_yield(2).
    sched_yield, 0 => yield_now
);
entry!(
    /// See pthread_yield(3).
    pthread_yield, 0 => yield_now
);
entry!(
    /// See sleep(3).
    sleep, 1 => sleep_seconds
);
entry!(
    /// See usleep(3).
    usleep, 1 => sleep_micros
);
entry!(
    /// See nanosleep(2).
    nanosleep, 2 => sleep_nanos
);
entry!(
    /// See clock_nanosleep(2).
    clock_nanosleep, 4 => sleep_clock
);
entry!(
    /// See clock_gettime(2).
    clock_gettime, 2 => get_clock
);
entry!(
    /// See gettimeofday(2).
    gettimeofday, 2 => get_day
);
entry!(
    /// See time(2).
    time, 1 => get_time
);
entry!(
    /// See timespec_get(3).
    timespec_get, 2 => get_timespec
);

unsafe extern "C-unwind" fn yield_now(caller: usize) -> c_int {
    match turn::me() {
        Some(me) => pause(me, OpKind::Yield, caller),
        None => sys::yield_now(),
    }
    0
}

fn sleep_for(me: ThreadId, time: timespec, caller: usize) {
    pause(me, OpKind::Sleep, caller);
    pass(me, &time);
    cancel::look(me, site(caller));
}

unsafe extern "C-unwind" fn sleep_seconds(seconds: c_uint, caller: usize) -> c_uint {
    match turn::me() {
        Some(me) => {
            sleep_for(me, timespec { tv_sec: i64::from(seconds), tv_nsec: 0 }, caller);
            0
        }
        // SAFETY: passed on as it came.
        None => unsafe { real!(c"sleep" as unsafe extern "C" fn(c_uint) -> c_uint)(seconds) },
    }
}

unsafe extern "C-unwind" fn sleep_micros(micros: c_uint, caller: usize) -> c_int {
    match turn::me() {
        Some(me) => {
            let micros = i64::from(micros);
            sleep_for(
                me,
                timespec { tv_sec: micros / 1_000_000, tv_nsec: micros % 1_000_000 * 1_000 },
                caller,
            );
            0
        }
        // SAFETY: passed on as it came.
        None => unsafe { real!(c"usleep" as unsafe extern "C" fn(c_uint) -> c_int)(micros) },
    }
}

pub(crate) unsafe extern "C-unwind" fn sleep_nanos(
    time: *const timespec,
    left: *mut timespec,
    caller: usize,
) -> c_int {
    match turn::me() {
        Some(me) => {
            // SAFETY: the program's own.
            sleep_for(me, unsafe { time.read() }, caller);
            0
        }
        // SAFETY: passed on as it came.
        None => unsafe {
            real!(c"nanosleep" as unsafe extern "C" fn(*const timespec, *mut timespec) -> c_int)(time, left)
        },
    }
}

unsafe extern "C-unwind" fn sleep_clock(
    clock: clockid_t,
    flags: c_int,
    time: *const timespec,
    left: *mut timespec,
    caller: usize,
) -> c_int {
    type Sleep = unsafe extern "C" fn(clockid_t, c_int, *const timespec, *mut timespec) -> c_int;
    let Some(me) = turn::me() else {
        // SAFETY: passed on as it came.
        return unsafe { real!(c"clock_nanosleep" c"GLIBC_2.17" as Sleep)(clock, flags, time, left) };
    };
    pause(me, OpKind::Sleep, caller);
    // SAFETY: the program's own.
    let time = unsafe { time.read() };
    if flags & libc::TIMER_ABSTIME != 0 {
        expired(me, clock, Some(&time));
    } else {
        pass(me, &time);
    }
    cancel::look(me, site(caller));
    0
}

fn shown(me: ThreadId, clock: clockid_t, origin: i64) -> timespec {
    let now = match inputs::time(me, clock) {
        // Sleeping takes no time here either, and what waits for a time to come is helped along.
        Some(real) => real.saturating_add(look_again(me)),
        None => origin.saturating_add(look(me)),
    };
    timespec { tv_sec: now / SECOND, tv_nsec: now % SECOND }
}

unsafe extern "C-unwind" fn get_clock(clock: clockid_t, time: *mut timespec, _caller: usize) -> c_int {
    match turn::me().zip(origin(clock)) {
        Some((me, origin)) => {
            // SAFETY: the program wants it there.
            unsafe { time.write(shown(me, clock, origin)) };
            0
        }
        // SAFETY: passed on as it came.
        None => unsafe {
            real!(c"clock_gettime" c"GLIBC_2.17" as unsafe extern "C" fn(clockid_t, *mut timespec) -> c_int)(
                clock, time,
            )
        },
    }
}

unsafe extern "C-unwind" fn get_day(day: *mut timeval, zone: *mut c_void, _caller: usize) -> c_int {
    match turn::me() {
        Some(me) => {
            let now = shown(me, libc::CLOCK_REALTIME, EPOCH * SECOND);
            // SAFETY: the program wants it there.
            unsafe { day.write(timeval { tv_sec: now.tv_sec, tv_usec: now.tv_nsec / 1_000 }) };
            0
        }
        // SAFETY: passed on as it came.
        None => unsafe {
            real!(c"gettimeofday" as unsafe extern "C" fn(*mut timeval, *mut c_void) -> c_int)(day, zone)
        },
    }
}

unsafe extern "C-unwind" fn get_time(into: *mut time_t, _caller: usize) -> time_t {
    let Some(me) = turn::me() else {
        // SAFETY: passed on as it came.
        return unsafe { real!(c"time" as unsafe extern "C" fn(*mut time_t) -> time_t)(into) };
    };
    let now = shown(me, libc::CLOCK_REALTIME, EPOCH * SECOND).tv_sec;
    if !into.is_null() {
        // SAFETY: the program wants it there.
        unsafe { into.write(now) };
    }
    now
}

unsafe extern "C-unwind" fn get_timespec(time: *mut timespec, base: c_int, _caller: usize) -> c_int {
    const UTC: c_int = 1;
    match turn::me().filter(|_| base == UTC) {
        Some(me) => {
            // SAFETY: the program wants it there.
            unsafe { time.write(shown(me, libc::CLOCK_REALTIME, EPOCH * SECOND)) };
            base
        }
        // SAFETY: passed on as it came.
        None => unsafe {
            real!(c"timespec_get" as unsafe extern "C" fn(*mut timespec, c_int) -> c_int)(time, base)
        },
    }
}
