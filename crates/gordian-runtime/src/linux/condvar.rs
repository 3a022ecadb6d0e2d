//! Condition variables. The symbols have an old version with another layout, which no program of this century asks for.

use super::objects::{self, object};
use super::real::{entry, real};
use super::sites::site;
use super::{cancel, mutex, time, turn};
use gordian_model::object::{Condvar, Mutex};
use gordian_model::{ObjectId, ObjectKind, Op, OpKind, SiteId, ThreadId};
use libc::{c_int, c_void, clockid_t, pthread_cond_t, pthread_mutex_t, timespec};

type One = unsafe extern "C" fn(*mut pthread_cond_t) -> c_int;
type Wait = unsafe extern "C" fn(*mut pthread_cond_t, *mut pthread_mutex_t) -> c_int;
type Timed = unsafe extern "C" fn(*mut pthread_cond_t, *mut pthread_mutex_t, *const timespec) -> c_int;
type Clocked =
    unsafe extern "C" fn(*mut pthread_cond_t, *mut pthread_mutex_t, clockid_t, *const timespec) -> c_int;

/// Where glibc keeps whether timed waits go by the monotonic clock.
const FLAGS_AT: usize = 36;
const MONOTONIC: u32 = 2;

pub(crate) fn get(me: ThreadId, condvar: *mut pthread_cond_t, at: SiteId) -> ObjectId {
    object(me, condvar as usize, ObjectKind::Condvar, at, || Condvar::new().into())
}

/// Waits, until then if there is a then; zero or an error.
pub(crate) fn wait(
    me: ThreadId,
    condvar: *mut pthread_cond_t,
    lock: *mut pthread_mutex_t,
    until: Option<(clockid_t, *const timespec)>,
    at: SiteId,
) -> c_int {
    let id = get(me, condvar, at);
    let other = object(me, lock as usize, ObjectKind::Mutex, at, || Mutex::new().into());
    let detail = cancel::detail(me);
    mutex::released(me, lock, other);
    turn::step(me, &Op { other, ..Op::new(OpKind::Wait, id, at) });
    let kind = if until.is_some() { OpKind::WakeTimed } else { OpKind::Wake };
    let mut reply = turn::step_when(me, &Op { other, detail, ..Op::new(kind, id, at) }, |_| {});
    let called = detail != 0 && !reply.ok;
    let cancelled = called && reply.flag;
    if called {
        // It has left the others that wait, and has yet to get the mutex.
        let taken = turn::step_when(me, &Op::new(OpKind::Lock, other, at), |_| {});
        reply = gordian_model::Reply { value: 0, ..taken };
    }
    let error = mutex::taken(me, lock, other, at, reply.flag);
    if cancelled {
        cancel::obey(me);
    }
    match until {
        Some((clock, until)) if reply.value == 0 => {
            // SAFETY: the program's own.
            time::expired(me, clock, unsafe { until.as_ref() });
            if error == 0 { libc::ETIMEDOUT } else { error }
        }
        _ => error,
    }
}

/// Wakes one that waits, or all.
pub(crate) fn notify(me: ThreadId, condvar: *mut pthread_cond_t, kind: OpKind, at: SiteId) -> c_int {
    let id = get(me, condvar, at);
    turn::step(me, &Op::new(kind, id, at));
    0
}

entry!(
    /// See pthread_cond_init(3).
    pthread_cond_init, 2 => init
);
entry!(
    /// See pthread_cond_destroy(3).
    pthread_cond_destroy, 1 => destroy
);
entry!(
    /// See pthread_cond_wait(3).
    pthread_cond_wait, 2 => plain_wait
);
entry!(
    /// See pthread_cond_timedwait(3).
    pthread_cond_timedwait, 3 => timed_wait
);
entry!(
    /// See pthread_cond_clockwait(3).
    pthread_cond_clockwait, 4 => clock_wait
);
entry!(
    /// See pthread_cond_signal(3).
    pthread_cond_signal, 1 => signal
);
entry!(
    /// See pthread_cond_broadcast(3).
    pthread_cond_broadcast, 1 => broadcast
);

unsafe extern "C-unwind" fn init(
    condvar: *mut pthread_cond_t,
    attributes: *const c_void,
    caller: usize,
) -> c_int {
    type Init = unsafe extern "C" fn(*mut pthread_cond_t, *const c_void) -> c_int;
    if let Some(me) = turn::me() {
        objects::initialise(me, condvar as usize, ObjectKind::Condvar, site(caller), Condvar::new().into());
    }
    // SAFETY: passed on as it came; it does not wait.
    unsafe { real!(c"pthread_cond_init" c"GLIBC_2.3.2" as Init)(condvar, attributes) }
}

unsafe extern "C-unwind" fn destroy(condvar: *mut pthread_cond_t, _caller: usize) -> c_int {
    if turn::me().is_some() {
        objects::destroy(condvar as usize, ObjectKind::Condvar);
        // The C library would wait for whoever it thinks is waiting, and thinks that of nobody.
    }
    // SAFETY: passed on as it came.
    unsafe { real!(c"pthread_cond_destroy" c"GLIBC_2.3.2" as One)(condvar) }
}

unsafe extern "C-unwind" fn plain_wait(
    condvar: *mut pthread_cond_t,
    lock: *mut pthread_mutex_t,
    caller: usize,
) -> c_int {
    match turn::me() {
        Some(me) => wait(me, condvar, lock, None, site(caller)),
        // SAFETY: passed on as it came.
        None => unsafe { real!(c"pthread_cond_wait" c"GLIBC_2.3.2" as Wait)(condvar, lock) },
    }
}

unsafe extern "C-unwind" fn timed_wait(
    condvar: *mut pthread_cond_t,
    lock: *mut pthread_mutex_t,
    until: *const timespec,
    caller: usize,
) -> c_int {
    let Some(me) = turn::me() else {
        // SAFETY: passed on as it came.
        return unsafe { real!(c"pthread_cond_timedwait" c"GLIBC_2.3.2" as Timed)(condvar, lock, until) };
    };
    // SAFETY: it lies within the condition variable.
    let flags = unsafe { condvar.byte_add(FLAGS_AT).cast::<u32>().read() };
    let clock = if flags & MONOTONIC != 0 { libc::CLOCK_MONOTONIC } else { libc::CLOCK_REALTIME };
    wait(me, condvar, lock, Some((clock, until)), site(caller))
}

unsafe extern "C-unwind" fn clock_wait(
    condvar: *mut pthread_cond_t,
    lock: *mut pthread_mutex_t,
    clock: clockid_t,
    until: *const timespec,
    caller: usize,
) -> c_int {
    match turn::me() {
        Some(me) => wait(me, condvar, lock, Some((clock, until)), site(caller)),
        // SAFETY: passed on as it came.
        None => unsafe { real!(c"pthread_cond_clockwait" as Clocked)(condvar, lock, clock, until) },
    }
}

unsafe extern "C-unwind" fn signal(condvar: *mut pthread_cond_t, caller: usize) -> c_int {
    match turn::me() {
        Some(me) => notify(me, condvar, OpKind::NotifyOne, site(caller)),
        // SAFETY: passed on as it came.
        None => unsafe { real!(c"pthread_cond_signal" c"GLIBC_2.3.2" as One)(condvar) },
    }
}

unsafe extern "C-unwind" fn broadcast(condvar: *mut pthread_cond_t, caller: usize) -> c_int {
    match turn::me() {
        Some(me) => notify(me, condvar, OpKind::NotifyAll, site(caller)),
        // SAFETY: passed on as it came.
        None => unsafe { real!(c"pthread_cond_broadcast" c"GLIBC_2.3.2" as One)(condvar) },
    }
}
