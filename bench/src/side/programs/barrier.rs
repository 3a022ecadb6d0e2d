//! Threads that meet at a barrier.

use super::kit::sync::Barrier;
use super::kit::sync::atomic::Ordering::SeqCst;
use super::{crew, outcome, zeroes};
use std::sync::Arc;

pub(super) fn program(threads: usize, _: usize) -> u64 {
    let shared = Arc::new((Barrier::new(threads), zeroes(threads)));
    let seen = crew(threads, move |me| {
        let (barrier, here) = &*shared;
        here[me].store(1, SeqCst);
        barrier.wait();
        here[(me + 1) % threads].load(SeqCst) as u64
    });
    assert_eq!(seen.iter().sum::<u64>(), threads as u64, "a thread went through alone");
    outcome(seen)
}

pub(super) fn leader(threads: usize, _: usize) -> u64 {
    let shared = Arc::new((Barrier::new(threads), zeroes(threads)));
    let leaders = crew(threads, move |me| {
        let (barrier, here) = &*shared;
        here[me].store(1, SeqCst);
        let leads = barrier.wait().is_leader();
        assert_eq!(here[(me + 1) % threads].load(SeqCst), 1, "a thread went through alone");
        u64::from(leads)
    });
    assert_eq!(leaders.iter().sum::<u64>(), 1, "one thread leads");
    outcome(leaders)
}
