//! Atomics of sixteen bytes. The model's values have eight, so it is told that there is an access, which then happens in memory; one that
//! might write is taken for a write, and all acquire and release.

use super::atomics::{ACQ_REL, Access};
use super::chosen;
use crate::turn;
use libc::c_int;

type Wide = u128;

/// Makes the access a step if the thread is under control. Whatever the program then does to these bytes belongs to it.
fn step(at: *mut Wide, write: bool) {
    if chosen::passes(at as usize, size_of::<Wide>()) {
        turn::me().into_iter().for_each(|me| chosen::pass(me, 0));
    } else if let Some(me) = turn::me() {
        // All registers have arguments, so where it was called from is left to the functions that it has entered.
        Access { me, address: at as usize, bytes: size_of::<Wide>(), caller: 0 }.foretold(write, ACQ_REL);
    }
}

/// Replaces what is there. Nobody else runs meanwhile; without control it is not atomic.
///
/// # Safety
/// The program must be about to access just that.
unsafe fn update(at: *mut Wide, make: impl FnOnce(Wide) -> Wide) -> Wide {
    step(at, true);
    // SAFETY: as the caller says.
    unsafe {
        let old = at.read();
        at.write(make(old));
        old
    }
}

/// See `__tsan_atomic64_load`.
///
/// # Safety
/// Called by compilers only.
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn __tsan_atomic128_load(at: *mut Wide, _: c_int) -> Wide {
    step(at, false);
    // SAFETY: the program is about to access just that.
    unsafe { at.read() }
}

/// See `__tsan_atomic64_store`.
///
/// # Safety
/// Called by compilers only.
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn __tsan_atomic128_store(at: *mut Wide, value: Wide, _: c_int) {
    // SAFETY: the program is about to access just that.
    unsafe { update(at, |_| value) };
}

macro_rules! updates {
    ($($name:ident, $make:expr;)*) => {$(
        /// See the function for eight bytes.
        ///
        /// # Safety
        /// Called by compilers only.
        #[unsafe(no_mangle)]
        pub unsafe extern "C-unwind" fn $name(at: *mut Wide, value: Wide, _: c_int) -> Wide {
            let make: fn(Wide, Wide) -> Wide = $make;
            // SAFETY: the program is about to access just that.
            unsafe { update(at, |old| make(old, value)) }
        }
    )*};
}

updates! {
    __tsan_atomic128_exchange, |_, new| new;
    __tsan_atomic128_fetch_add, |old, by| old.wrapping_add(by);
    __tsan_atomic128_fetch_sub, |old, by| old.wrapping_sub(by);
    __tsan_atomic128_fetch_and, |old, by| old & by;
    __tsan_atomic128_fetch_or, |old, by| old | by;
    __tsan_atomic128_fetch_xor, |old, by| old ^ by;
    __tsan_atomic128_fetch_nand, |old, by| !(old & by);
}

/// See `__tsan_atomic64_compare_exchange_val`.
///
/// # Safety
/// Called by compilers only.
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn __tsan_atomic128_compare_exchange_val(
    at: *mut Wide,
    expected: Wide,
    new: Wide,
    _: c_int,
    _: c_int,
) -> Wide {
    // SAFETY: the program is about to access just that.
    unsafe { update(at, |old| if old == expected { new } else { old }) }
}

macro_rules! exchanges {
    ($($name:ident)*) => {$(
        /// See the function for eight bytes.
        ///
        /// # Safety
        /// Called by compilers only.
        #[unsafe(no_mangle)]
        pub unsafe extern "C-unwind" fn $name(at: *mut Wide, expected: *mut Wide, new: Wide, _: c_int, _: c_int) -> c_int {
            // SAFETY: the program is about to access just that; it passes where the expected value is, and where the one found goes.
            unsafe {
                let wanted = expected.read();
                let found = update(at, |old| if old == wanted { new } else { old });
                if found != wanted {
                    expected.write(found);
                }
                c_int::from(found == wanted)
            }
        }
    )*};
}

exchanges! {
    __tsan_atomic128_compare_exchange_strong
    __tsan_atomic128_compare_exchange_weak
}
