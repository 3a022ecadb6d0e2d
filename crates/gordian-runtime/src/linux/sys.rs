//! System calls made directly. libc's `syscall` is one of the things that are taken over, and it sets `errno`, which belongs to the
//! program.

use std::arch::asm;
use std::sync::atomic::AtomicU32;

/// A system call; errors are negative numbers.
///
/// # Safety
/// As the call asks for.
#[inline]
pub(crate) unsafe fn call(number: i64, args: [usize; 6]) -> isize {
    let result: isize;
    // SAFETY: the kernel's calling convention; what the call does to memory is the caller's business.
    unsafe {
        asm!(
            "syscall",
            inlateout("rax") number as isize => result,
            in("rdi") args[0],
            in("rsi") args[1],
            in("rdx") args[2],
            in("r10") args[3],
            in("r8") args[4],
            in("r9") args[5],
            lateout("rcx") _,
            lateout("r11") _,
            options(nostack),
        );
    }
    result
}

/// Waits while the word is `expected`.
pub(crate) fn futex_wait(word: &AtomicU32, expected: u32) {
    let op = libc::FUTEX_WAIT | libc::FUTEX_PRIVATE_FLAG;
    // SAFETY: the word is alive; the kernel only reads it.
    unsafe { call(libc::SYS_futex, [word.as_ptr() as usize, op as usize, expected as usize, 0, 0, 0]) };
}

/// Wakes whoever waits at the word.
pub(crate) fn futex_wake(word: &AtomicU32) {
    let op = libc::FUTEX_WAKE | libc::FUTEX_PRIVATE_FLAG;
    // SAFETY: the kernel uses the address as a name only.
    unsafe { call(libc::SYS_futex, [word.as_ptr() as usize, op as usize, 1, 0, 0, 0]) };
}

/// The number of the calling thread.
pub(crate) fn thread_number() -> u32 {
    // SAFETY: it touches no memory.
    unsafe { call(libc::SYS_gettid, [0; 6]) as u32 }
}

/// The number of the process.
pub(crate) fn process_number() -> u32 {
    // SAFETY: it touches no memory.
    unsafe { call(libc::SYS_getpid, [0; 6]) as u32 }
}

/// Is there a thread with this number in the process?
pub(crate) fn is_alive(process: u32, thread: u32) -> bool {
    // SAFETY: signal 0 is sent to nobody.
    unsafe { call(libc::SYS_tgkill, [process as usize, thread as usize, 0, 0, 0, 0]) == 0 }
}

/// Lets other threads of the machine run.
pub(crate) fn yield_now() {
    // SAFETY: it touches no memory.
    unsafe { call(libc::SYS_sched_yield, [0; 6]) };
}

/// Ends the process at once.
pub(crate) fn exit_process(status: i32) -> ! {
    loop {
        // SAFETY: nothing is left to be in an order.
        unsafe { call(libc::SYS_exit_group, [status as usize, 0, 0, 0, 0, 0]) };
    }
}

/// Memory from the kernel; null if there is none.
pub(crate) fn map(size: usize) -> *mut u8 {
    let protection = (libc::PROT_READ | libc::PROT_WRITE) as usize;
    let flags = (libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE) as usize;
    // SAFETY: new memory, which nobody else has.
    let address = unsafe { call(libc::SYS_mmap, [0, size, protection, flags, usize::MAX, 0]) };
    if address < 0 { std::ptr::null_mut() } else { address as *mut u8 }
}

/// Writes all bytes to a descriptor, as far as that goes.
pub(crate) fn write(descriptor: i32, mut bytes: &[u8]) {
    while !bytes.is_empty() {
        // SAFETY: the bytes are there to be read.
        let n = unsafe {
            call(libc::SYS_write, [descriptor as usize, bytes.as_ptr() as usize, bytes.len(), 0, 0, 0])
        };
        match usize::try_from(n) {
            Ok(n) => bytes = &bytes[n..],
            Err(_) if n == -(libc::EINTR as isize) => {}
            Err(_) => return,
        }
    }
}

/// Reads one byte from a descriptor; nothing at the end.
pub(crate) fn read_byte(descriptor: i32) -> Option<u8> {
    let mut byte = 0u8;
    loop {
        // SAFETY: there is room for one byte.
        let n = unsafe { call(libc::SYS_read, [descriptor as usize, &raw mut byte as usize, 1, 0, 0, 0]) };
        match n {
            1 => return Some(byte),
            n if n == -(libc::EINTR as isize) => {}
            _ => return None,
        }
    }
}
