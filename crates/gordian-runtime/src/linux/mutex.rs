//! Mutexes of all kinds, and spin locks, which are mutexes to the model.
//!
//! That a thread takes a recursive mutex again, or is told that it holds an error-checking one already, is nobody else's business and no
//! step. The kind is read from the mutex itself, where static initialisers put it.

use super::objects::{self, object};
use super::real::{entry, real};
use super::sites::site;
use super::{time, turn};
use gordian_model::object::{Mutex, Object};
use gordian_model::{ObjectId, ObjectKind, Op, OpKind, SiteId, ThreadId};
use libc::{c_int, c_void, clockid_t, pthread_mutex_t, timespec};

/// Where glibc keeps the kind of a mutex, and what the bits mean.
const KIND_AT: usize = 16;
const TYPE: c_int = 3;
const RECURSIVE: c_int = 1;
const ERROR_CHECKING: c_int = 2;
const ROBUST: c_int = 0x10;

fn kind(mutex: *mut pthread_mutex_t) -> c_int {
    // SAFETY: it lies within the mutex, which the program says is one.
    unsafe { mutex.byte_add(KIND_AT).cast::<c_int>().read() }
}

fn get(me: ThreadId, mutex: *mut pthread_mutex_t, site: SiteId) -> ObjectId {
    object(me, mutex as usize, ObjectKind::Mutex, site, || Mutex::new().into())
}

fn owner(id: ObjectId) -> Option<ThreadId> {
    turn::with(|rt| match rt.conductor.object_mut(id) {
        Object::Mutex(model) => model.owner(),
        _ => None,
    })
}

fn again<R>(mutex: *mut pthread_mutex_t, f: impl FnOnce(&mut objects::Entry) -> R) -> R {
    turn::with(|rt| f(rt.objects.entry(mutex as usize, ObjectKind::Mutex).expect("it was looked up")))
}

/// Takes a mutex; `op` says whether it waits.
pub(crate) fn take(me: ThreadId, mutex: *mut pthread_mutex_t, op: OpKind, at: SiteId) -> c_int {
    let id = get(me, mutex, at);
    let kind = kind(mutex);
    if owner(id) == Some(me) {
        match kind & TYPE {
            RECURSIVE => {
                again(mutex, |entry| entry.again += 1);
                return 0;
            }
            ERROR_CHECKING if op != OpKind::TryLock => return libc::EDEADLK,
            _ => {}
        }
    }
    let reply = turn::step(me, &Op::new(op, id, at));
    if !reply.ok {
        return if op == OpKind::TryLock { libc::EBUSY } else { libc::ETIMEDOUT };
    }
    taken(me, mutex, id, at, reply.flag)
}

/// What is to be done about a robust mutex that the thread has just taken.
pub(crate) fn taken(
    me: ThreadId,
    mutex: *mut pthread_mutex_t,
    id: ObjectId,
    at: SiteId,
    dead: bool,
) -> c_int {
    if kind(mutex) & ROBUST == 0 {
        return 0;
    }
    if again(mutex, |entry| entry.lost) {
        turn::step(me, &Op::new(OpKind::Unlock, id, at));
        return libc::ENOTRECOVERABLE;
    }
    turn::with(|rt| rt.control(me).robust.push(mutex as usize));
    if dead { libc::EOWNERDEAD } else { 0 }
}

/// Gives a mutex back.
pub(crate) fn give_back(me: ThreadId, mutex: *mut pthread_mutex_t, at: SiteId) -> c_int {
    let id = get(me, mutex, at);
    let kind = kind(mutex);
    if kind & (TYPE | ROBUST) != 0 && kind & TYPE != 3 && owner(id) != Some(me) {
        return libc::EPERM;
    }
    if again(mutex, |entry| entry.again > 0) {
        again(mutex, |entry| entry.again -= 1);
        return 0;
    }
    released(me, mutex, id);
    turn::step(me, &Op::new(OpKind::Unlock, id, at));
    0
}

/// The thread is about to give back a mutex, which may be a robust one.
pub(crate) fn released(me: ThreadId, mutex: *mut pthread_mutex_t, id: ObjectId) {
    if kind(mutex) & ROBUST == 0 {
        return;
    }
    let poisoned = turn::with(|rt| {
        rt.control(me).robust.retain(|&held| held != mutex as usize);
        matches!(rt.conductor.object_mut(id), Object::Mutex(model) if model.is_poisoned())
    });
    if poisoned {
        again(mutex, |entry| entry.lost = true);
    }
}

/// The thread ends: whoever takes the robust mutexes that it holds is told so.
pub(crate) fn abandon(me: ThreadId) {
    while let Some(address) = turn::with(|rt| rt.control(me).robust.pop()) {
        let id = turn::with(|rt| rt.objects.entry(address, ObjectKind::Mutex).map(|entry| entry.id));
        let Some(id) = id.filter(|&id| owner(id) == Some(me)) else { continue };
        again(address as *mut pthread_mutex_t, |entry| entry.again = 0);
        turn::step(me, &Op { arg: 1, ..Op::new(OpKind::Unlock, id, SiteId::UNKNOWN) });
    }
}

type One = unsafe extern "C" fn(*mut pthread_mutex_t) -> c_int;
type Timed = unsafe extern "C" fn(*mut pthread_mutex_t, *const timespec) -> c_int;
type Clocked = unsafe extern "C" fn(*mut pthread_mutex_t, clockid_t, *const timespec) -> c_int;

entry!(
    /// See pthread_mutex_init(3).
    pthread_mutex_init, 2 => init
);
entry!(
    /// See pthread_mutex_destroy(3).
    pthread_mutex_destroy, 1 => destroy
);
entry!(
    /// See pthread_mutex_lock(3).
    pthread_mutex_lock, 1 => lock
);
entry!(
    /// See pthread_mutex_trylock(3).
    pthread_mutex_trylock, 1 => try_lock
);
entry!(
    /// See pthread_mutex_timedlock(3).
    pthread_mutex_timedlock, 2 => timed_lock
);
entry!(
    /// See pthread_mutex_clocklock(3).
    pthread_mutex_clocklock, 3 => clock_lock
);
entry!(
    /// See pthread_mutex_unlock(3).
    pthread_mutex_unlock, 1 => unlock
);
entry!(
    /// See pthread_mutex_consistent(3).
    pthread_mutex_consistent, 1 => consistent
);

unsafe extern "C-unwind" fn init(
    mutex: *mut pthread_mutex_t,
    attributes: *const c_void,
    caller: usize,
) -> c_int {
    type Init = unsafe extern "C" fn(*mut pthread_mutex_t, *const c_void) -> c_int;
    // SAFETY: passed on as it came; it writes the kind and does not wait.
    let error = unsafe { real!(c"pthread_mutex_init" as Init)(mutex, attributes) };
    if let (0, Some(me)) = (error, turn::me()) {
        objects::initialise(me, mutex as usize, ObjectKind::Mutex, site(caller), Mutex::new().into());
    }
    error
}

unsafe extern "C-unwind" fn destroy(mutex: *mut pthread_mutex_t, _caller: usize) -> c_int {
    if turn::me().is_some() {
        let id = turn::with(|rt| rt.objects.entry(mutex as usize, ObjectKind::Mutex).map(|entry| entry.id));
        if id.and_then(owner).is_some() {
            return libc::EBUSY;
        }
        objects::destroy(mutex as usize, ObjectKind::Mutex);
    }
    // SAFETY: passed on as it came; to the C library nobody holds it.
    unsafe { real!(c"pthread_mutex_destroy" as One)(mutex) }
}

unsafe extern "C-unwind" fn lock(mutex: *mut pthread_mutex_t, caller: usize) -> c_int {
    match turn::caller(caller) {
        Some(me) => take(me, mutex, OpKind::Lock, site(caller)),
        // SAFETY: passed on as it came.
        None => unsafe { real!(c"pthread_mutex_lock" as One)(mutex) },
    }
}

unsafe extern "C-unwind" fn try_lock(mutex: *mut pthread_mutex_t, caller: usize) -> c_int {
    match turn::caller(caller) {
        Some(me) => take(me, mutex, OpKind::TryLock, site(caller)),
        // SAFETY: passed on as it came.
        None => unsafe { real!(c"pthread_mutex_trylock" as One)(mutex) },
    }
}

unsafe extern "C-unwind" fn timed_lock(
    mutex: *mut pthread_mutex_t,
    until: *const timespec,
    caller: usize,
) -> c_int {
    match turn::me() {
        // SAFETY: passed on as it came.
        Some(_) => unsafe { clock_lock(mutex, libc::CLOCK_REALTIME, until, caller) },
        // SAFETY: passed on as it came.
        None => unsafe { real!(c"pthread_mutex_timedlock" as Timed)(mutex, until) },
    }
}

pub(crate) unsafe extern "C-unwind" fn clock_lock(
    mutex: *mut pthread_mutex_t,
    clock: clockid_t,
    until: *const timespec,
    caller: usize,
) -> c_int {
    let Some(me) = turn::me() else {
        // SAFETY: passed on as it came.
        return unsafe { real!(c"pthread_mutex_clocklock" as Clocked)(mutex, clock, until) };
    };
    let error = take(me, mutex, OpKind::LockTimed, site(caller));
    if error == libc::ETIMEDOUT {
        // SAFETY: the program's own.
        time::expired(me, clock, unsafe { until.as_ref() });
    }
    error
}

unsafe extern "C-unwind" fn unlock(mutex: *mut pthread_mutex_t, caller: usize) -> c_int {
    match turn::caller(caller) {
        Some(me) => give_back(me, mutex, site(caller)),
        // SAFETY: passed on as it came.
        None => unsafe { real!(c"pthread_mutex_unlock" as One)(mutex) },
    }
}

unsafe extern "C-unwind" fn consistent(mutex: *mut pthread_mutex_t, caller: usize) -> c_int {
    let Some(me) = turn::me() else {
        // SAFETY: passed on as it came.
        return unsafe { real!(c"pthread_mutex_consistent" as One)(mutex) };
    };
    let at = site(caller);
    let id = get(me, mutex, at);
    let poisoned =
        turn::with(|rt| matches!(rt.conductor.object_mut(id), Object::Mutex(model) if model.is_poisoned()));
    if kind(mutex) & ROBUST == 0 || owner(id) != Some(me) || !poisoned {
        return libc::EINVAL;
    }
    // Nobody sees it before the mutex is given back.
    turn::with(|rt| rt.conductor.silently(me, &Op::new(OpKind::ClearPoison, id, at)));
    0
}

type Spin = *mut libc::pthread_spinlock_t;
type OneSpin = unsafe extern "C" fn(Spin) -> c_int;

entry!(
    /// See pthread_spin_init(3).
    pthread_spin_init, 2 => spin_init
);
entry!(
    /// See pthread_spin_destroy(3).
    pthread_spin_destroy, 1 => spin_destroy
);
entry!(
    /// See pthread_spin_lock(3).
    pthread_spin_lock, 1 => spin_lock
);
entry!(
    /// See pthread_spin_trylock(3).
    pthread_spin_trylock, 1 => spin_try_lock
);
entry!(
    /// See pthread_spin_unlock(3).
    pthread_spin_unlock, 1 => spin_unlock
);

fn spin(me: ThreadId, lock: Spin, op: OpKind, at: SiteId) -> c_int {
    let id = object(me, lock as usize, ObjectKind::Mutex, at, || Mutex::new().into());
    if turn::step(me, &Op::new(op, id, at)).ok { 0 } else { libc::EBUSY }
}

unsafe extern "C-unwind" fn spin_init(lock: Spin, shared: c_int, caller: usize) -> c_int {
    if let Some(me) = turn::me() {
        objects::initialise(me, lock as usize, ObjectKind::Mutex, site(caller), Mutex::new().into());
    }
    // SAFETY: passed on as it came.
    unsafe { real!(c"pthread_spin_init" as unsafe extern "C" fn(Spin, c_int) -> c_int)(lock, shared) }
}

unsafe extern "C-unwind" fn spin_destroy(lock: Spin, _caller: usize) -> c_int {
    if turn::me().is_some() {
        objects::destroy(lock as usize, ObjectKind::Mutex);
    }
    0
}

unsafe extern "C-unwind" fn spin_lock(lock: Spin, caller: usize) -> c_int {
    match turn::me() {
        Some(me) => spin(me, lock, OpKind::Lock, site(caller)),
        // SAFETY: passed on as it came.
        None => unsafe { real!(c"pthread_spin_lock" as OneSpin)(lock) },
    }
}

unsafe extern "C-unwind" fn spin_try_lock(lock: Spin, caller: usize) -> c_int {
    match turn::me() {
        Some(me) => spin(me, lock, OpKind::TryLock, site(caller)),
        // SAFETY: passed on as it came.
        None => unsafe { real!(c"pthread_spin_trylock" as OneSpin)(lock) },
    }
}

unsafe extern "C-unwind" fn spin_unlock(lock: Spin, caller: usize) -> c_int {
    match turn::me() {
        Some(me) => spin(me, lock, OpKind::Unlock, site(caller)),
        // SAFETY: passed on as it came.
        None => unsafe { real!(c"pthread_spin_unlock" as OneSpin)(lock) },
    }
}
