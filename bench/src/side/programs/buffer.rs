//! A buffer of one place, with two condition variables.

use super::kit::sync::{Condvar, Mutex, MutexGuard};
use super::{crew, mix, outcome};
use std::sync::Arc;

struct Buffer {
    place: Mutex<Option<u64>>,
    filled: Condvar,
    emptied: Condvar,
    /// The bug: a thread that has been woken takes for granted what it waited for.
    hasty: bool,
}

impl Buffer {
    fn wait<'a>(
        &self,
        mut place: MutexGuard<'a, Option<u64>>,
        on: &Condvar,
        ready: impl Fn(&Option<u64>) -> bool,
    ) -> MutexGuard<'a, Option<u64>> {
        while !ready(&place) {
            place = on.wait(place).unwrap();
            if self.hasty {
                break;
            }
        }
        place
    }

    fn put(&self, value: u64) {
        let mut place = self.wait(self.place.lock().unwrap(), &self.emptied, Option::is_none);
        assert_eq!(place.replace(value), None, "the place was taken");
        drop(place);
        self.filled.notify_one();
    }

    fn take(&self) -> u64 {
        let mut place = self.wait(self.place.lock().unwrap(), &self.filled, Option::is_some);
        let value = place.take().expect("the place is filled");
        drop(place);
        self.emptied.notify_one();
        value
    }
}

/// The first `threads` put in one each; as many things are taken out by `takers` threads.
fn exchange(putters: usize, takers: usize, hasty: bool) -> u64 {
    let (filled, emptied) = (Condvar::new(), Condvar::new());
    let buffer = Arc::new(Buffer { place: Mutex::new(None), filled, emptied, hasty });
    let each = putters / takers;
    outcome(crew(putters + takers, move |me| {
        if me < putters {
            buffer.put(me as u64);
            0
        } else {
            (0..each).fold(0, |all, _| mix(all, buffer.take()))
        }
    }))
}

pub(super) fn program(putters: usize, takers: usize) -> u64 {
    exchange(putters, takers, false)
}

pub(super) fn buggy(putters: usize, takers: usize) -> u64 {
    exchange(putters, takers, true)
}
