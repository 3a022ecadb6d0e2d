//! Signals that end a process become failures with a trace. One more, which the host sends when a program does something for too long
//! that is not under control, tells where that is.

use super::sites::{backtrace, stack_site};
use super::{sys, turn};
use gordian_model::{Failure, FailureKind, SiteId, ThreadId};
use gordian_wire::DEPTH;
use libc::{c_int, c_void, siginfo_t, stack_t, ucontext_t};

/// The signal of the watchdog: the last one, which programs hardly use.
const WATCHDOG: c_int = 64;

const FATAL: [(c_int, &str); 5] = [
    (libc::SIGSEGV, "SIGSEGV (an address that is not there)"),
    (libc::SIGBUS, "SIGBUS (an address that cannot be used)"),
    (libc::SIGILL, "SIGILL (an instruction that there is not)"),
    (libc::SIGFPE, "SIGFPE (arithmetic, such as a division by zero)"),
    (libc::SIGABRT, "SIGABRT"),
];

/// Room for handlers, also when a thread has used up its stack.
const STACK: usize = 64 << 10;

/// Takes over the signals. Handlers that the program installs later come first.
pub(crate) fn prepare() {
    own_stack();
    for signal in FATAL.iter().map(|&(signal, _)| signal).chain([WATCHDOG]) {
        // SAFETY: a handler of ours, with a stack of its own.
        unsafe {
            let mut action: libc::sigaction = std::mem::zeroed();
            action.sa_sigaction = handle as *const () as usize;
            action.sa_flags = libc::SA_SIGINFO | libc::SA_ONSTACK | libc::SA_NODEFER;
            libc::sigaction(signal, &raw const action, std::ptr::null_mut());
        }
    }
}

/// Gives the calling thread a stack for handlers.
pub(crate) fn own_stack() {
    let base = sys::map(STACK);
    if !base.is_null() {
        let stack = stack_t { ss_sp: base.cast(), ss_flags: 0, ss_size: STACK };
        // SAFETY: the memory is nobody else's, and stays.
        unsafe { libc::sigaltstack(&raw const stack, std::ptr::null_mut()) };
    }
}

unsafe extern "C" fn handle(signal: c_int, info: *mut siginfo_t, context: *mut c_void) {
    // SAFETY: what the kernel passes.
    let (registers, address) =
        unsafe { (&(*context.cast::<ucontext_t>()).uc_mcontext.gregs, (*info).si_addr() as usize) };
    let pc = registers[libc::REG_RIP as usize] as usize;
    let pointer = registers[libc::REG_RSP as usize] as usize;
    match (turn::me(), signal) {
        (Some(_), WATCHDOG) if turn::is_inside() => turn::ask_where(),
        (Some(me), WATCHDOG) => stuck(me, pc),
        (None, WATCHDOG) => {}
        (Some(me), _) => {
            let name =
                FATAL.iter().find(|&&(fatal, _)| fatal == signal).map_or("a signal", |&(_, name)| name);
            let near = address.abs_diff(pointer) < 64 << 10;
            super::end::fail(me, FailureKind::Crash, stack_site(pc), |who| match signal {
                libc::SIGSEGV if near => format!("crash: {who} has used up its stack"),
                libc::SIGSEGV | libc::SIGBUS if address < 4096 => {
                    format!("crash: {who} was stopped by {name}: it used a null pointer")
                }
                _ => format!("crash: {who} was stopped by {name}"),
            })
        }
        (None, _) => {
            // Not under control: it happens again, and does what it would have done.
            // SAFETY: the default is always there.
            unsafe { libc::signal(signal, libc::SIG_DFL) };
        }
    }
}

/// The watchdog came while the runtime was at work, which is for a moment only: the program is in a loop of accesses that are no steps.
#[cold]
pub(crate) fn asked() {
    if let Some(me) = turn::me() {
        stuck(me, super::snapshot::called_from());
    }
}

/// The running thread is somewhere that is not under control, and has been there for too long.
fn stuck(me: ThreadId, pc: usize) -> ! {
    let frames = backtrace(pc);
    turn::with(|rt| {
        let mut sites: Vec<SiteId> = Vec::new();
        for &frame in frames.iter().filter(|&&frame| frame != 0) {
            let mut one = [0; DEPTH];
            one[0] = frame;
            sites.push(rt.site(one));
        }
        let who = rt.conductor.names.thread(me);
        let message = format!(
            "stuck: {who} has not come to a call that Gordian controls for too long: it computes, spins, or waits for something outside of the program"
        );
        let mut failure = Failure::new(FailureKind::Stuck, message).at(me, rt.site(frames));
        for (i, site) in sites.into_iter().enumerate() {
            let place = rt.conductor.names.place(site);
            let words = if i == 0 { "it is at" } else { "called from" };
            failure = failure.note(Some(me), format!("{words} {place}"), site);
        }
        rt.fail(me, failure);
    });
    sys::exit_process(0)
}
