//! How an execution ends, and how the host gets to know.

use super::real::{entry, real};
use super::runtime::Runtime;
use super::sites::{site, stack_site};
use super::turn;
use super::{sys, watch};
use gordian_model::{End, Failure, FailureKind, SiteId, ThreadId};
use gordian_wire::{OUTCOME_AT, OUTCOME_SIZE, Outcome, Phase, put_outcome};
use libc::{c_char, c_int, c_uint, c_void};
use std::ffi::CStr;
use std::sync::atomic::Ordering::{Relaxed, Release};

/// The execution is over. If all threads came to their ends, or the program did, the process ends as it would have: then this gives the
/// thread that goes on doing so. Otherwise it ends here.
pub(crate) fn over(rt: &mut Runtime, me: ThreadId) -> ThreadId {
    rt.conductor.close();
    let complete = rt.conductor.trace.end == End::Complete;
    watch::at_end(rt);
    tell(rt);
    if complete {
        turn::deactivate();
        return rt.exiting.unwrap_or(me);
    }
    // What the program has printed so far belongs to what is shown.
    if rt.conductor.trace.failure().is_some_and(|failure| failure.kind != FailureKind::Crash) {
        // SAFETY: no thread is in the middle of printing, as none is stopped there.
        unsafe { libc::fflush(std::ptr::null_mut()) };
    }
    sys::exit_process(0)
}

/// The last thread of the process has ended.
pub(crate) fn last() -> ! {
    // SAFETY: what the C library does then.
    unsafe { real!(c"exit" as unsafe extern "C-unwind" fn(c_int) -> !)(0) }
}

/// Leaves the outcome for the host.
fn tell(rt: &mut Runtime) {
    let outcome = Outcome::of(std::mem::take(&mut rt.conductor.trace));
    let base = std::ptr::from_ref(rt.shared).cast::<u8>().cast_mut();
    // SAFETY: that much is mapped behind the head, and the host does not look before it is told to.
    let bytes = unsafe { std::slice::from_raw_parts_mut(base.add(OUTCOME_AT), OUTCOME_SIZE) };
    // One that does not fit has no bytes, which the host understands.
    let len = put_outcome(&outcome, bytes).unwrap_or(0);
    rt.shared.outcome.store(len as u32, Relaxed);
    rt.shared.phase.store(Phase::Told as u32, Release);
    rt.conductor.trace = outcome.into_trace();
}

/// Something is wrong with us or around us: says so and ends the process.
pub(crate) fn give_up(message: &str) -> ! {
    sys::write(2, b"gordian: ");
    sys::write(2, message.as_bytes());
    sys::write(2, b"\n");
    sys::exit_process(125)
}

/// The thread fails, and with it the execution.
pub(crate) fn fail(me: ThreadId, kind: FailureKind, at: SiteId, say: impl FnOnce(&str) -> String) -> ! {
    turn::with(|rt| {
        let message = say(&rt.conductor.names.thread(me));
        rt.fail(me, Failure::new(kind, message).at(me, at));
    });
    unreachable!("a failed execution does not go on")
}

/// Registers what is called at the end of the process.
pub(crate) fn prepare() {
    unsafe extern "C" {
        fn on_exit(function: unsafe extern "C-unwind" fn(c_int, *mut c_void), argument: *mut c_void)
        -> c_int;
    }
    // SAFETY: a function of ours.
    unsafe { on_exit(at_exit, std::ptr::null_mut()) };
}

/// Called when the program has done what it does at its end. The threads that are left go on as far as they can.
unsafe extern "C-unwind" fn at_exit(status: c_int, _: *mut c_void) {
    if let Some(me) = turn::me() {
        ends(me, status, SiteId::UNKNOWN);
    }
}

fn ends(me: ThreadId, status: c_int, at: SiteId) {
    if status != 0 {
        fail(me, FailureKind::AbnormalExit, at, |who| {
            format!("abnormal exit: the program ended with status {} ({who})", status & 0xff)
        });
    }
    turn::exit(me);
}

entry!(
    /// See exit(3).
    exit, 1 => exit_
);
entry!(
    /// See _exit(2).
    _exit, 1 => exit_at_once
);
entry!(
    /// See _Exit(3).
    _Exit, 1 => exit_at_once
);
entry!(
    /// See quick_exit(3).
    quick_exit, 1 => exit_at_once
);
entry!(
    /// See abort(3).
    abort, 0 => abort_
);
entry!(
    /// What a failed `assert` of C calls.
    __assert_fail, 4 => assert_fail
);

unsafe extern "C-unwind" fn exit_(status: c_int, caller: usize) {
    if let Some(me) = turn::me()
        && status != 0
    {
        ends(me, status, site(caller));
    }
    // SAFETY: passed on as it came; what was registered above is called.
    unsafe { real!(c"exit" as unsafe extern "C-unwind" fn(c_int) -> !)(status) }
}

unsafe extern "C-unwind" fn exit_at_once(status: c_int, caller: usize) {
    if let Some(me) = turn::me() {
        ends(me, status, site(caller));
    }
    if status == 0 {
        super::again::again(false);
    }
    sys::exit_process(status)
}

unsafe extern "C-unwind" fn abort_(caller: usize) {
    if let Some(me) = turn::me() {
        fail(me, FailureKind::Crash, stack_site(caller), |who| format!("crash: {who} called abort"));
    }
    // SAFETY: passed on as it came.
    unsafe { real!(c"abort" as unsafe extern "C-unwind" fn() -> !)() }
}

unsafe extern "C-unwind" fn assert_fail(
    what: *const c_char,
    file: *const c_char,
    line: c_uint,
    function: *const c_char,
    caller: usize,
) {
    // SAFETY: the compiler passes texts that end with a zero, or null.
    let text = |text: *const c_char| unsafe {
        if text.is_null() { "?".into() } else { CStr::from_ptr(text).to_string_lossy() }
    };
    if let Some(me) = turn::me() {
        let at = site(caller);
        let said = format!("{}:{line}: {}: Assertion `{}' failed.\n", text(file), text(function), text(what));
        sys::write(2, said.as_bytes());
        fail(me, FailureKind::Panic, at, |who| format!("{who} failed an assertion: {}", text(what)));
    }
    type Fail = unsafe extern "C-unwind" fn(*const c_char, *const c_char, c_uint, *const c_char) -> !;
    // SAFETY: passed on as it came.
    unsafe { real!(c"__assert_fail" as Fail)(what, file, line, function) }
}
