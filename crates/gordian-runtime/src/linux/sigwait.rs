//! Waiting for signals. A thread that does so is blocked until another sends it, or the process, one that it waits for: signals from outside
//! of the program do not come.

use super::objects::object;
use super::real::{entry, real};
use super::sites::site;
use super::{identity, sys, time, turn};
use gordian_model::object::Semaphore;
use gordian_model::{ObjectKind, Op, OpKind, ThreadId};
use libc::{c_int, pthread_t, siginfo_t, sigset_t, timespec};

/// Stands for all signals that wait to be taken; only its address matters.
static SIGNALS: u8 = 0;

fn semaphore(me: ThreadId, at: gordian_model::SiteId) -> gordian_model::ObjectId {
    object(me, (&raw const SIGNALS) as usize, ObjectKind::Semaphore, at, || Semaphore::new(0).into())
}

/// Takes a signal of the set that has been sent, if there is one.
///
/// # Safety
/// It must be a set.
unsafe fn sent(set: *const sigset_t) -> Option<c_int> {
    turn::with(|rt| {
        // SAFETY: as the caller says.
        let i = rt.signals.iter().position(|&signal| unsafe { libc::sigismember(set, signal) } == 1)?;
        Some(rt.signals.remove(i))
    })
}

/// # Safety
/// It must be a set.
unsafe fn wait(me: ThreadId, set: *const sigset_t, until: Option<&timespec>, caller: usize) -> Option<c_int> {
    let at = site(caller);
    let kind = if until.is_some() { OpKind::AcquireTimed } else { OpKind::Acquire };
    let id = semaphore(me, at);
    loop {
        if !super::cancel::acquire(me, id, kind, at) {
            if let Some(time) = until {
                time::pass(me, time);
            }
            return None;
        }
        // SAFETY: as the caller says.
        if let Some(signal) = unsafe { sent(set) } {
            return Some(signal);
        }
        // It was not for this thread: whoever it is for takes it.
        turn::step(me, &Op { arg: 1, ..Op::new(OpKind::Release, id, at) });
        turn::step(me, &Op::new(OpKind::Yield, gordian_model::ObjectId::NONE, at));
    }
}

/// Has the calling thread blocked a signal? Then nobody but those who wait for it get it.
fn is_blocked(signal: c_int) -> bool {
    // SAFETY: there is room for the set, which is asked for and not changed.
    unsafe {
        let mut set: sigset_t = std::mem::zeroed();
        libc::pthread_sigmask(libc::SIG_BLOCK, std::ptr::null(), &raw mut set);
        libc::sigismember(&raw const set, signal) == 1
    }
}

fn send(me: ThreadId, signal: c_int, caller: usize) {
    let at = site(caller);
    let id = semaphore(me, at);
    turn::with(|rt| rt.signals.push(signal));
    turn::step(me, &Op { arg: 1, ..Op::new(OpKind::Release, id, at) });
}

entry!(
    /// See sigwait(3).
    sigwait, 2 => sigwait_
);
entry!(
    /// See sigwaitinfo(2).
    sigwaitinfo, 2 => sigwaitinfo_
);
entry!(
    /// See sigtimedwait(2).
    sigtimedwait, 3 => sigtimedwait_
);
entry!(
    /// See pthread_kill(3).
    pthread_kill, 2 => kill_thread
);
entry!(
    /// See kill(2).
    kill, 2 => kill_process
);

unsafe extern "C-unwind" fn sigwait_(set: *const sigset_t, signal: *mut c_int, caller: usize) -> c_int {
    let Some(me) = turn::me() else {
        type Wait = unsafe extern "C" fn(*const sigset_t, *mut c_int) -> c_int;
        // SAFETY: passed on as it came.
        return unsafe { real!(c"sigwait" as Wait)(set, signal) };
    };
    // SAFETY: the program passes a set and where the signal goes.
    unsafe {
        let Some(taken) = wait(me, set, None, caller) else { return libc::EINTR };
        signal.write(taken);
    }
    0
}

unsafe extern "C-unwind" fn sigwaitinfo_(set: *const sigset_t, info: *mut siginfo_t, caller: usize) -> c_int {
    // SAFETY: passed on as it came.
    unsafe { sigtimedwait_(set, info, std::ptr::null(), caller) }
}

unsafe extern "C-unwind" fn sigtimedwait_(
    set: *const sigset_t,
    info: *mut siginfo_t,
    until: *const timespec,
    caller: usize,
) -> c_int {
    let Some(me) = turn::me() else {
        type Wait = unsafe extern "C" fn(*const sigset_t, *mut siginfo_t, *const timespec) -> c_int;
        // SAFETY: passed on as it came.
        return unsafe { real!(c"sigtimedwait" as Wait)(set, info, until) };
    };
    // SAFETY: the program passes a set, and where to put what is known of the signal, or null.
    unsafe {
        let Some(taken) = wait(me, set, until.as_ref(), caller) else {
            *libc::__errno_location() = libc::EAGAIN;
            return -1;
        };
        if let Some(info) = info.as_mut() {
            *info = std::mem::zeroed();
            info.si_signo = taken;
        }
        taken
    }
}

unsafe extern "C-unwind" fn kill_thread(thread: pthread_t, signal: c_int, caller: usize) -> c_int {
    match turn::me().filter(|_| signal != 0 && is_blocked(signal)) {
        Some(me) => {
            send(me, signal, caller);
            0
        }
        // SAFETY: passed on as it came.
        None => unsafe {
            real!(c"pthread_kill" as unsafe extern "C" fn(pthread_t, c_int) -> c_int)(thread, signal)
        },
    }
}

unsafe extern "C-unwind" fn kill_process(process: c_int, signal: c_int, caller: usize) -> c_int {
    let itself = process == identity::process() && turn::me().is_some();
    let process = if itself { sys::process_number() as c_int } else { process };
    match turn::me().filter(|_| itself && signal != 0 && is_blocked(signal)) {
        Some(me) => {
            send(me, signal, caller);
            0
        }
        // SAFETY: passed on as it came.
        None => unsafe { real!(c"kill" as unsafe extern "C" fn(c_int, c_int) -> c_int)(process, signal) },
    }
}
