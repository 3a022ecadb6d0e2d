//! A ticket lock.

use super::kit::hint::spin_loop;
use super::kit::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use super::{crew, mix, outcome};
use std::sync::Arc;

struct Ticket {
    next: AtomicUsize,
    served: AtomicUsize,
    count: AtomicUsize,
}

fn count(threads: usize, ops: usize, draw: fn(&AtomicUsize) -> usize) -> u64 {
    let [next, served, count] = [(); 3].map(|()| AtomicUsize::new(0));
    let lock = Arc::new(Ticket { next, served, count });
    let shared = Arc::clone(&lock);
    let seen = crew(threads, move |_| {
        (0..ops).fold(0, |all, _| {
            let mine = draw(&shared.next);
            while shared.served.load(SeqCst) != mine {
                spin_loop();
            }
            let seen = shared.count.load(SeqCst);
            shared.count.store(seen + 1, SeqCst);
            shared.served.store(mine + 1, SeqCst);
            mix(all, seen as u64)
        })
    });
    assert_eq!(lock.count.load(SeqCst), threads * ops, "two threads had the lock");
    outcome(seen)
}

pub(super) fn program(threads: usize, ops: usize) -> u64 {
    count(threads, ops, |next| next.fetch_add(1, SeqCst))
}

/// Two threads may draw the same ticket.
pub(super) fn buggy(threads: usize, ops: usize) -> u64 {
    count(threads, ops, |next| {
        let mine = next.load(SeqCst);
        next.store(mine + 1, SeqCst);
        mine
    })
}
