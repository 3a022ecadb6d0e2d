//! Functions without hooks that threads meet in: those of Rust's std that are not generic, such as waiting at a condition variable.
//!
//! What they do to memory is not seen, but where they begin is known, from the symbols of the program, and so is what they touch: what
//! their first argument points to. The first instructions of each are replaced by a jump to a piece of code that makes a step of it,
//! carries out the instructions that were replaced, and goes on behind them. That is done once, before the process forks.

use super::hooks::atomics::Access;
use super::hooks::calls;
use super::{sys, turn};
use gordian_wire::{Point, Shared};
use std::sync::atomic::Ordering::{Acquire, Relaxed};

/// A jump to anywhere within two gigabytes.
const JUMP: usize = 5;
/// Room for one piece of code.
const PIECE: usize = 128;

/// Sets the points that the host has found and that are not set yet; gives how many there are.
pub(crate) fn set(shared: &Shared, already: usize) -> usize {
    let count = shared.points.load(Acquire) as usize;
    if count == already {
        return count;
    }
    let all = || {
        shared.point[already..count].iter().map(|[at, kind]| (at.load(Relaxed) as usize, kind.load(Relaxed)))
    };
    let Some(first) = all().map(|(at, _)| at).min() else { return count };
    let Some(mut room) = near(first, (count - already) * PIECE) else { return count };
    for (function, kind) in all() {
        if Point::from_number(kind).is_some() {
            // SAFETY: the host has found a function there, no thread is in it, and there is room for one more piece.
            unsafe { divert(function, kind, room) };
            room += PIECE;
        }
    }
    count
}

/// Memory for code that a jump from this address reaches.
fn near(address: usize, size: usize) -> Option<usize> {
    const STEP: usize = 1 << 20;
    (1..1024).find_map(|i| {
        let wanted = (address.checked_sub(i * STEP)?) & !4095;
        let protection = (libc::PROT_READ | libc::PROT_WRITE | libc::PROT_EXEC) as usize;
        let flags = (libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_FIXED_NOREPLACE) as usize;
        // SAFETY: new memory, or none if there is something at that address.
        let got = unsafe { sys::call(libc::SYS_mmap, [wanted, size, protection, flags, usize::MAX, 0]) };
        (got == wanted as isize).then_some(wanted)
    })
}

/// How many bytes an instruction has that means the same elsewhere; nothing for those that are not known to.
fn length(code: &[u8]) -> Option<usize> {
    let registers_only = |modrm: u8| modrm >= 0xc0;
    match *code {
        // push
        [0x50..=0x57, ..] => Some(1),
        [0x41, 0x50..=0x57, ..] => Some(2),
        // mov and xor between registers
        [0x89 | 0x31, modrm, ..] if registers_only(modrm) => Some(2),
        [0x40..=0x4f, 0x89 | 0x31, modrm, ..] if registers_only(modrm) => Some(3),
        // mov from a register to what is on the stack
        [0x89, modrm, 0x24, ..] if modrm & 0xc7 == 0x44 => Some(4),
        [0x48 | 0x4c, 0x89, modrm, 0x24, ..] if modrm & 0xc7 == 0x44 => Some(5),
        // sub rsp
        [0x48, 0x83, 0xec, ..] => Some(4),
        [0x48, 0x81, 0xec, ..] => Some(7),
        // lock inc dword ptr [rdi]
        [0xf0, 0xff, 0x07, ..] => Some(3),
        _ => None,
    }
}

/// Lets a function begin with a step.
///
/// # Safety
/// A function begins there that nobody executes now, and there is room for a piece of code within reach.
unsafe fn divert(function: usize, kind: u64, room: usize) {
    // SAFETY: functions are longer than that, or are followed by others.
    let code = unsafe { std::slice::from_raw_parts(function as *const u8, 16) };
    let mut moved = 0;
    while moved < JUMP {
        match length(&code[moved..]) {
            Some(length) => moved += length,
            // It begins in a way that is not known: it stays as it is.
            None => return,
        }
    }
    let mut piece: Vec<u8> = Vec::with_capacity(PIECE);
    // push rdi, rsi, rdx, rcx, r8, r9, rax: what arguments may be in, and the stack is aligned then.
    piece.extend([0x57, 0x56, 0x52, 0x51, 0x41, 0x50, 0x41, 0x51, 0x50]);
    // mov rsi, kind
    piece.extend([0x48, 0xbe]);
    piece.extend(kind.to_le_bytes());
    // mov rdx, [rsp + 56]: where the function returns to
    piece.extend([0x48, 0x8b, 0x54, 0x24, 0x38]);
    // mov rax, point; call rax
    piece.extend([0x48, 0xb8]);
    piece.extend((point_entry as *const () as u64).to_le_bytes());
    piece.extend([0xff, 0xd0]);
    // pop rax, r9, r8, rcx, rdx, rsi, rdi
    piece.extend([0x58, 0x41, 0x59, 0x41, 0x58, 0x59, 0x5a, 0x5e, 0x5f]);
    piece.extend(&code[..moved]);
    // jmp [rip + 0]
    piece.extend([0xff, 0x25, 0, 0, 0, 0]);
    piece.extend((function as u64 + moved as u64).to_le_bytes());
    debug_assert!(piece.len() <= PIECE);
    let distance = room as i64 - (function + JUMP) as i64;
    let Ok(distance) = i32::try_from(distance) else { return };
    let page = function & !4095;
    let pages = (function + JUMP).next_multiple_of(4096) - page;
    let protect = |protection: i32| {
        // SAFETY: the pages that the function begins in; what is in them stays executable.
        unsafe { sys::call(libc::SYS_mprotect, [page, pages, protection as usize, 0, 0, 0]) == 0 }
    };
    // SAFETY: there is room, and the function is written to while nobody executes it.
    unsafe {
        (room as *mut u8).copy_from_nonoverlapping(piece.as_ptr(), piece.len());
        if protect(libc::PROT_READ | libc::PROT_WRITE | libc::PROT_EXEC) {
            (function as *mut u8).write(0xe9);
            ((function + 1) as *mut i32).write_unaligned(distance);
            protect(libc::PROT_READ | libc::PROT_EXEC);
        }
    }
}

#[unsafe(naked)]
extern "C" fn point_entry() {
    std::arch::naked_asm!(super::snapshot::note!(), "jmp {to}", to = sym point)
}

/// A function is about to begin that was called with this first argument and returns to `caller`.
extern "C-unwind" fn point(address: usize, kind: u64, caller: usize) {
    let Some(me) = turn::me() else { return };
    let access = Access { me, address: address & !3, bytes: 4, caller };
    match Point::from_number(kind) {
        Some(Point::Reads) => access.met(false, calls::site(caller)),
        Some(Point::Writes) => access.met(true, calls::site(caller)),
        _ => turn::with(|rt| {
            rt.conductor.knows_all(me);
            rt.control(me).unseen = true;
        }),
    }
}
