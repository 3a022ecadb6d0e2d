//! Semaphores, also named ones as far as one process uses them.

use super::objects::{self, object};
use super::real::{entry, real};
use super::sites::site;
use super::{cancel, time, turn};
use gordian_model::object::Semaphore;
use gordian_model::{ObjectId, ObjectKind, Op, OpKind, SiteId, ThreadId};
use libc::{c_int, clockid_t, sem_t, timespec};

type One = unsafe extern "C" fn(*mut sem_t) -> c_int;
type Timed = unsafe extern "C" fn(*mut sem_t, *const timespec) -> c_int;
type Clocked = unsafe extern "C" fn(*mut sem_t, clockid_t, *const timespec) -> c_int;
type Value = unsafe extern "C" fn(*mut sem_t, *mut c_int) -> c_int;

fn fail(error: c_int) -> c_int {
    // SAFETY: it is the calling thread's.
    unsafe { *libc::__errno_location() = error };
    -1
}

fn get(me: ThreadId, semaphore: *mut sem_t, at: SiteId) -> ObjectId {
    // One that was made before `main`, or has a name, is known by what the C library wrote.
    let value = || {
        let mut value = 0;
        // SAFETY: the program says that it is a semaphore.
        unsafe { real!(c"sem_getvalue" as Value)(semaphore, &raw mut value) };
        Semaphore::new(value.max(0) as u32).into()
    };
    object(me, semaphore as usize, ObjectKind::Semaphore, at, value)
}

/// Takes a permit; `false` if there was none.
fn take(me: ThreadId, semaphore: *mut sem_t, kind: OpKind, at: SiteId) -> bool {
    let id = get(me, semaphore, at);
    if kind != OpKind::TryAcquire {
        return cancel::acquire(me, id, kind, at);
    }
    turn::step(me, &Op::new(kind, id, at)).ok
}

entry!(
    /// See sem_init(3).
    sem_init, 3 => init
);
entry!(
    /// See sem_destroy(3).
    sem_destroy, 1 => destroy
);
entry!(
    /// See sem_wait(3).
    sem_wait, 1 => wait
);
entry!(
    /// See sem_trywait(3).
    sem_trywait, 1 => try_wait
);
entry!(
    /// See sem_timedwait(3).
    sem_timedwait, 2 => timed_wait
);
entry!(
    /// See sem_clockwait(3).
    sem_clockwait, 3 => clock_wait
);
entry!(
    /// See sem_post(3).
    sem_post, 1 => post
);
entry!(
    /// See sem_getvalue(3).
    sem_getvalue, 2 => value
);

unsafe extern "C-unwind" fn init(semaphore: *mut sem_t, shared: c_int, value: u32, caller: usize) -> c_int {
    type Init = unsafe extern "C" fn(*mut sem_t, c_int, u32) -> c_int;
    // SAFETY: passed on as it came; it does not wait.
    let error = unsafe { real!(c"sem_init" as Init)(semaphore, shared, value) };
    if let (0, Some(me)) = (error, turn::me()) {
        let model = Semaphore::new(value).into();
        objects::initialise(me, semaphore as usize, ObjectKind::Semaphore, site(caller), model);
    }
    error
}

unsafe extern "C-unwind" fn destroy(semaphore: *mut sem_t, _caller: usize) -> c_int {
    if turn::me().is_some() {
        objects::destroy(semaphore as usize, ObjectKind::Semaphore);
    }
    // SAFETY: passed on as it came.
    unsafe { real!(c"sem_destroy" as One)(semaphore) }
}

unsafe extern "C-unwind" fn wait(semaphore: *mut sem_t, caller: usize) -> c_int {
    match turn::me() {
        Some(me) => {
            take(me, semaphore, OpKind::Acquire, site(caller));
            0
        }
        // SAFETY: passed on as it came.
        None => unsafe { real!(c"sem_wait" as One)(semaphore) },
    }
}

unsafe extern "C-unwind" fn try_wait(semaphore: *mut sem_t, caller: usize) -> c_int {
    match turn::me() {
        Some(me) if take(me, semaphore, OpKind::TryAcquire, site(caller)) => 0,
        Some(_) => fail(libc::EAGAIN),
        // SAFETY: passed on as it came.
        None => unsafe { real!(c"sem_trywait" as One)(semaphore) },
    }
}

unsafe extern "C-unwind" fn timed_wait(
    semaphore: *mut sem_t,
    until: *const timespec,
    caller: usize,
) -> c_int {
    match turn::me() {
        // SAFETY: passed on as it came.
        Some(_) => unsafe { clock_wait(semaphore, libc::CLOCK_REALTIME, until, caller) },
        // SAFETY: passed on as it came.
        None => unsafe { real!(c"sem_timedwait" as Timed)(semaphore, until) },
    }
}

unsafe extern "C-unwind" fn clock_wait(
    semaphore: *mut sem_t,
    clock: clockid_t,
    until: *const timespec,
    caller: usize,
) -> c_int {
    let Some(me) = turn::me() else {
        // SAFETY: passed on as it came.
        return unsafe { real!(c"sem_clockwait" as Clocked)(semaphore, clock, until) };
    };
    if take(me, semaphore, OpKind::AcquireTimed, site(caller)) {
        return 0;
    }
    // SAFETY: the program's own.
    time::expired(me, clock, unsafe { until.as_ref() });
    fail(libc::ETIMEDOUT)
}

unsafe extern "C-unwind" fn post(semaphore: *mut sem_t, caller: usize) -> c_int {
    let Some(me) = turn::me() else {
        // SAFETY: passed on as it came.
        return unsafe { real!(c"sem_post" as One)(semaphore) };
    };
    let at = site(caller);
    let id = get(me, semaphore, at);
    turn::step(me, &Op { arg: 1, ..Op::new(OpKind::Release, id, at) });
    0
}

unsafe extern "C-unwind" fn value(semaphore: *mut sem_t, value: *mut c_int, caller: usize) -> c_int {
    let Some(me) = turn::me() else {
        // SAFETY: passed on as it came.
        return unsafe { real!(c"sem_getvalue" as Value)(semaphore, value) };
    };
    let at = site(caller);
    let id = get(me, semaphore, at);
    let permits = turn::step(me, &Op::new(OpKind::Permits, id, at)).value;
    // SAFETY: the program wants it there.
    unsafe { value.write(permits as c_int) };
    0
}
