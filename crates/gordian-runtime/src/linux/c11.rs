//! The threads of C11. glibc's call its POSIX ones directly, so they have to be taken over themselves. The types are the same; what they
//! give back is not.

use super::real::{entry, real};
use super::sites::site;
use super::{condvar, mutex, once, thread, time, turn};
use gordian_model::{ObjectKind, OpKind};
use libc::{c_int, c_void, pthread_cond_t, pthread_mutex_t, pthread_t, timespec};

const SUCCESS: c_int = 0;
const BUSY: c_int = 1;
const ERROR: c_int = 2;
const NO_MEMORY: c_int = 3;
const TIMED_OUT: c_int = 4;

fn told(error: c_int) -> c_int {
    match error {
        0 => SUCCESS,
        libc::EBUSY => BUSY,
        libc::ENOMEM => NO_MEMORY,
        libc::ETIMEDOUT => TIMED_OUT,
        _ => ERROR,
    }
}

entry!(
    /// See thrd_create(3).
    thrd_create, 3 => create
);
entry!(
    /// See thrd_join(3).
    thrd_join, 2 => join
);
entry!(
    /// See thrd_detach(3).
    thrd_detach, 1 => detach
);
entry!(
    /// See thrd_yield(3).
    thrd_yield, 0 => yield_now
);
entry!(
    /// See thrd_sleep(3).
    thrd_sleep, 2 => sleep
);
entry!(
    /// See mtx_init(3).
    mtx_init, 2 => init
);
entry!(
    /// See mtx_destroy(3).
    mtx_destroy, 1 => destroy
);
entry!(
    /// See mtx_lock(3).
    mtx_lock, 1 => lock
);
entry!(
    /// See mtx_trylock(3).
    mtx_trylock, 1 => try_lock
);
entry!(
    /// See mtx_timedlock(3).
    mtx_timedlock, 2 => timed_lock
);
entry!(
    /// See mtx_unlock(3).
    mtx_unlock, 1 => unlock
);
entry!(
    /// See cnd_init(3).
    cnd_init, 1 => cnd_init_
);
entry!(
    /// See cnd_destroy(3).
    cnd_destroy, 1 => cnd_destroy_
);
entry!(
    /// See cnd_wait(3).
    cnd_wait, 2 => wait
);
entry!(
    /// See cnd_timedwait(3).
    cnd_timedwait, 3 => timed_wait
);
entry!(
    /// See cnd_signal(3).
    cnd_signal, 1 => signal
);
entry!(
    /// See cnd_broadcast(3).
    cnd_broadcast, 1 => broadcast
);
entry!(
    /// See call_once(3).
    call_once, 2 => call_once_
);

/// A routine that gives back a number.
struct Start {
    routine: unsafe extern "C-unwind" fn(*mut c_void) -> c_int,
    argument: *mut c_void,
}

unsafe extern "C-unwind" fn begin(start: *mut c_void) -> *mut c_void {
    // SAFETY: made below for this thread, and kept until the process ends.
    let start = unsafe { &*start.cast::<Start>() };
    // SAFETY: what the program asked for.
    let result = unsafe { (start.routine)(start.argument) };
    std::ptr::without_provenance_mut(result as isize as usize)
}

unsafe extern "C-unwind" fn create(
    handle: *mut pthread_t,
    routine: unsafe extern "C-unwind" fn(*mut c_void) -> c_int,
    argument: *mut c_void,
    caller: usize,
) -> c_int {
    if turn::me().is_none() {
        type Create = unsafe extern "C" fn(
            *mut pthread_t,
            unsafe extern "C-unwind" fn(*mut c_void) -> c_int,
            *mut c_void,
        ) -> c_int;
        // SAFETY: passed on as it came.
        return unsafe { real!(c"thrd_create" as Create)(handle, routine, argument) };
    }
    let start = Box::into_raw(Box::new(Start { routine, argument }));
    // SAFETY: the box is the new thread's.
    told(unsafe { thread::create(handle, std::ptr::null(), begin, start.cast(), caller) })
}

unsafe extern "C-unwind" fn join(handle: pthread_t, result: *mut c_int, caller: usize) -> c_int {
    let mut full = std::ptr::null_mut();
    // SAFETY: as the program asks for.
    let error = unsafe { thread::join(handle, &raw mut full, caller) };
    if error == 0 && !result.is_null() {
        // SAFETY: the program wants it there.
        unsafe { result.write(full as isize as c_int) };
    }
    told(error)
}

unsafe extern "C-unwind" fn detach(handle: pthread_t, caller: usize) -> c_int {
    // SAFETY: passed on as it came.
    told(unsafe { thread::detach(handle, caller) })
}

unsafe extern "C-unwind" fn yield_now(caller: usize) {
    match turn::me() {
        Some(me) => time::pause(me, OpKind::Yield, caller),
        None => super::sys::yield_now(),
    }
}

unsafe extern "C-unwind" fn sleep(length: *const timespec, left: *mut timespec, caller: usize) -> c_int {
    // SAFETY: passed on as it came.
    unsafe { time::sleep_nanos(length, left, caller) }
}

unsafe extern "C-unwind" fn init(lock: *mut pthread_mutex_t, kind: c_int, caller: usize) -> c_int {
    type Init = unsafe extern "C" fn(*mut pthread_mutex_t, c_int) -> c_int;
    // SAFETY: passed on as it came; it does not wait.
    let result = unsafe { real!(c"mtx_init" as Init)(lock, kind) };
    if let (SUCCESS, Some(me)) = (result, turn::me()) {
        let model = gordian_model::object::Mutex::new().into();
        super::objects::initialise(me, lock as usize, ObjectKind::Mutex, site(caller), model);
    }
    result
}

unsafe extern "C-unwind" fn destroy(lock: *mut pthread_mutex_t, _caller: usize) {
    if turn::me().is_some() {
        super::objects::destroy(lock as usize, ObjectKind::Mutex);
    }
}

unsafe extern "C-unwind" fn lock(lock: *mut pthread_mutex_t, caller: usize) -> c_int {
    match turn::me() {
        Some(me) => told(mutex::take(me, lock, OpKind::Lock, site(caller))),
        // SAFETY: passed on as it came.
        None => unsafe { real!(c"mtx_lock" as unsafe extern "C" fn(*mut pthread_mutex_t) -> c_int)(lock) },
    }
}

unsafe extern "C-unwind" fn try_lock(lock: *mut pthread_mutex_t, caller: usize) -> c_int {
    match turn::me() {
        Some(me) => told(mutex::take(me, lock, OpKind::TryLock, site(caller))),
        // SAFETY: passed on as it came.
        None => unsafe { real!(c"mtx_trylock" as unsafe extern "C" fn(*mut pthread_mutex_t) -> c_int)(lock) },
    }
}

unsafe extern "C-unwind" fn timed_lock(
    lock: *mut pthread_mutex_t,
    until: *const timespec,
    caller: usize,
) -> c_int {
    // SAFETY: passed on as it came.
    told(unsafe { mutex::clock_lock(lock, libc::CLOCK_REALTIME, until, caller) })
}

unsafe extern "C-unwind" fn unlock(lock: *mut pthread_mutex_t, caller: usize) -> c_int {
    match turn::me() {
        Some(me) => told(mutex::give_back(me, lock, site(caller))),
        // SAFETY: passed on as it came.
        None => unsafe { real!(c"mtx_unlock" as unsafe extern "C" fn(*mut pthread_mutex_t) -> c_int)(lock) },
    }
}

type OneCondition = unsafe extern "C" fn(*mut pthread_cond_t) -> c_int;

unsafe extern "C-unwind" fn cnd_init_(condition: *mut pthread_cond_t, caller: usize) -> c_int {
    if let Some(me) = turn::me() {
        let model = gordian_model::object::Condvar::new().into();
        super::objects::initialise(me, condition as usize, ObjectKind::Condvar, site(caller), model);
    }
    // SAFETY: passed on as it came; it does not wait.
    unsafe { real!(c"cnd_init" as OneCondition)(condition) }
}

unsafe extern "C-unwind" fn cnd_destroy_(condition: *mut pthread_cond_t, _caller: usize) {
    if turn::me().is_some() {
        super::objects::destroy(condition as usize, ObjectKind::Condvar);
    }
}

unsafe extern "C-unwind" fn wait(
    condition: *mut pthread_cond_t,
    lock: *mut pthread_mutex_t,
    caller: usize,
) -> c_int {
    type Wait = unsafe extern "C" fn(*mut pthread_cond_t, *mut pthread_mutex_t) -> c_int;
    match turn::me() {
        Some(me) => told(condvar::wait(me, condition, lock, None, site(caller))),
        // SAFETY: passed on as it came.
        None => unsafe { real!(c"cnd_wait" as Wait)(condition, lock) },
    }
}

unsafe extern "C-unwind" fn timed_wait(
    condition: *mut pthread_cond_t,
    lock: *mut pthread_mutex_t,
    until: *const timespec,
    caller: usize,
) -> c_int {
    type Wait = unsafe extern "C" fn(*mut pthread_cond_t, *mut pthread_mutex_t, *const timespec) -> c_int;
    match turn::me() {
        Some(me) => {
            told(condvar::wait(me, condition, lock, Some((libc::CLOCK_REALTIME, until)), site(caller)))
        }
        // SAFETY: passed on as it came.
        None => unsafe { real!(c"cnd_timedwait" as Wait)(condition, lock, until) },
    }
}

unsafe extern "C-unwind" fn signal(condition: *mut pthread_cond_t, caller: usize) -> c_int {
    match turn::me() {
        Some(me) => told(condvar::notify(me, condition, OpKind::NotifyOne, site(caller))),
        // SAFETY: passed on as it came.
        None => unsafe { real!(c"cnd_signal" as OneCondition)(condition) },
    }
}

unsafe extern "C-unwind" fn broadcast(condition: *mut pthread_cond_t, caller: usize) -> c_int {
    match turn::me() {
        Some(me) => told(condvar::notify(me, condition, OpKind::NotifyAll, site(caller))),
        // SAFETY: passed on as it came.
        None => unsafe { real!(c"cnd_broadcast" as OneCondition)(condition) },
    }
}

unsafe extern "C-unwind" fn call_once_(flag: *mut c_int, routine: once::Routine, caller: usize) {
    // SAFETY: passed on as it came.
    unsafe { once::once(flag, routine, caller) };
}
