//! Random numbers from the system: the same in every execution, for each thread its own, so that hash maps with random state do what
//! they did before.

use super::real::{entry, real};
use super::{inputs, turn};
use gordian_model::ThreadId;
use libc::{c_int, c_uint, c_void};

/// The next numbers of a thread: SplitMix64 (Steele, Lea, Flood, OOPSLA 2014), from the number of the thread.
#[derive(Clone, Copy)]
pub(crate) struct Numbers(u64);

impl Numbers {
    pub(crate) fn of(thread: ThreadId) -> Numbers {
        Numbers(u64::from(thread.0) << 32)
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }
}

/// Fills memory of the program's.
///
/// # Safety
/// There are that many bytes, which the program wants to be written.
pub(crate) unsafe fn fill(me: ThreadId, into: *mut u8, len: usize) {
    let put = |at: usize, number: u64| {
        let bytes = number.to_le_bytes();
        // SAFETY: as promised.
        unsafe { into.add(at).copy_from_nonoverlapping(bytes.as_ptr(), 8.min(len - at)) };
    };
    if inputs::are_real() {
        // Of many, only what they are made from is recorded.
        let mut from = if len > RECORDED { inputs::random(me).map(Numbers) } else { None };
        for at in (0..len).step_by(8) {
            put(at, from.as_mut().map_or_else(|| inputs::random(me).unwrap_or_default(), Numbers::next));
        }
        return;
    }
    turn::with(|rt| {
        rt.conductor.not_idle(me);
        let numbers = &mut rt.control(me).numbers;
        (0..len).step_by(8).for_each(|at| put(at, numbers.next()));
    });
}

/// So many bytes are recorded one by one.
const RECORDED: usize = 64;

entry!(
    /// See getrandom(2).
    getrandom, 3 => get
);
entry!(
    /// See getentropy(3).
    getentropy, 2 => entropy
);
entry!(
    /// See arc4random(3).
    arc4random, 0 => number
);
entry!(
    /// See arc4random_buf(3).
    arc4random_buf, 2 => buffer
);

unsafe extern "C-unwind" fn get(into: *mut u8, len: usize, flags: c_uint, _caller: usize) -> isize {
    type Get = unsafe extern "C" fn(*mut u8, usize, c_uint) -> isize;
    match turn::me() {
        Some(me) => {
            // SAFETY: the program says so.
            unsafe { fill(me, into, len) };
            len as isize
        }
        // SAFETY: passed on as it came.
        None => unsafe { real!(c"getrandom" as Get)(into, len, flags) },
    }
}

unsafe extern "C-unwind" fn entropy(into: *mut u8, len: usize, _caller: usize) -> c_int {
    match turn::me().filter(|_| len <= 256) {
        Some(me) => {
            // SAFETY: the program says so.
            unsafe { fill(me, into, len) };
            0
        }
        // SAFETY: passed on as it came.
        None => unsafe { real!(c"getentropy" as unsafe extern "C" fn(*mut u8, usize) -> c_int)(into, len) },
    }
}

unsafe extern "C-unwind" fn number(_caller: usize) -> u32 {
    match turn::me() {
        Some(me) => {
            let mut number = [0; 4];
            // SAFETY: there is room.
            unsafe { fill(me, number.as_mut_ptr(), 4) };
            u32::from_le_bytes(number)
        }
        // SAFETY: passed on as it came.
        None => unsafe { real!(c"arc4random" as unsafe extern "C" fn() -> u32)() },
    }
}

unsafe extern "C-unwind" fn buffer(into: *mut c_void, len: usize, _caller: usize) {
    match turn::me() {
        // SAFETY: the program says so.
        Some(me) => unsafe { fill(me, into.cast(), len) },
        // SAFETY: passed on as it came.
        None => unsafe { real!(c"arc4random_buf" as unsafe extern "C" fn(*mut c_void, usize))(into, len) },
    }
}
