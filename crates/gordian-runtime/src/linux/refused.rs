//! Calls that are known and not modelled yet: the execution ends with a sentence that names them, rather than going on in ways that are
//! not under control.

use super::real::{entry, real};
use super::sites::stack_site;
use super::{end, turn};
use gordian_model::{FailureKind, ThreadId};
use libc::{c_char, c_int, c_void};

/// Ends the execution because of a call that is not modelled.
pub(crate) fn refuse(me: ThreadId, call: &str, caller: usize) -> ! {
    end::fail(me, FailureKind::Misuse, stack_site(caller), |who| {
        format!("{who} calls {call}, which is not supported yet: Gordian controls the threads of one process")
    })
}

macro_rules! refuse {
    ($($name:ident, $symbol:literal, $count:tt, ($($argument:ident: $type:ty),*) -> $result:ty;)*) => {$(
        entry!(
            #[doc = concat!("See ", stringify!($name), ".")]
            $name, $count => $name::call
        );
        mod $name {
            use super::*;
            #[allow(clippy::too_many_arguments)]
            pub(super) unsafe extern "C-unwind" fn call($($argument: $type,)* caller: usize) -> $result {
                match turn::me() {
                    Some(me) => refuse(me, stringify!($name), caller),
                    // SAFETY: passed on as it came.
                    None => unsafe { real!($symbol as unsafe extern "C-unwind" fn($($type),*) -> $result)($($argument),*) },
                }
            }
        }
    )*};
}

refuse! {
    fork, c"fork", 0, () -> c_int;
    vfork, c"fork", 0, () -> c_int;
    daemon, c"daemon", 2, (a: c_int, b: c_int) -> c_int;
    system, c"system", 1, (a: *const c_char) -> c_int;
    popen, c"popen", 2, (a: *const c_char, b: *const c_char) -> *mut c_void;
    execv, c"execv", 2, (a: *const c_char, b: *const c_void) -> c_int;
    execvp, c"execvp", 2, (a: *const c_char, b: *const c_void) -> c_int;
    execve, c"execve", 3, (a: *const c_char, b: *const c_void, c: *const c_void) -> c_int;
    execvpe, c"execvpe", 3, (a: *const c_char, b: *const c_void, c: *const c_void) -> c_int;
}

macro_rules! spawn {
    ($($name:ident, $symbol:literal;)*) => {$(
        /// See posix_spawn(3).
        ///
        /// # Safety
        /// As the C library's function asks for.
        #[unsafe(no_mangle)]
        pub unsafe extern "C-unwind" fn $name(
            process: *mut c_int,
            path: *const c_char,
            actions: *const c_void,
            attributes: *const c_void,
            arguments: *const c_void,
            environment: *const c_void,
        ) -> c_int {
            type Spawn = unsafe extern "C" fn(
                *mut c_int,
                *const c_char,
                *const c_void,
                *const c_void,
                *const c_void,
                *const c_void,
            ) -> c_int;
            match turn::me() {
                // All registers have arguments, so where it was called from is left to the stack.
                Some(me) => refuse(me, stringify!($name), 0),
                // SAFETY: passed on as it came.
                None => unsafe { real!($symbol as Spawn)(process, path, actions, attributes, arguments, environment) },
            }
        }
    )*};
}

spawn! {
    posix_spawn, c"posix_spawn";
    posix_spawnp, c"posix_spawnp";
}

macro_rules! variadic {
    ($($name:ident, $symbol:literal;)*) => {$(
        #[doc = concat!("See ", stringify!($name), "(3).")]
        ///
        /// # Safety
        /// As the C library's function asks for.
        #[unsafe(naked)]
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $name() {
            // How many arguments there are is not known, so they stay where they are.
            std::arch::naked_asm!(
                "push rdi", "push rsi", "push rdx", "push rcx", "push r8", "push r9", "push rax",
                "mov rdi, [rsp + 56]",
                "call {to}",
                "mov r11, rax",
                "pop rax", "pop r9", "pop r8", "pop rcx", "pop rdx", "pop rsi", "pop rdi",
                "jmp r11",
                to = sym $name::real_one,
            )
        }
        mod $name {
            use super::*;
            pub(super) extern "C-unwind" fn real_one(caller: usize) -> *const c_void {
                match turn::me() {
                    Some(me) => refuse(me, stringify!($name), caller),
                    None => real!($symbol as fn()) as *const c_void,
                }
            }
        }
    )*};
}

variadic! {
    execl, c"execl";
    execlp, c"execlp";
    execle, c"execle";
}
