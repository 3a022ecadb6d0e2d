//! Variables that were chosen: only accesses to these are steps (variable bounding; Bindal, Bansal, Lal, "Variable and thread bounding for
//! systematic testing of multithreaded programs", ISSTA 2013, section 2).
//!
//! What else the program accesses happens as it would without us, for the price of a comparison. So nobody knows what it does to others: every
//! step depends on every other, data races are not judged, and no loop is known to wait.

use crate::time;
use gordian_model::{OpKind, ThreadId};
use gordian_wire::Shared;
use std::cell::Cell;
use std::sync::atomic::{AtomicBool, AtomicPtr, AtomicUsize, Ordering::Relaxed};

/// From the beginning of the first to the end of the last; all memory if none were chosen.
static BOUNDS: [AtomicUsize; 2] = [AtomicUsize::new(0), AtomicUsize::new(usize::MAX)];
/// Where the host says which.
static SHARED: AtomicPtr<Shared> = AtomicPtr::new(std::ptr::null_mut());
/// Some were chosen.
static CHOSEN: AtomicBool = AtomicBool::new(false);

/// So many accesses to atomics that are no steps a thread may make in a row. If it makes more it may be waiting for others.
const PATIENCE: u32 = 10_000;

thread_local! {
    static PASSED: Cell<u32> = const { Cell::new(0) };
}

/// Takes over what the host has chosen, before an execution.
pub(crate) fn begin(shared: &'static Shared) {
    let low = shared.ranges().map(|range| range.start).min();
    let high = shared.ranges().map(|range| range.end).max();
    CHOSEN.store(low.is_some(), Relaxed);
    SHARED.store(std::ptr::from_ref(shared).cast_mut(), Relaxed);
    BOUNDS[0].store(low.map_or(0, |low| low as usize), Relaxed);
    BOUNDS[1].store(high.map_or(usize::MAX, |high| high as usize), Relaxed);
}

/// Are accesses to some variables steps only?
#[inline]
pub(crate) fn are_some() -> bool {
    CHOSEN.load(Relaxed)
}

/// Is an access to nothing that was chosen?
#[inline]
pub(crate) fn passes(address: usize, bytes: usize) -> bool {
    if !CHOSEN.load(Relaxed) {
        return false;
    }
    let near = address < BOUNDS[1].load(Relaxed) && address + bytes > BOUNDS[0].load(Relaxed);
    !(near && is_one(address, bytes))
}

fn is_one(address: usize, bytes: usize) -> bool {
    let (start, end) = (address as u64, (address + bytes) as u64);
    // SAFETY: mapped for as long as the process lives, and set before anything is chosen.
    let shared = unsafe { &*SHARED.load(Relaxed) };
    shared.ranges().any(|range| start < range.end && range.start < end)
}

/// A thread is about to access an atomic that was not chosen.
#[inline]
pub(crate) fn pass(me: ThreadId, caller: usize) {
    let passed = PASSED.get() + 1;
    PASSED.set(if passed < PATIENCE { passed } else { 0 });
    if passed == PATIENCE {
        time::pause(me, OpKind::Yield, caller);
    }
}
