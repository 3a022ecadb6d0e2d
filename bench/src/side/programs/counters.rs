//! Counters: under a lock, shared, of each thread, and read and written in two steps.

use super::kit::sync::Mutex;
use super::kit::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use super::{crew, mix, outcome};
use std::sync::Arc;

pub(super) fn locked(threads: usize, ops: usize) -> u64 {
    let count = Arc::new(Mutex::new(0u64));
    outcome(crew(threads, move |_| {
        (0..ops).fold(0, |seen, _| {
            let mut count = count.lock().unwrap();
            *count += 1;
            mix(seen, *count)
        })
    }))
}

pub(super) fn shared(threads: usize, ops: usize) -> u64 {
    let count = Arc::new(AtomicUsize::new(0));
    outcome(crew(threads, move |_| (0..ops).fold(0, |seen, _| mix(seen, count.fetch_add(1, SeqCst) as u64))))
}

pub(super) fn own(threads: usize, ops: usize) -> u64 {
    outcome(crew(threads, move |_| {
        let count = AtomicUsize::new(0);
        (0..ops).fold(0, |seen, _| mix(seen, count.fetch_add(1, SeqCst) as u64))
    }))
}

pub(super) fn torn(threads: usize, ops: usize) -> u64 {
    let count = Arc::new(AtomicUsize::new(0));
    outcome(crew(threads, move |_| {
        (0..ops).fold(0, |all, _| {
            let seen = count.load(SeqCst);
            count.store(seen + 1, SeqCst);
            mix(all, seen as u64)
        })
    }))
}
