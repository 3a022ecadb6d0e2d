//! Cancellation: a thread is asked to end, and does so where it looks.
//!
//! The request is a step, and so is looking. A thread looks at `pthread_testcancel`, when it begins to wait for a semaphore or a signal,
//! and when it has slept; and it can be called out of waiting for these, for a condition variable and for the end of another thread. What
//! it waits for comes first if it is there. One that may be cancelled at any time looks at every call that is controlled.
//!
//! A thread that is to end calls the C library's `pthread_exit`, with the result that stands for this. That unwinds the stack, through
//! our own frames as well, and calls what was registered for it; so the frames between a call and `obey` own nothing.
//!
//! Looking is left out until some thread asks another to end: then the search begins again (`Options::cancels`).

use super::real::{entry, real};
use super::sites::site;
use super::turn;
use gordian_model::{Failure, FailureKind, ObjectId, Op, OpKind, SiteId, ThreadId};
use libc::{c_int, c_void, pthread_t};
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

/// What a thread does about requests that it end.
#[derive(Default)]
pub(crate) struct Manners {
    disabled: bool,
    asynchronous: bool,
    /// It ends, so it is too late to ask.
    ending: bool,
}

const ENABLE: c_int = 0;
const DISABLE: c_int = 1;
const DEFERRED: c_int = 0;
const ASYNCHRONOUS: c_int = 1;
/// What others get to see as the result of a thread that was cancelled.
const CANCELED: *mut c_void = std::ptr::without_provenance_mut(usize::MAX);

/// Some thread may be cancelled at any time.
static ANY_ASYNCHRONOUS: AtomicBool = AtomicBool::new(false);

/// Does the thread look at requests?
fn heeds(me: ThreadId) -> bool {
    turn::with(|rt| {
        let on = rt.conductor.options().cancels;
        let manners = &rt.control(me).manners;
        on && !manners.disabled && !manners.ending
    })
}

/// What the op of a wait has to say if the thread can be called out of it.
pub(crate) fn detail(me: ThreadId) -> u8 {
    if heeds(me) { Op::CANCELLABLE } else { 0 }
}

/// The thread looks whether it is asked to end.
pub(crate) fn look(me: ThreadId, at: SiteId) {
    if heeds(me) && turn::step_when(me, &Op::new(OpKind::TestCancel, ObjectId::life(me), at), |_| {}).flag {
        obey(me);
    }
}

/// The same, if it may be cancelled at any time.
#[inline]
pub(crate) fn look_always(me: ThreadId, at: SiteId) {
    if ANY_ASYNCHRONOUS.load(Relaxed) && turn::with(|rt| rt.control(me).manners.asynchronous) {
        look(me, at);
    }
}

/// Waits for a permit of a semaphore, looking first and while it waits; `false` if the time is over.
pub(crate) fn acquire(me: ThreadId, semaphore: ObjectId, kind: OpKind, at: SiteId) -> bool {
    look(me, at);
    let detail = detail(me);
    let reply = turn::step(me, &Op { arg: 1, detail, ..Op::new(kind, semaphore, at) });
    if detail != 0 && !reply.ok && reply.flag {
        obey(me);
    }
    reply.ok
}

/// The thread ends, as it was asked to.
pub(crate) fn obey(me: ThreadId) -> ! {
    turn::with(|rt| rt.conductor.heeds(me));
    end(me, CANCELED)
}

fn end(me: ThreadId, result: *mut c_void) -> ! {
    ends(me);
    // SAFETY: no frame up to the program's own has anything to be dropped.
    unsafe { real!(c"pthread_exit" as unsafe extern "C-unwind" fn(*mut c_void) -> !)(result) }
}

/// The thread comes to its end: requests come too late.
pub(crate) fn ends(me: ThreadId) {
    turn::with(|rt| rt.control(me).manners.ending = true);
}

entry!(
    /// See pthread_cancel(3).
    pthread_cancel, 1 => cancel
);
entry!(
    /// See pthread_testcancel(3).
    pthread_testcancel, 0 => test_cancel
);
entry!(
    /// See pthread_setcancelstate(3).
    pthread_setcancelstate, 2 => set_state
);
entry!(
    /// See pthread_setcanceltype(3).
    pthread_setcanceltype, 2 => set_type
);
entry!(
    /// See pthread_exit(3).
    pthread_exit, 1 => exit
);

unsafe extern "C-unwind" fn cancel(handle: pthread_t, caller: usize) -> c_int {
    let Some(me) = turn::me() else {
        // SAFETY: passed on as it came.
        return unsafe { real!(c"pthread_cancel" as unsafe extern "C" fn(pthread_t) -> c_int)(handle) };
    };
    turn::with(|rt| {
        if !rt.conductor.options().cancels {
            rt.conductor.trace.cancels_seen = true;
            rt.fail(me, Failure::new(FailureKind::Misuse, "a thread asks another to end"));
        }
    });
    let Some(target) = turn::with(|rt| rt.with_handle(handle)) else { return libc::ESRCH };
    let at = site(caller);
    turn::step(me, &Op::new(OpKind::Cancel, ObjectId::life(target), at));
    if target == me {
        look_always(me, at);
    }
    0
}

unsafe extern "C-unwind" fn test_cancel(caller: usize) {
    if let Some(me) = turn::me() {
        look(me, site(caller));
    }
}

/// Changes a thread's manners, and tells what they were.
///
/// # Safety
/// There must be room for what was, or nothing.
unsafe fn change(
    me: ThreadId,
    old: *mut c_int,
    caller: usize,
    change: impl FnOnce(&mut Manners) -> bool,
) -> c_int {
    let was = turn::with(|rt| change(&mut rt.control(me).manners));
    if !old.is_null() {
        // SAFETY: as the caller says.
        unsafe { old.write(c_int::from(was)) };
    }
    look_always(me, site(caller));
    0
}

unsafe extern "C-unwind" fn set_state(state: c_int, old: *mut c_int, caller: usize) -> c_int {
    let Some(me) = turn::me() else {
        type Set = unsafe extern "C" fn(c_int, *mut c_int) -> c_int;
        // SAFETY: passed on as it came.
        return unsafe { real!(c"pthread_setcancelstate" as Set)(state, old) };
    };
    if state != ENABLE && state != DISABLE {
        return libc::EINVAL;
    }
    // SAFETY: the program's own.
    unsafe { change(me, old, caller, |manners| std::mem::replace(&mut manners.disabled, state == DISABLE)) }
}

unsafe extern "C-unwind" fn set_type(kind: c_int, old: *mut c_int, caller: usize) -> c_int {
    let Some(me) = turn::me() else {
        type Set = unsafe extern "C" fn(c_int, *mut c_int) -> c_int;
        // SAFETY: passed on as it came.
        return unsafe { real!(c"pthread_setcanceltype" as Set)(kind, old) };
    };
    if kind != DEFERRED && kind != ASYNCHRONOUS {
        return libc::EINVAL;
    }
    ANY_ASYNCHRONOUS.fetch_or(kind == ASYNCHRONOUS, Relaxed);
    // SAFETY: the program's own.
    unsafe {
        change(me, old, caller, |manners| std::mem::replace(&mut manners.asynchronous, kind == ASYNCHRONOUS))
    }
}

unsafe extern "C-unwind" fn exit(result: *mut c_void, _caller: usize) {
    match turn::me() {
        Some(me) => end(me, result),
        // SAFETY: passed on as it came.
        None => unsafe { real!(c"pthread_exit" as unsafe extern "C-unwind" fn(*mut c_void) -> !)(result) },
    }
}
