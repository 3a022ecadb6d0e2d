//! A counting semaphore of std's parts: what [`Semaphore`](crate::sync::Semaphore) is outside a check.

use std::fmt;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

/// A number of permits that threads take and put back.
pub struct Semaphore {
    permits: Mutex<usize>,
    released: Condvar,
}

impl Semaphore {
    /// A semaphore with so many permits.
    #[must_use]
    pub const fn new(permits: usize) -> Semaphore {
        Semaphore { permits: Mutex::new(permits), released: Condvar::new() }
    }

    fn permits(&self) -> MutexGuard<'_, usize> {
        self.permits.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The permits that are there now.
    #[cfg(feature = "check")]
    pub(super) fn available(&self) -> usize {
        *self.permits()
    }

    /// Waits for a permit and takes it.
    pub fn acquire(&self) {
        let permits = self.permits();
        let none = |permits: &mut usize| *permits == 0;
        let mut permits = self.released.wait_while(permits, none).unwrap_or_else(PoisonError::into_inner);
        *permits -= 1;
    }

    /// Takes a permit if there is one.
    #[must_use = "a permit that was taken has to be put back"]
    pub fn try_acquire(&self) -> bool {
        let mut permits = self.permits();
        let left = permits.checked_sub(1);
        *permits = left.unwrap_or(0);
        left.is_some()
    }

    /// Puts a permit back.
    pub fn release(&self) {
        self.add_permits(1);
    }

    /// Puts in so many permits at once.
    pub fn add_permits(&self, n: usize) {
        let mut permits = self.permits();
        *permits = permits.checked_add(n).expect("too many permits");
        drop(permits);
        if n == 1 { self.released.notify_one() } else { self.released.notify_all() }
    }
}

impl fmt::Debug for Semaphore {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Semaphore").finish_non_exhaustive()
    }
}
