//! Which signals a thread has blocked. The kernel keeps that for each of its threads, and threads on carriers share one: so it is changed
//! when they take turns, as soon as one of them has changed it.

use super::real::{entry, real};
use super::runtime::Runtime;
use super::turn;
use super::{carriers, sys};
use gordian_model::ThreadId;
use libc::{c_int, sigset_t};

/// The signals that are blocked now.
fn now() -> u64 {
    let mut set = 0u64;
    let into = &raw mut set as usize;
    // SAFETY: there is room for the set, which has 8 bytes to the kernel.
    unsafe { sys::call(libc::SYS_rt_sigprocmask, [libc::SIG_BLOCK as usize, 0, into, 8, 0, 0]) };
    set
}

impl Runtime {
    /// A thread is about to run.
    pub(crate) fn unmask(&mut self, next: ThreadId) {
        if self.masked {
            let set = &raw const self.control(next).mask as usize;
            // SAFETY: the set is there.
            unsafe { sys::call(libc::SYS_rt_sigprocmask, [libc::SIG_SETMASK as usize, set, 0, 8, 0, 0]) };
        }
    }

    /// A new thread has blocked what the one has that creates it.
    pub(crate) fn inherit_mask(&mut self, parent: ThreadId, child: ThreadId) {
        self.control(child).mask = self.control(parent).mask;
    }
}

entry!(
    /// See pthread_sigmask(3).
    pthread_sigmask, 3 => pthread_sigmask_
);
entry!(
    /// See sigprocmask(2).
    sigprocmask, 3 => sigprocmask_
);

type Change = unsafe extern "C" fn(c_int, *const sigset_t, *mut sigset_t) -> c_int;

fn change(set: *const sigset_t, by: impl FnOnce() -> c_int) -> c_int {
    let Some(me) = turn::me().filter(|_| carriers::are_used() && !set.is_null()) else { return by() };
    let before = now();
    let result = by();
    let after = now();
    turn::with(|rt| {
        if !std::mem::replace(&mut rt.masked, true) {
            rt.each_control(|control| control.mask = before);
        }
        rt.control(me).mask = after;
    });
    result
}

unsafe extern "C-unwind" fn pthread_sigmask_(
    how: c_int,
    set: *const sigset_t,
    old: *mut sigset_t,
    _caller: usize,
) -> c_int {
    // SAFETY: passed on as it came.
    change(set, || unsafe { real!(c"pthread_sigmask" as Change)(how, set, old) })
}

unsafe extern "C-unwind" fn sigprocmask_(
    how: c_int,
    set: *const sigset_t,
    old: *mut sigset_t,
    _caller: usize,
) -> c_int {
    // SAFETY: passed on as it came.
    change(set, || unsafe { real!(c"sigprocmask" as Change)(how, set, old) })
}
