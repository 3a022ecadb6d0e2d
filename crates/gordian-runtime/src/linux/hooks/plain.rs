//! Plain accesses of code with hooks: no steps, unless they race and races are explored, but judged for data races, and for memory that
//! has been freed.

use super::atomics::{Access, stub};
use super::shadow::Judged;
use super::{calls, chosen, racy};
use crate::{blocks, turn};
use gordian_model::ThreadId;
use libc::{c_char, c_void};

/// A thread accesses memory, when this returns.
#[inline]
fn access(address: usize, bytes: usize, write: bool, caller: usize) {
    if chosen::passes(address, bytes) {
        return;
    }
    if let Some(me) = turn::caller(caller) {
        touch(me, (address, bytes), write, caller);
    }
}

/// A thread under control accesses memory.
pub(crate) fn touch(me: ThreadId, (address, bytes): (usize, usize), write: bool, caller: usize) {
    if chosen::are_some() || racy::is_point(caller) {
        return racy::step(me, (address, bytes), write, caller);
    }
    let at = calls::site(caller);
    let raced = turn::with(|rt| {
        rt.is_back(me);
        if write && !rt.control(me).is_local(address) {
            // What a thread writes to may be what it waits for.
            rt.conductor.not_idle(me);
        }
        let judged = rt.shadow.access(&mut rt.conductor, (me, address, bytes), write, at);
        if judged == Judged::Freed {
            blocks::used_after_free(rt, me, address, at);
        }
        turn::judged(rt, me, judged == Judged::Race);
        rt.is_racy(me, (address, bytes), write, caller)
    });
    if raced {
        racy::step(me, (address, bytes), write, caller);
    }
}

macro_rules! accesses {
    ($($name:literal, $bytes:literal, $write:literal;)*) => {$(
        const _: () = {
            extern "C-unwind" fn plain(at: usize, caller: usize) {
                access(at, $bytes, $write, caller);
            }
            stub!($name, "rsi", plain);
        };
    )*};
}

accesses! {
    "__tsan_read1", 1, false;
    "__tsan_read2", 2, false;
    "__tsan_read4", 4, false;
    "__tsan_read8", 8, false;
    "__tsan_read16", 16, false;
    "__tsan_write1", 1, true;
    "__tsan_write2", 2, true;
    "__tsan_write4", 4, true;
    "__tsan_write8", 8, true;
    "__tsan_write16", 16, true;
    "__tsan_unaligned_read2", 2, false;
    "__tsan_unaligned_read4", 4, false;
    "__tsan_unaligned_read8", 8, false;
    "__tsan_unaligned_read16", 16, false;
    "__tsan_unaligned_write2", 2, true;
    "__tsan_unaligned_write4", 4, true;
    "__tsan_unaligned_write8", 8, true;
    "__tsan_unaligned_write16", 16, true;
    "__tsan_read_write1", 1, true;
    "__tsan_read_write2", 2, true;
    "__tsan_read_write4", 4, true;
    "__tsan_read_write8", 8, true;
    "__tsan_read_write16", 16, true;
    "__tsan_unaligned_read_write2", 2, true;
    "__tsan_unaligned_read_write4", 4, true;
    "__tsan_unaligned_read_write8", 8, true;
    "__tsan_unaligned_read_write16", 16, true;
    "__tsan_vptr_read", 8, false;
}

/// Volatile accesses are how programs have long said that others look at a variable: they are steps, and do not race.
macro_rules! volatile {
    ($($name:literal, $bytes:literal, $write:literal;)*) => {$(
        const _: () = {
            extern "C-unwind" fn volatile(address: usize, caller: usize) {
                if chosen::passes(address, $bytes) {
                    turn::caller(caller).into_iter().for_each(|me| chosen::pass(me, caller));
                } else if let Some(me) = turn::caller(caller) {
                    Access { me, address, bytes: $bytes, caller }.foretold($write, 0);
                }
            }
            stub!($name, "rsi", volatile);
        };
    )*};
}

volatile! {
    "__tsan_volatile_read1", 1, false;
    "__tsan_volatile_read2", 2, false;
    "__tsan_volatile_read4", 4, false;
    "__tsan_volatile_read8", 8, false;
    "__tsan_volatile_read16", 16, false;
    "__tsan_volatile_write1", 1, true;
    "__tsan_volatile_write2", 2, true;
    "__tsan_volatile_write4", 4, true;
    "__tsan_volatile_write8", 8, true;
    "__tsan_volatile_write16", 16, true;
    "__tsan_unaligned_volatile_read2", 2, false;
    "__tsan_unaligned_volatile_read4", 4, false;
    "__tsan_unaligned_volatile_read8", 8, false;
    "__tsan_unaligned_volatile_read16", 16, false;
    "__tsan_unaligned_volatile_write2", 2, true;
    "__tsan_unaligned_volatile_write4", 4, true;
    "__tsan_unaligned_volatile_write8", 8, true;
    "__tsan_unaligned_volatile_write16", 16, true;
}

extern "C-unwind" fn vptr_update(at: usize, new: usize, caller: usize) {
    // Destructors put the table of the base class back, which is no change where it is the same already.
    // SAFETY: the program is about to write to it.
    let write = unsafe { (at as *const usize).read() } != new;
    access(at, 8, write, caller);
}
stub!("__tsan_vptr_update", "rdx", vptr_update);

extern "C-unwind" fn read_range(at: usize, bytes: usize, caller: usize) {
    access(at, bytes, false, caller);
}
stub!("__tsan_read_range", "rdx", read_range);

extern "C-unwind" fn write_range(at: usize, bytes: usize, caller: usize) {
    access(at, bytes, true, caller);
}
stub!("__tsan_write_range", "rdx", write_range);

extern "C-unwind" fn copy(to: *mut c_void, from: *const c_void, bytes: usize, caller: usize) -> *mut c_void {
    access(from as usize, bytes, false, caller);
    if bytes > 0 && turn::caller(caller).is_some() && racy::explores() {
        // Others may run before the write, and that is when the reading is over.
        // SAFETY: what the program is about to read.
        let read = unsafe { std::slice::from_raw_parts(from.cast::<u8>(), bytes) }.to_vec();
        access(to as usize, bytes, true, caller);
        // SAFETY: what the program asked for.
        return unsafe { libc::memcpy(to, read.as_ptr().cast(), bytes) };
    }
    access(to as usize, bytes, true, caller);
    // SAFETY: what the program asked for; the ranges may overlap.
    unsafe { libc::memmove(to, from, bytes) }
}
stub!("__tsan_memcpy", "rcx", copy);
stub!("__tsan_memmove", "rcx", copy);

extern "C-unwind" fn fill(to: *mut c_void, with: libc::c_int, bytes: usize, caller: usize) -> *mut c_void {
    access(to as usize, bytes, true, caller);
    // SAFETY: what the program asked for.
    unsafe { libc::memset(to, with, bytes) }
}
stub!("__tsan_memset", "rcx", fill);

// Functions of the C library that only gcc leaves to us, under names that files compiled with hooks know them by (`names.h`). What they
// read in the end is what the language says: up to the first difference, or the end of a text with its nought.

/// How long a text is, with its nought.
fn length(text: *const c_char) -> usize {
    // SAFETY: the program says that it ends.
    unsafe { libc::strlen(text) + 1 }
}

extern "C-unwind" fn compare(a: *const u8, b: *const u8, bytes: usize, caller: usize) -> libc::c_int {
    // SAFETY: the program says that there are so many.
    let differs = |&at: &usize| unsafe { *a.add(at) != *b.add(at) };
    let read = (0..bytes).find(differs).map_or(bytes, |at| at + 1);
    access(a as usize, read, false, caller);
    access(b as usize, read, false, caller);
    // SAFETY: what the program asked for.
    unsafe { libc::memcmp(a.cast(), b.cast(), bytes) }
}
stub!("__gordian_memcmp", "rcx", compare);

extern "C-unwind" fn string_length(text: *const c_char, caller: usize) -> usize {
    let length = length(text);
    access(text as usize, length, false, caller);
    length - 1
}
stub!("__gordian_strlen", "rsi", string_length);

extern "C-unwind" fn string_copy(to: *mut c_char, from: *const c_char, caller: usize) -> *mut c_char {
    copy(to.cast(), from.cast(), length(from), caller).cast()
}
stub!("__gordian_strcpy", "rdx", string_copy);

extern "C-unwind" fn string_append(to: *mut c_char, from: *const c_char, caller: usize) -> *mut c_char {
    let before = string_length(to, caller);
    // SAFETY: the program says that there is room behind the text.
    copy(unsafe { to.add(before) }.cast(), from.cast(), length(from), caller);
    to
}
stub!("__gordian_strcat", "rdx", string_append);

extern "C-unwind" fn string_compare(a: *const c_char, b: *const c_char, caller: usize) -> libc::c_int {
    let (mut read, both) = (1, length(a).min(length(b)));
    // SAFETY: neither text ends before that.
    while read < both && unsafe { *a.add(read - 1) == *b.add(read - 1) } {
        read += 1;
    }
    access(a as usize, read, false, caller);
    access(b as usize, read, false, caller);
    // SAFETY: what the program asked for.
    unsafe { libc::strcmp(a, b) }
}
stub!("__gordian_strcmp", "rdx", string_compare);

/// Code that must not be judged begins and ends; the compilers use it for what they generate themselves.
#[unsafe(no_mangle)]
pub extern "C" fn __tsan_ignore_thread_begin() {}

/// See `__tsan_ignore_thread_begin`.
#[unsafe(no_mangle)]
pub extern "C" fn __tsan_ignore_thread_end() {}
