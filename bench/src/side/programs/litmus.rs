//! A few steps each, in which tools are known to go wrong.

use super::kit::sync::Mutex;
use super::kit::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use super::{crew, outcome, zeroes};
use std::sync::Arc;

/// Every thread raises its flag and looks at the next one's; one that comes last sees it raised.
pub(super) fn store_buffering(threads: usize, _: usize) -> u64 {
    let flags = Arc::new(zeroes(threads));
    let seen = crew(threads, move |me| {
        flags[me].store(1, SeqCst);
        flags[(me + 1) % threads].load(SeqCst) as u64
    });
    assert!(seen.contains(&1), "nobody saw a flag");
    outcome(seen)
}

/// One thread reads, the others read and write: loom#166.
pub(super) fn peek(threads: usize, _: usize) -> u64 {
    let value = Arc::new(AtomicUsize::new(0));
    outcome(crew(threads, move |me| {
        let seen = value.load(SeqCst);
        if me > 0 {
            value.store(me, SeqCst);
        }
        seen as u64
    }))
}

/// Who gets a lock that nobody waits for: loom#376.
pub(super) fn try_lock(threads: usize, ops: usize) -> u64 {
    let lock = Arc::new(Mutex::new(()));
    outcome(crew(threads, move |_| (0..ops).map(|_| u64::from(lock.try_lock().is_ok())).sum()))
}
