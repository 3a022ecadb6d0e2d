//! Readers-writer locks.
//!
//! Where writers are preferred (`PTHREAD_RWLOCK_PREFER_WRITER_NONRECURSIVE_NP`), who waits to write keeps readers from coming in. Such a lock
//! has a gate, a lock itself: a writer holds it while it waits, and readers go through it. Nobody sees who waits at the gate
//! but by waiting, so every order in which they may come in is one in which they come to it. Who only tries to write does not wait, and
//! leaves the gate alone.

use super::objects::{self, object};
use super::real::{entry, real};
use super::sites::site;
use super::{time, turn};
use gordian_model::object::{Model, Object, RwLock};
use gordian_model::{ObjectId, ObjectKind, Op, OpKind, SiteId, ThreadId};
use libc::{c_int, c_void, clockid_t, pthread_rwlock_t, timespec};

type Lock = *mut pthread_rwlock_t;
type One = unsafe extern "C" fn(Lock) -> c_int;
type Timed = unsafe extern "C" fn(Lock, *const timespec) -> c_int;
type Clocked = unsafe extern "C" fn(Lock, clockid_t, *const timespec) -> c_int;

fn get(me: ThreadId, lock: Lock, at: SiteId) -> ObjectId {
    object(me, lock as usize, ObjectKind::RwLock, at, || RwLock::new().into())
}

fn writer(id: ObjectId) -> Option<ThreadId> {
    turn::with(|rt| match rt.conductor.object_mut(id) {
        Object::RwLock(model) => model.writer(),
        _ => None,
    })
}

fn is_held(id: ObjectId) -> bool {
    turn::with(|rt| !rt.conductor.object_mut(id).holders().is_empty())
}

fn take(me: ThreadId, lock: Lock, op: OpKind, at: SiteId) -> c_int {
    let id = get(me, lock, at);
    let tries = matches!(op, OpKind::TryReadLock | OpKind::TryWriteLock);
    if !tries && writer(id) == Some(me) {
        return libc::EDEADLK;
    }
    let taken = match prefers_writers(lock) && op != OpKind::TryWriteLock {
        true => take_through_gate(me, lock, id, op, at),
        false => turn::step(me, &Op::new(op, id, at)).ok,
    };
    match taken {
        true => 0,
        false if tries => libc::EBUSY,
        false => libc::ETIMEDOUT,
    }
}

/// Where glibc keeps the kind of a lock, and the one kind that matters: what is called preferring writers without the rest does not.
const FLAGS_AT: usize = 48;
const PREFERS_WRITERS: u32 = 2;

fn prefers_writers(lock: Lock) -> bool {
    // SAFETY: it lies within the lock, which the program says is one.
    unsafe { lock.byte_add(FLAGS_AT).cast::<u32>().read() == PREFERS_WRITERS }
}

/// The address by which the gate of a lock is known: no other object begins there.
fn gate(lock: Lock) -> usize {
    lock as usize + 1
}

fn take_through_gate(me: ThreadId, lock: Lock, id: ObjectId, op: OpKind, at: SiteId) -> bool {
    let gate = object(me, gate(lock), ObjectKind::RwLock, at, || RwLock::new().into());
    if !turn::step(me, &Op::new(op, gate, at)).ok {
        return false;
    }
    let taken = turn::step(me, &Op::new(op, id, at)).ok;
    let writes = matches!(op, OpKind::WriteLock | OpKind::WriteLockTimed);
    let through = if writes { OpKind::WriteUnlock } else { OpKind::ReadUnlock };
    turn::step(me, &Op::new(through, gate, at));
    taken
}

fn take_until(
    me: ThreadId,
    lock: Lock,
    op: OpKind,
    (clock, until): (clockid_t, *const timespec),
    at: SiteId,
) -> c_int {
    let error = take(me, lock, op, at);
    if error == libc::ETIMEDOUT {
        // SAFETY: the program's own.
        time::expired(me, clock, unsafe { until.as_ref() });
    }
    error
}

entry!(
    /// See pthread_rwlock_init(3).
    pthread_rwlock_init, 2 => init
);
entry!(
    /// See pthread_rwlock_destroy(3).
    pthread_rwlock_destroy, 1 => destroy
);
entry!(
    /// See pthread_rwlock_unlock(3).
    pthread_rwlock_unlock, 1 => unlock
);
entry!(
    /// See pthread_rwlock_timedrdlock(3).
    pthread_rwlock_timedrdlock, 2 => timed_read
);
entry!(
    /// See pthread_rwlock_timedwrlock(3).
    pthread_rwlock_timedwrlock, 2 => timed_write
);
entry!(
    /// See pthread_rwlock_clockrdlock(3).
    pthread_rwlock_clockrdlock, 3 => clock_read
);
entry!(
    /// See pthread_rwlock_clockwrlock(3).
    pthread_rwlock_clockwrlock, 3 => clock_write
);

unsafe extern "C-unwind" fn init(lock: Lock, attributes: *const c_void, caller: usize) -> c_int {
    type Init = unsafe extern "C" fn(Lock, *const c_void) -> c_int;
    if let Some(me) = turn::me() {
        objects::initialise(me, lock as usize, ObjectKind::RwLock, site(caller), RwLock::new().into());
        objects::destroy(gate(lock), ObjectKind::RwLock);
    }
    // SAFETY: passed on as it came; it does not wait.
    unsafe { real!(c"pthread_rwlock_init" as Init)(lock, attributes) }
}

unsafe extern "C-unwind" fn destroy(lock: Lock, _caller: usize) -> c_int {
    if turn::me().is_some() {
        objects::destroy(lock as usize, ObjectKind::RwLock);
        objects::destroy(gate(lock), ObjectKind::RwLock);
    }
    // SAFETY: passed on as it came.
    unsafe { real!(c"pthread_rwlock_destroy" as One)(lock) }
}

unsafe extern "C-unwind" fn unlock(lock: Lock, caller: usize) -> c_int {
    let Some(me) = turn::me() else {
        // SAFETY: passed on as it came.
        return unsafe { real!(c"pthread_rwlock_unlock" as One)(lock) };
    };
    let at = site(caller);
    let id = get(me, lock, at);
    if !is_held(id) {
        return libc::EPERM;
    }
    let op = if writer(id).is_some() { OpKind::WriteUnlock } else { OpKind::ReadUnlock };
    turn::step(me, &Op::new(op, id, at));
    0
}

macro_rules! plain {
    ($($name:ident, $symbol:literal, $op:ident;)*) => {$(
        entry!(
            #[doc = concat!("See ", stringify!($name), "(3).")]
            $name, 1 => $op::call
        );
        mod $op {
            use super::*;
            pub(super) unsafe extern "C-unwind" fn call(lock: Lock, caller: usize) -> c_int {
                match turn::me() {
                    Some(me) => take(me, lock, super::ops::$op, site(caller)),
                    // SAFETY: passed on as it came.
                    None => unsafe { real!($symbol as One)(lock) },
                }
            }
        }
    )*};
}

#[allow(non_upper_case_globals)]
mod ops {
    use super::OpKind;
    pub(super) const read: OpKind = OpKind::ReadLock;
    pub(super) const write: OpKind = OpKind::WriteLock;
    pub(super) const try_read: OpKind = OpKind::TryReadLock;
    pub(super) const try_write: OpKind = OpKind::TryWriteLock;
}

plain! {
    pthread_rwlock_rdlock, c"pthread_rwlock_rdlock", read;
    pthread_rwlock_wrlock, c"pthread_rwlock_wrlock", write;
    pthread_rwlock_tryrdlock, c"pthread_rwlock_tryrdlock", try_read;
    pthread_rwlock_trywrlock, c"pthread_rwlock_trywrlock", try_write;
}

unsafe extern "C-unwind" fn timed_read(lock: Lock, until: *const timespec, caller: usize) -> c_int {
    match turn::me() {
        Some(me) => take_until(me, lock, OpKind::ReadLockTimed, (libc::CLOCK_REALTIME, until), site(caller)),
        // SAFETY: passed on as it came.
        None => unsafe { real!(c"pthread_rwlock_timedrdlock" as Timed)(lock, until) },
    }
}

unsafe extern "C-unwind" fn timed_write(lock: Lock, until: *const timespec, caller: usize) -> c_int {
    match turn::me() {
        Some(me) => take_until(me, lock, OpKind::WriteLockTimed, (libc::CLOCK_REALTIME, until), site(caller)),
        // SAFETY: passed on as it came.
        None => unsafe { real!(c"pthread_rwlock_timedwrlock" as Timed)(lock, until) },
    }
}

unsafe extern "C-unwind" fn clock_read(
    lock: Lock,
    clock: clockid_t,
    until: *const timespec,
    caller: usize,
) -> c_int {
    match turn::me() {
        Some(me) => take_until(me, lock, OpKind::ReadLockTimed, (clock, until), site(caller)),
        // SAFETY: passed on as it came.
        None => unsafe { real!(c"pthread_rwlock_clockrdlock" as Clocked)(lock, clock, until) },
    }
}

unsafe extern "C-unwind" fn clock_write(
    lock: Lock,
    clock: clockid_t,
    until: *const timespec,
    caller: usize,
) -> c_int {
    match turn::me() {
        Some(me) => take_until(me, lock, OpKind::WriteLockTimed, (clock, until), site(caller)),
        // SAFETY: passed on as it came.
        None => unsafe { real!(c"pthread_rwlock_clockwrlock" as Clocked)(lock, clock, until) },
    }
}
