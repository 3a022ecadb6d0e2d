//! What a process is known by to itself. Every execution is another process, and is to be the same one.

use super::real::{entry, real};
use super::{sys, turn};
use libc::{c_char, c_int, c_void, mode_t, pid_t};
use std::ffi::CStr;
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

/// The number of the process that executions are forked from.
static SERVER: AtomicU32 = AtomicU32::new(0);

/// Notes down the number, before the process forks for the first time.
pub(crate) fn prepare() {
    SERVER.store(sys::process_number(), Relaxed);
}

/// The program is to take this for its own number.
pub(crate) fn show(number: u32) {
    SERVER.store(number, Relaxed);
}

/// The number that the program takes for its own.
pub(crate) fn process() -> pid_t {
    SERVER.load(Relaxed) as pid_t
}

entry!(
    /// See getpid(2).
    getpid, 0 => getpid_
);
entry!(
    /// See gettid(2).
    gettid, 0 => gettid_
);

extern "C-unwind" fn getpid_(_caller: usize) -> pid_t {
    if turn::me().is_some() { process() } else { sys::process_number() as pid_t }
}

extern "C-unwind" fn gettid_(_caller: usize) -> pid_t {
    turn::me().map_or_else(|| sys::thread_number() as pid_t, |me| process() + me.0 as pid_t)
}

/// How many random bytes a file of them has.
const RANDOM: usize = 1 << 20;

/// A file with random numbers that are the same in every execution, if such a file is meant.
///
/// # Safety
/// The path must end with a zero, or be null.
unsafe fn random(path: *const c_char) -> Option<c_int> {
    let me = turn::me()?;
    // SAFETY: as the caller says.
    if path.is_null()
        || !matches!(unsafe { CStr::from_ptr(path) }.to_bytes(), b"/dev/urandom" | b"/dev/random")
    {
        return None;
    }
    let mut bytes = vec![0; RANDOM];
    // SAFETY: there are so many bytes; the descriptor is new.
    unsafe {
        super::random::fill(me, bytes.as_mut_ptr(), bytes.len());
        let file = libc::memfd_create(c"random".as_ptr(), 0);
        if file < 0 {
            return None;
        }
        sys::write(file, &bytes);
        libc::lseek(file, 0, libc::SEEK_SET);
        Some(file)
    }
}

macro_rules! opens {
    ($($name:ident, $symbol:literal, $ours:ident;)*) => {$(
        entry!(
            /// See open(2).
            $name, 3 => $ours
        );

        unsafe extern "C-unwind" fn $ours(path: *const c_char, flags: c_int, mode: mode_t, _caller: usize) -> c_int {
            type Open = unsafe extern "C" fn(*const c_char, c_int, mode_t) -> c_int;
            // SAFETY: passed on as it came; what is not there is not looked at.
            unsafe { random(path).unwrap_or_else(|| real!($symbol as Open)(path, flags, mode)) }
        }
    )*};
}

opens! {
    open, c"open", open_;
    open64, c"open64", open64_;
}

macro_rules! opens_at {
    ($($name:ident, $symbol:literal, $ours:ident;)*) => {$(
        entry!(
            /// See openat(2).
            $name, 4 => $ours
        );

        unsafe extern "C-unwind" fn $ours(
            folder: c_int,
            path: *const c_char,
            flags: c_int,
            mode: mode_t,
            _caller: usize,
        ) -> c_int {
            type Open = unsafe extern "C" fn(c_int, *const c_char, c_int, mode_t) -> c_int;
            // SAFETY: passed on as it came; what is not there is not looked at.
            unsafe { random(path).unwrap_or_else(|| real!($symbol as Open)(folder, path, flags, mode)) }
        }
    )*};
}

opens_at! {
    openat, c"openat", openat_;
    openat64, c"openat64", openat64_;
}

macro_rules! streams {
    ($($name:ident, $symbol:literal, $ours:ident;)*) => {$(
        entry!(
            /// See fopen(3).
            $name, 2 => $ours
        );

        unsafe extern "C-unwind" fn $ours(path: *const c_char, mode: *const c_char, _caller: usize) -> *mut c_void {
            type Open = unsafe extern "C" fn(*const c_char, *const c_char) -> *mut c_void;
            // SAFETY: passed on as it came.
            unsafe {
                match random(path) {
                    Some(file) => libc::fdopen(file, mode).cast(),
                    None => real!($symbol as Open)(path, mode),
                }
            }
        }
    )*};
}

streams! {
    fopen, c"fopen", fopen_;
    fopen64, c"fopen64", fopen64_;
}

/// A number that is asked for by a system call.
pub(crate) fn called(number: i64) -> Option<pid_t> {
    turn::me()?;
    match number {
        libc::SYS_getpid => Some(getpid_(0)),
        libc::SYS_gettid => Some(gettid_(0)),
        _ => None,
    }
}
