//! Executions that follow each other in one process.
//!
//! When an execution is over, its process puts its memory back to what it was before, all of it, the C library's and ours included, and is
//! where it was when it was forked. Only what the kernel keeps for a process is not put back. Where that is easily seen to have changed
//! (descriptors that are still open, memory that is still mapped), the process ends as it would have, and the next execution gets a new one.
//!
//! Which pages have to be put back is found out in `pages.rs`.
//!
//! What does this lies in memory that is shared, which is neither copied by a fork nor put back.

use super::carriers::{self, Context};
use super::pages::{self, Pages};
use super::{blocks, sys, turn};
use gordian_wire::{AFRESH, AGAIN, GO_ON, Phase, Shared};
use libc::{c_int, c_void};
use std::sync::atomic::{AtomicPtr, Ordering::*};

/// Where descriptors go that the program is not to meet.
const FAR: usize = 700;

/// What there is besides the process itself.
struct Region {
    /// The state to go back to.
    context: Context,
    shared: &'static Shared,
    orders: c_int,
    answers: c_int,
    /// A descriptor of what the kernel says of the size of the process.
    size_file: c_int,
    /// What the kernel keeps, as it was.
    faults: i64,
    free: isize,
    end: isize,
    size: usize,
    mask: u64,
    usable: bool,
    pages: Pages,
    stack: [u8; 64 << 10],
}

static REGION: AtomicPtr<Region> = AtomicPtr::new(std::ptr::null_mut());

/// Memory that forks share: it is not a part of what is put back.
pub(crate) fn shared_memory(size: usize) -> *mut u8 {
    let protection = (libc::PROT_READ | libc::PROT_WRITE) as usize;
    let flags = (libc::MAP_SHARED | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE) as usize;
    // SAFETY: new memory, which nobody else has.
    let address = unsafe { sys::call(libc::SYS_mmap, [0, size, protection, flags, usize::MAX, 0]) };
    if address < 0 { std::ptr::null_mut() } else { address as *mut u8 }
}

/// A descriptor that takes the place of this one, where the program does not meet it.
pub(crate) fn far(descriptor: isize) -> c_int {
    // SAFETY: they touch no memory.
    unsafe {
        let copy =
            sys::call(libc::SYS_fcntl, [descriptor as usize, libc::F_DUPFD_CLOEXEC as usize, FAR, 0, 0, 0]);
        if copy < 0 {
            return descriptor as c_int;
        }
        sys::call(libc::SYS_close, [descriptor as usize, 0, 0, 0, 0, 0]);
        copy as c_int
    }
}

pub(crate) fn open(path: &std::ffi::CStr) -> isize {
    // SAFETY: the path ends with a zero.
    unsafe { sys::call(libc::SYS_openat, [libc::AT_FDCWD as usize, path.as_ptr() as usize, 0, 0, 0, 0]) }
}

pub(crate) fn close(descriptor: c_int) {
    // SAFETY: it touches no memory.
    unsafe { sys::call(libc::SYS_close, [descriptor as usize, 0, 0, 0, 0, 0]) };
}

/// A new process notes down what it is like. It comes back from here before each of its executions.
pub(crate) fn prepare(shared: &'static Shared, orders: c_int, answers: c_int) {
    let region = shared_memory(size_of::<Region>()).cast::<Region>();
    let (orders, answers) = (far(orders as isize), far(answers as isize));
    if region.is_null() {
        close(orders);
        close(answers);
        return;
    }
    // SAFETY: there is room for it, and zeros are valid for what is not written here. Nobody else has it.
    unsafe {
        (*region).shared = shared;
        (*region).orders = orders;
        (*region).answers = answers;
        (*region).size_file = far(open(c"/proc/self/statm"));
        (*region).pages.tables = far(open(c"/proc/self/pagemap"));
        (*region).context.thread = libc::pthread_self() as usize;
        REGION.store(region, Relaxed);
        checkpoint(&raw mut (*region).context.pointer, note_down, region);
    }
}

/// Notes down the registers and calls the function. It returns then, and once more whenever something switches to the registers.
#[unsafe(naked)]
unsafe extern "C-unwind" fn checkpoint(
    pointer: *mut usize,
    function: unsafe extern "C-unwind" fn(*mut Region),
    region: *mut Region,
) {
    std::arch::naked_asm!(
        "push rbp",
        "push rbx",
        "push r12",
        "push r13",
        "push r14",
        "push r15",
        "sub rsp, 8",
        "stmxcsr [rsp]",
        "fnstcw [rsp + 4]",
        "mov [rdi], rsp",
        "mov rdi, rdx",
        "call rsi",
        "add rsp, 8",
        "pop r15",
        "pop r14",
        "pop r13",
        "pop r12",
        "pop rbx",
        "pop rbp",
        "ret",
    )
}

/// Goes on with a function, at the upper end of another stack, and does not come back.
#[unsafe(naked)]
unsafe extern "C-unwind" fn leave(
    top: usize,
    function: unsafe extern "C-unwind" fn(*mut Region) -> !,
    region: *mut Region,
) -> ! {
    std::arch::naked_asm!("mov rsp, rdi", "mov rdi, rdx", "call rsi", "ud2")
}

/// Copies all memory that the program can write to.
unsafe extern "C-unwind" fn note_down(region: *mut Region) {
    // SAFETY: the region is there and nobody else's.
    let region = unsafe { &mut *region };
    region.usable = region.size_file >= 0 && region.pages.tables >= 0 && region.pages.copy_all().is_some();
    // SAFETY: plain calls that write to what is passed.
    unsafe {
        let set = &raw mut region.mask;
        sys::call(libc::SYS_rt_sigprocmask, [libc::SIG_BLOCK as usize, 0, set as usize, 8, 0, 0]);
        region.end = sys::call(libc::SYS_brk, [0; 6]);
    }
    region.free = region.first_free();
    region.size = region.size_now();
}

impl Region {
    /// The first descriptor that is free.
    fn first_free(&self) -> isize {
        // SAFETY: they touch no memory.
        unsafe {
            let free = sys::call(libc::SYS_dup, [self.orders as usize, 0, 0, 0, 0, 0]);
            sys::call(libc::SYS_close, [free as usize, 0, 0, 0, 0, 0]);
            free
        }
    }

    /// How many pages the process has mapped.
    fn size_now(&self) -> usize {
        let mut text = [0u8; 32];
        let into = text.as_mut_ptr() as usize;
        // SAFETY: there is that much room.
        unsafe { sys::call(libc::SYS_pread64, [self.size_file as usize, into, text.len(), 0, 0, 0]) };
        text.iter()
            .take_while(|byte| byte.is_ascii_digit())
            .fold(0, |n, byte| n * 10 + usize::from(byte - b'0'))
    }
}

/// How often the calling process has been without a page.
fn faults() -> i64 {
    // SAFETY: zeros are valid, and there is room for the answer.
    unsafe {
        let mut usage: libc::rusage = std::mem::zeroed();
        sys::call(libc::SYS_getrusage, [libc::RUSAGE_SELF as usize, &raw mut usage as usize, 0, 0, 0, 0]);
        usage.ru_minflt + usage.ru_majflt
    }
}

/// The process is about to end, with nothing left to be done. If it is fit for another execution, it makes one, and this does not return.
pub(crate) fn again(flush: bool) {
    let region = REGION.load(Relaxed);
    // SAFETY: made for this process; nobody else looks at it.
    let Some(region) = (unsafe { region.as_mut() }) else { return };
    if !region.usable || turn::me().is_some() || region.shared.phase.load(Acquire) != Phase::Told as u32 {
        return;
    }
    if blocks::used() > pages::BLOCKS {
        return;
    }
    if flush {
        // SAFETY: what a process does at its end.
        unsafe { libc::fflush(std::ptr::null_mut()) };
    }
    // SAFETY: memory beyond what there was is nobody's any more.
    let end = unsafe { sys::call(libc::SYS_brk, [region.end as usize, 0, 0, 0, 0, 0]) };
    if end != region.end || region.first_free() != region.free || region.size_now() != region.size {
        return;
    }
    let top = (&raw const region.stack) as usize + size_of_val(&region.stack);
    // SAFETY: nobody uses that stack, and what is on this one is not needed any more.
    unsafe { leave(top & !15, cycle, region) }
}

/// What happens between two executions, on a stack of its own.
unsafe extern "C-unwind" fn cycle(region: *mut Region) -> ! {
    // SAFETY: as in `again`.
    let region = unsafe { &mut *region };
    let now = faults();
    if now != region.faults {
        if region.pages.look().is_none() {
            sys::exit_process(0);
        }
        region.faults = faults();
    }
    sys::write(region.answers, &AGAIN.to_le_bytes());
    match sys::read_byte(region.orders) {
        Some(GO_ON) => {}
        order => {
            region.shared.leaves.store(u32::from(order == Some(AFRESH)), Release);
            sys::exit_process(0);
        }
    }
    region.pages.put_back();
    let mut nowhere = 0;
    // SAFETY: the mask is there; the registers are those of a process like this one.
    unsafe {
        let set = &raw const region.mask;
        sys::call(libc::SYS_rt_sigprocmask, [libc::SIG_SETMASK as usize, set as usize, 0, 8, 0, 0]);
        carriers::switch(&raw mut nowhere, region.context);
    }
    unreachable!("it does not come back")
}

/// What is registered before the C library, and the program, register anything is called when all else has been.
unsafe extern "C-unwind" fn at_last(status: c_int, _: *mut c_void) {
    if status == 0 {
        again(true);
    }
}

extern "C" fn register() {
    unsafe extern "C" {
        fn on_exit(function: unsafe extern "C-unwind" fn(c_int, *mut c_void), argument: *mut c_void)
        -> c_int;
    }
    // SAFETY: a function of ours.
    unsafe { on_exit(at_last, std::ptr::null_mut()) };
}

#[used]
#[unsafe(link_section = ".init_array")]
static REGISTER: extern "C" fn() = register;
