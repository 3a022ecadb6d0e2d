//! Barriers. Who is told to be the one of the round is tried in every way, because the caller may look.

use super::objects::{self, object};
use super::real::{entry, real};
use super::sites::site;
use super::turn;
use gordian_model::object::Barrier;
use gordian_model::{ObjectKind, Op, OpKind};
use libc::{c_int, c_void, pthread_barrier_t};

type One = unsafe extern "C" fn(*mut pthread_barrier_t) -> c_int;

entry!(
    /// See pthread_barrier_init(3).
    pthread_barrier_init, 3 => init
);
entry!(
    /// See pthread_barrier_destroy(3).
    pthread_barrier_destroy, 1 => destroy
);
entry!(
    /// See pthread_barrier_wait(3).
    pthread_barrier_wait, 1 => wait
);

/// Where glibc keeps how many threads a barrier is for: its third word.
const COUNT_AT: usize = 8;

unsafe extern "C-unwind" fn init(
    barrier: *mut pthread_barrier_t,
    attributes: *const c_void,
    count: u32,
    caller: usize,
) -> c_int {
    type Init = unsafe extern "C" fn(*mut pthread_barrier_t, *const c_void, u32) -> c_int;
    // SAFETY: passed on as it came; it does not wait.
    let error = unsafe { real!(c"pthread_barrier_init" as Init)(barrier, attributes, count) };
    if let (0, Some(me)) = (error, turn::me()) {
        objects::initialise(
            me,
            barrier as usize,
            ObjectKind::Barrier,
            site(caller),
            Barrier::new(count).into(),
        );
    }
    error
}

unsafe extern "C-unwind" fn destroy(barrier: *mut pthread_barrier_t, _caller: usize) -> c_int {
    if turn::me().is_some() {
        objects::destroy(barrier as usize, ObjectKind::Barrier);
    }
    // SAFETY: passed on as it came; to the C library nobody has ever been in it.
    unsafe { real!(c"pthread_barrier_destroy" as One)(barrier) }
}

unsafe extern "C-unwind" fn wait(barrier: *mut pthread_barrier_t, caller: usize) -> c_int {
    let Some(me) = turn::me() else {
        // SAFETY: passed on as it came.
        return unsafe { real!(c"pthread_barrier_wait" as One)(barrier) };
    };
    let at = site(caller);
    // One that was made before `main` is known by what the C library wrote.
    // SAFETY: it lies within the barrier.
    let count = || unsafe { barrier.byte_add(COUNT_AT).cast::<u32>().read() };
    let id = object(me, barrier as usize, ObjectKind::Barrier, at, || Barrier::new(count()).into());
    let arg = turn::step(me, &Op::new(OpKind::Arrive, id, at)).value;
    turn::step(me, &Op { arg, ..Op::new(OpKind::Leave, id, at) });
    let leads = turn::step(me, &Op { arg, ..Op::new(OpKind::IsLeader, id, at) }).flag;
    if leads { libc::PTHREAD_BARRIER_SERIAL_THREAD } else { 0 }
}
