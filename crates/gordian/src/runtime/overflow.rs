//! Stack overflow in a thread under test is a failure with a name, not the end of the process.
//!
//! A fault on the guard page of the running thread is answered by letting the host go on at once, and one met while
//! [peeking](super::peek) by going on after it. Every other fault goes to whoever handled it before.

use std::cell::Cell;

thread_local! {
    static OVERFLOWED: Cell<bool> = const { Cell::new(false) };
}

/// Did the last thread that left its stack for good overflow it?
#[inline]
pub(super) fn happened() -> bool {
    OVERFLOWED.with(|o| o.replace(false))
}

#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
mod handler {
    use super::OVERFLOWED;
    use crate::runtime::coroutines::fall_off;
    use crate::runtime::peek::after_fault;
    use std::cell::Cell;
    use std::mem::MaybeUninit;
    use std::sync::Once;

    static mut PREVIOUS: MaybeUninit<libc::sigaction> = MaybeUninit::uninit();

    /// Installs the handler once for the process, and an alternative signal stack for this OS thread if it has none.
    pub(in crate::runtime) fn install() {
        static INSTALLED: Once = Once::new();
        // SAFETY: plain libc calls with initialised arguments; `PREVIOUS` is written before the handler can run.
        INSTALLED.call_once(|| unsafe {
            let mut action: libc::sigaction = std::mem::zeroed();
            action.sa_sigaction = on_fault as *const () as usize;
            action.sa_flags = libc::SA_SIGINFO | libc::SA_ONSTACK;
            libc::sigemptyset(&raw mut action.sa_mask);
            libc::sigaction(libc::SIGSEGV, std::ptr::null(), (&raw mut PREVIOUS).cast());
            libc::sigaction(libc::SIGSEGV, &raw const action, std::ptr::null_mut());
        });
        thread_local!(static READY: Cell<bool> = const { Cell::new(false) });
        if !READY.with(|r| r.replace(true)) {
            // SAFETY: asks for, and if there is none sets, an alternative stack that is never freed.
            unsafe {
                let mut old: libc::stack_t = std::mem::zeroed();
                libc::sigaltstack(std::ptr::null(), &raw mut old);
                if old.ss_flags & libc::SS_DISABLE != 0 {
                    let memory = Box::leak(vec![0u8; 64 * 1024].into_boxed_slice());
                    let new = libc::stack_t {
                        ss_sp: memory.as_mut_ptr().cast(),
                        ss_flags: 0,
                        ss_size: memory.len(),
                    };
                    libc::sigaltstack(&raw const new, std::ptr::null_mut());
                }
            }
        }
    }

    extern "C" fn on_fault(signal: libc::c_int, info: *mut libc::siginfo_t, context: *mut libc::c_void) {
        // SAFETY: the kernel hands us valid pointers. The thread-locals are const-initialised, so reading them is
        // safe in a handler. The thread that is running is the one that faulted, because its stack pointer says so, and the host
        // goes on where it waits, with the stack that it waits on.
        unsafe {
            let context = &mut *context.cast::<libc::ucontext_t>();
            let registers = &mut context.uc_mcontext.gregs;
            if let Some(next) = after_fault(registers[libc::REG_RIP as usize] as usize) {
                registers[libc::REG_RIP as usize] = next as i64;
                return;
            }
            let pointer = registers[libc::REG_RSP as usize] as usize;
            let address = (*info).si_addr() as usize;
            if let Some((counter, pointer)) = fall_off(pointer, address) {
                OVERFLOWED.with(|o| o.set(true));
                registers[libc::REG_RIP as usize] = counter as i64;
                registers[libc::REG_RSP as usize] = pointer as i64;
                return;
            }
            let previous = &*(&raw const PREVIOUS).cast::<libc::sigaction>();
            match previous.sa_sigaction {
                libc::SIG_DFL | libc::SIG_IGN => {
                    libc::signal(signal, libc::SIG_DFL);
                }
                action if previous.sa_flags & libc::SA_SIGINFO != 0 => {
                    let action: extern "C" fn(libc::c_int, *mut libc::siginfo_t, *mut libc::c_void) =
                        std::mem::transmute(action);
                    action(signal, info, std::ptr::from_mut(context).cast());
                }
                action => {
                    let action: extern "C" fn(libc::c_int) = std::mem::transmute(action);
                    action(signal);
                }
            }
        }
    }
}

#[cfg(not(all(target_os = "linux", target_arch = "x86_64")))]
mod handler {
    /// Elsewhere an overflow hits the guard page and ends the process.
    pub(in crate::runtime) fn install() {}
}

pub(super) use handler::install;
