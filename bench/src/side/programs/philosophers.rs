//! Philosophers around a table.

use super::kit::sync::Mutex;
use super::{crew, mix, outcome};
use std::sync::Arc;

fn dine(threads: usize, forks_of: fn(usize, usize) -> (usize, usize)) -> u64 {
    let forks: Arc<Vec<Mutex<u64>>> = Arc::new((0..threads).map(|_| Mutex::new(0)).collect());
    outcome(crew(threads, move |me| {
        let (first, second) = forks_of(me, (me + 1) % threads);
        let mut first = forks[first].lock().unwrap();
        let mut second = forks[second].lock().unwrap();
        *first += 1;
        *second += 1;
        mix(*first, *second)
    }))
}

/// The lower fork is taken first.
pub(super) fn program(threads: usize, _: usize) -> u64 {
    dine(threads, |left, right| (left.min(right), left.max(right)))
}

/// The left fork is taken first: a deadlock.
pub(super) fn buggy(threads: usize, _: usize) -> u64 {
    dine(threads, |left, right| (left, right))
}
