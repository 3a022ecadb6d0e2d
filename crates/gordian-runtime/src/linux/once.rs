//! One-time initialisation: `pthread_once` and the guards of C++'s function-local statics.

use super::objects::object;
use super::real::{entry, real};
use super::sites::site;
use super::turn;
use gordian_model::object::Once;
use gordian_model::{ObjectId, ObjectKind, Op, OpKind, SiteId, ThreadId};
use libc::c_int;

pub(crate) type Routine = unsafe extern "C-unwind" fn();

/// What glibc writes when it is done.
const DONE: c_int = 2;

/// The initialisation gives up, so that somebody else may try, if it is left by an exception.
struct Attempt {
    me: ThreadId,
    id: ObjectId,
    at: SiteId,
    end: u64,
}

impl Drop for Attempt {
    fn drop(&mut self) {
        turn::step(self.me, &Op { arg: self.end, ..Op::new(OpKind::OnceEnd, self.id, self.at) });
    }
}

fn get(me: ThreadId, address: usize, is_done: impl FnOnce() -> bool, at: SiteId) -> ObjectId {
    let model = || if is_done() { Once::completed().into() } else { Once::new().into() };
    object(me, address, ObjectKind::Once, at, model)
}

entry!(
    /// See pthread_once(3).
    pthread_once, 2 => once
);

pub(crate) unsafe extern "C-unwind" fn once(control: *mut c_int, routine: Routine, caller: usize) -> c_int {
    let Some(me) = turn::caller(caller) else {
        type Once = unsafe extern "C-unwind" fn(*mut c_int, Routine) -> c_int;
        // SAFETY: passed on as it came.
        return unsafe { real!(c"pthread_once" as Once)(control, routine) };
    };
    let at = site(caller);
    // SAFETY: the program says that it is one.
    let id = get(me, control as usize, || unsafe { control.read() == DONE }, at);
    if turn::step(me, &Op::new(OpKind::OnceBegin, id, at)).ok {
        let mut attempt = Attempt { me, id, at, end: Once::ABANDONED };
        // SAFETY: what the program asked for, once.
        unsafe { routine() };
        attempt.end = Once::COMPLETED;
        drop(attempt);
        // SAFETY: as above.
        unsafe { control.write(DONE) };
    }
    0
}

entry!(
    /// Begins the initialisation of a static in C++ (Itanium C++ ABI, 3.3.3).
    __cxa_guard_acquire, 1 => guard_acquire
);
entry!(
    /// Ends it.
    __cxa_guard_release, 1 => guard_release
);
entry!(
    /// Gives it up.
    __cxa_guard_abort, 1 => guard_abort
);

type Acquire = unsafe extern "C-unwind" fn(*mut u64) -> c_int;
type Release = unsafe extern "C-unwind" fn(*mut u64);

unsafe extern "C-unwind" fn guard_acquire(guard: *mut u64, caller: usize) -> c_int {
    let Some(me) = turn::me() else {
        // SAFETY: passed on as it came.
        return unsafe { real!(c"__cxa_guard_acquire" as Acquire)(guard) };
    };
    let at = site(caller);
    // SAFETY: the compiler says that it is one; its first byte says whether it is done.
    let id = get(me, guard as usize, || unsafe { guard.cast::<u8>().read() != 0 }, at);
    c_int::from(turn::step(me, &Op::new(OpKind::OnceBegin, id, at)).ok)
}

fn guard_end(me: ThreadId, guard: *mut u64, end: u64, caller: usize) {
    let at = site(caller);
    let id = get(me, guard as usize, || false, at);
    turn::step_when(me, &Op { arg: end, ..Op::new(OpKind::OnceEnd, id, at) }, |_| {
        if end == Once::COMPLETED {
            // SAFETY: as above; programs look at it before they call.
            unsafe { guard.cast::<u8>().write(1) };
        }
    });
}

unsafe extern "C-unwind" fn guard_release(guard: *mut u64, caller: usize) {
    match turn::caller(caller) {
        Some(me) => guard_end(me, guard, Once::COMPLETED, caller),
        // SAFETY: passed on as it came.
        None => unsafe { real!(c"__cxa_guard_release" as Release)(guard) },
    }
}

unsafe extern "C-unwind" fn guard_abort(guard: *mut u64, caller: usize) {
    match turn::caller(caller) {
        Some(me) => guard_end(me, guard, Once::ABANDONED, caller),
        // SAFETY: passed on as it came.
        None => unsafe { real!(c"__cxa_guard_abort" as Release)(guard) },
    }
}
