//! Readers and writers.

use super::kit::sync::RwLock;
use super::{crew, outcome};
use std::sync::Arc;

/// The last `writers` threads write, the others read.
pub(super) fn program(threads: usize, writers: usize) -> u64 {
    let value = Arc::new(RwLock::new(0u64));
    outcome(crew(threads, move |me| {
        if me < threads - writers {
            *value.read().unwrap()
        } else {
            let mut value = value.write().unwrap();
            *value += 1;
            *value
        }
    }))
}

/// What was read under one lock is written under another.
pub(super) fn buggy(threads: usize, _: usize) -> u64 {
    let value = Arc::new(RwLock::new(0u64));
    let shared = Arc::clone(&value);
    let seen = crew(threads, move |me| {
        let seen = *shared.read().unwrap();
        if me < 2 {
            *shared.write().unwrap() = seen + 1;
        }
        seen
    });
    assert_eq!(*value.read().unwrap(), 2, "an update was lost");
    outcome(seen)
}
