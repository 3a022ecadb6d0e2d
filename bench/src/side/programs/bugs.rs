//! Bugs amid threads that do other things. There are never more than four, since loom takes no more.

use super::kit::sync::Mutex;
use super::kit::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use super::{crew, outcome, zeroes};
use std::sync::Arc;

fn noise(place: &AtomicUsize, steps: usize) -> u64 {
    (0..steps).for_each(|_| {
        place.fetch_add(1, SeqCst);
    });
    0
}

/// An update is lost: one preemption.
pub(super) fn counter(threads: usize, steps: usize) -> u64 {
    let places = Arc::new(zeroes(2));
    let shared = Arc::clone(&places);
    let seen = crew(threads, move |me| {
        if me >= 2 {
            return noise(&shared[1], steps);
        }
        let seen = shared[0].load(SeqCst);
        shared[0].store(seen + 1, SeqCst);
        seen as u64
    });
    assert_eq!(places[0].load(SeqCst), 2, "an update was lost");
    outcome(seen)
}

/// A value changes and changes back: two preemptions.
pub(super) fn flicker(threads: usize, steps: usize) -> u64 {
    let places = Arc::new(zeroes(2));
    outcome(crew(threads, move |me| match me {
        0 => {
            let (first, second) = (places[0].load(SeqCst), places[0].load(SeqCst));
            assert_eq!(first, second, "it changed");
            0
        }
        1 => {
            places[0].store(1, SeqCst);
            places[0].store(0, SeqCst);
            0
        }
        _ => noise(&places[1], steps),
    }))
}

/// Two values change, each while it is looked at: two preemptions, three threads.
pub(super) fn both(threads: usize, steps: usize) -> u64 {
    let places = Arc::new(zeroes(3));
    outcome(crew(threads, move |me| match me {
        0 => {
            let seen = [0, 0, 1, 1].map(|place: usize| places[place].load(SeqCst));
            assert!(seen[0] == seen[1] || seen[2] == seen[3], "both changed");
            0
        }
        1 | 2 => places[me - 1].fetch_add(1, SeqCst) as u64,
        _ => noise(&places[2], steps),
    }))
}

/// Something is made twice, because it is looked for and put in place under two locks.
pub(super) fn lazy(threads: usize, _: usize) -> u64 {
    let made = Arc::new((Mutex::new(None), AtomicUsize::new(0)));
    let shared = Arc::clone(&made);
    let seen = crew(threads, move |me| {
        let (place, count) = &*shared;
        if place.lock().unwrap().is_none() {
            count.fetch_add(1, SeqCst);
            *place.lock().unwrap() = Some(me as u64);
        }
        place.lock().unwrap().unwrap_or(0)
    });
    assert_eq!(made.1.load(SeqCst), 1, "it was made twice");
    outcome(seen)
}
