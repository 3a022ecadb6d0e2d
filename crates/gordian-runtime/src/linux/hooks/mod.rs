//! Code that was compiled with hooks: the compilers' instrumentation for thread sanitizers, whose functions are defined here.
//!
//! - Atomics (`atomics`) are ops, with the orderings that the program wrote. The value is in the program's memory; the model gets it when it
//!   is the thread's turn, and what the model makes of it is written back.
//! - Plain accesses (`plain`) are no steps. They are judged for data races by the cells of the model, which are found through a shadow of
//!   the program's memory (`shadow`).
//! - Where threads race and races are to be explored, plain accesses are steps (`racy`).
//! - Where the user has chosen variables, accesses to others are let through (`chosen`).
//! - Functions tell when they begin and end (`calls`), which makes the stack known at any access for next to nothing.
//! - What code without hooks does to atomics, std's for example, shows when it has done it (`words`).

pub(crate) mod atomics;
pub(crate) mod calls;
pub(crate) mod chosen;
pub(crate) mod plain;
pub(crate) mod racy;
pub(crate) mod shadow;
pub(crate) mod wide;
pub(crate) mod words;

use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

/// There is code with hooks in the program.
static HOOKED: AtomicBool = AtomicBool::new(false);

/// Is there code with hooks in the program?
pub(crate) fn are_there() -> bool {
    HOOKED.load(Relaxed)
}

/// Called by every file that was compiled with hooks, before `main`.
#[unsafe(no_mangle)]
pub extern "C" fn __tsan_init() {
    HOOKED.store(true, Relaxed);
}
