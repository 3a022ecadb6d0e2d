//! A spin lock.

use super::kit::hint::spin_loop;
use super::kit::sync::atomic::{AtomicBool, AtomicUsize, Ordering::SeqCst};
use super::{crew, mix, outcome};
use std::sync::Arc;

struct Spin {
    taken: AtomicBool,
    count: AtomicUsize,
}

fn count(threads: usize, ops: usize, lock: fn(&Spin)) -> u64 {
    let spin = Arc::new(Spin { taken: AtomicBool::new(false), count: AtomicUsize::new(0) });
    let shared = Arc::clone(&spin);
    let seen = crew(threads, move |_| {
        (0..ops).fold(0, |all, _| {
            lock(&shared);
            let seen = shared.count.load(SeqCst);
            shared.count.store(seen + 1, SeqCst);
            shared.taken.store(false, SeqCst);
            mix(all, seen as u64)
        })
    });
    assert_eq!(spin.count.load(SeqCst), threads * ops, "two threads had the lock");
    outcome(seen)
}

pub(super) fn program(threads: usize, ops: usize) -> u64 {
    count(threads, ops, |spin| {
        while spin.taken.compare_exchange(false, true, SeqCst, SeqCst).is_err() {
            spin_loop();
        }
    })
}

/// The lock is written to even when it is taken, though nothing changes by that.
pub(super) fn swap(threads: usize, ops: usize) -> u64 {
    count(threads, ops, |spin| {
        while spin.taken.swap(true, SeqCst) {
            spin_loop();
        }
    })
}

/// It is looked at and taken in two steps.
pub(super) fn buggy(threads: usize, ops: usize) -> u64 {
    count(threads, ops, |spin| {
        while spin.taken.load(SeqCst) {
            spin_loop();
        }
        spin.taken.store(true, SeqCst);
    })
}
