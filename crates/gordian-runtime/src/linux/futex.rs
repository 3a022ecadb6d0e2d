//! System calls that the program makes through libc's `syscall`: futexes, on which Rust's std and C++20 wait, and the few others that
//! concern threads. The rest goes to the kernel.

use super::hooks::{self, words};
use super::objects::object;
use super::sites::stack_site;
use super::{identity, random, refused, sys, time, turn};
use gordian_model::object::Futex;
use gordian_model::{ObjectId, ObjectKind, Op, OpKind, SiteId, ThreadId};
use libc::{c_int, c_long, timespec};

/// See syscall(2).
///
/// # Safety
/// As the system call asks for.
#[unsafe(naked)]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn syscall() {
    // The seventh argument lies on the stack; an eighth, the caller, is added.
    std::arch::naked_asm!(
        ".cfi_startproc",
        super::snapshot::note!(),
        "sub rsp, 8",
        ".cfi_adjust_cfa_offset 8",
        "push qword ptr [rsp + 8]",
        ".cfi_adjust_cfa_offset 8",
        "push qword ptr [rsp + 24]",
        ".cfi_adjust_cfa_offset 8",
        "call {to}",
        "add rsp, 24",
        ".cfi_adjust_cfa_offset -24",
        "ret",
        ".cfi_endproc",
        to = sym call,
    )
}

#[allow(clippy::too_many_arguments)]
unsafe extern "C-unwind" fn call(
    number: c_long,
    a: usize,
    b: usize,
    c: usize,
    d: usize,
    e: usize,
    f: usize,
    caller: usize,
) -> c_long {
    if let Some(me) = turn::me() {
        match number {
            // SAFETY: the arguments are those of a futex call.
            libc::SYS_futex => return unsafe { futex(me, [a, b, c, d, e, f], caller) },
            libc::SYS_getrandom => {
                // SAFETY: the arguments are those of getrandom.
                unsafe { random::fill(me, a as *mut u8, b) };
                return b as c_long;
            }
            libc::SYS_sched_yield => {
                time::pause(me, OpKind::Yield, caller);
                return 0;
            }
            libc::SYS_getpid | libc::SYS_gettid => {
                if let Some(number) = identity::called(number) {
                    return c_long::from(number);
                }
            }
            libc::SYS_clone | libc::SYS_clone3 | libc::SYS_fork | libc::SYS_vfork => {
                refused::refuse(me, "syscall to make a thread or a process", caller)
            }
            libc::SYS_exit | libc::SYS_exit_group => refused::refuse(me, "syscall to end a thread", caller),
            _ => {}
        }
    }
    // SAFETY: passed on as it came.
    result(unsafe { sys::call(number, [a, b, c, d, e, f]) })
}

/// As libc gives it back.
fn result(result: isize) -> c_long {
    if (-4095..0).contains(&result) {
        // SAFETY: it is the calling thread's.
        unsafe { *libc::__errno_location() = -result as c_int };
        return -1;
    }
    result as c_long
}

fn get(me: ThreadId, word: usize, at: SiteId) -> ObjectId {
    object(me, word, ObjectKind::Futex, at, || Futex::new().into())
}

/// # Safety
/// The arguments are those of a futex call.
unsafe fn futex(me: ThreadId, [word, op, value, timeout, other, third]: [usize; 6], caller: usize) -> c_long {
    turn::meets_in_memory(me);
    turn::with(|rt| rt.control(me).unseen = true);
    let flags = libc::FUTEX_PRIVATE_FLAG | libc::FUTEX_CLOCK_REALTIME;
    let at = stack_site(caller);
    let realtime = op as c_int & libc::FUTEX_CLOCK_REALTIME != 0;
    let clock = if realtime { libc::CLOCK_REALTIME } else { libc::CLOCK_MONOTONIC };
    if !word.is_multiple_of(4) {
        return result(-(libc::EINVAL as isize));
    }
    // SAFETY: the kernel would read it.
    let holds = |word: usize, value: usize| unsafe { (word as *const u32).read_volatile() == value as u32 };
    match op as c_int & !flags {
        command @ (libc::FUTEX_WAIT | libc::FUTEX_WAIT_BITSET) => {
            let bits = if command == libc::FUTEX_WAIT { u32::MAX } else { third as u32 };
            if bits == 0 {
                return result(-(libc::EINVAL as isize));
            }
            let id = get(me, word, at);
            // SAFETY: the kernel would read it.
            let other =
                if hooks::are_there() { unsafe { words::object(me, word, 4, at) } } else { ObjectId::NONE };
            let op = Op { arg2: u64::from(bits), other, ..Op::new(OpKind::FutexWait, id, at) };
            // The word is looked at when it is the thread's turn, not before.
            let waits = turn::step_when(me, &op, |op| op.arg = u64::from(holds(word, value))).ok;
            turn::with(|rt| rt.control(me).unseen = true);
            if !waits {
                // Whoever changed it may have done so without hooks, and the thread will go by what it finds without them.
                turn::with(|rt| rt.conductor.knows_all(me));
                return result(-(libc::EAGAIN as isize));
            }
            // SAFETY: the program's own.
            let until = unsafe { (timeout as *const timespec).as_ref() };
            let kind = if until.is_some() { OpKind::FutexLeaveTimed } else { OpKind::FutexLeave };
            let woken = turn::step(me, &Op::new(kind, id, at)).ok;
            turn::with(|rt| rt.control(me).unseen = true);
            if other != ObjectId::NONE {
                // As above: what std then does to take a lock is not seen.
                turn::with(|rt| rt.conductor.acquire(me, other));
            }
            if woken {
                return 0;
            }
            if !holds(word, value) {
                turn::with(|rt| rt.conductor.knows_all(me));
            }
            match until {
                Some(time) if command == libc::FUTEX_WAIT => time::pass(me, time),
                until => time::expired(me, clock, until),
            }
            result(-(libc::ETIMEDOUT as isize))
        }
        command @ (libc::FUTEX_WAKE | libc::FUTEX_WAKE_BITSET) => {
            let bits = if command == libc::FUTEX_WAKE { u32::MAX } else { third as u32 };
            let id = get(me, word, at);
            let most = value as c_int;
            let arg = if most < 0 { u64::MAX } else { u64::from(most as u32) };
            let op = Op { arg, arg2: u64::from(bits), ..Op::new(OpKind::FutexWake, id, at) };
            let woken = turn::step(me, &op).value as c_long;
            turn::with(|rt| rt.control(me).unseen = true);
            woken
        }
        command @ (libc::FUTEX_REQUEUE | libc::FUTEX_CMP_REQUEUE) => {
            let (from, to) = (get(me, word, at), get(me, other, at));
            if from == to {
                return result(-(libc::EINVAL as isize));
            }
            // What is the time in other calls is a number here.
            let op = Op {
                arg: value as u32 as u64,
                arg2: timeout as u32 as u64,
                other: to,
                ..Op::new(OpKind::FutexRequeue, from, at)
            };
            let reply = turn::step_when(me, &op, |op| {
                op.detail = u8::from(command == libc::FUTEX_CMP_REQUEUE && !holds(word, third));
            });
            turn::with(|rt| rt.conductor.requeued(from, to));
            if reply.ok { reply.value as c_long } else { result(-(libc::EAGAIN as isize)) }
        }
        command => refused::refuse(me, &format!("futex operation {command}"), caller),
    }
}
