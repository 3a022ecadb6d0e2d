//! Counting semaphores, which std does not have.

use crate::runtime::{self, Tag};
use gordian_model::object::{Object, Semaphore as Model};
use gordian_model::{ObjectId, Op, OpKind};
use std::fmt;
use std::panic::Location;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

/// A number of permits that threads take and put back. Outside a check too.
pub struct Semaphore {
    tag: Tag,
    permits: Mutex<usize>,
    released: Condvar,
}

impl Semaphore {
    /// A semaphore with so many permits.
    #[must_use]
    #[track_caller]
    pub const fn new(permits: usize) -> Semaphore {
        Semaphore { tag: Tag::new(), permits: Mutex::new(permits), released: Condvar::new() }
    }

    fn permits(&self) -> MutexGuard<'_, usize> {
        self.permits.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn object(&self) -> ObjectId {
        self.tag.object(|| {
            let permits = u32::try_from(*self.permits()).expect("at most u32::MAX permits in a check");
            Object::Semaphore(Model::new(permits))
        })
    }

    /// Waits for a permit and takes it.
    #[track_caller]
    pub fn acquire(&self) {
        if runtime::active() {
            runtime::simple(OpKind::Acquire, self.object());
            return;
        }
        self.tag.outside();
        let permits = self.permits();
        let none = |permits: &mut usize| *permits == 0;
        let mut permits = self.released.wait_while(permits, none).unwrap_or_else(PoisonError::into_inner);
        *permits -= 1;
    }

    /// Takes a permit if there is one.
    #[must_use = "a permit that was taken has to be put back"]
    #[track_caller]
    pub fn try_acquire(&self) -> bool {
        if runtime::active() {
            return runtime::simple(OpKind::TryAcquire, self.object()).ok;
        }
        self.tag.outside();
        let mut permits = self.permits();
        let left = permits.checked_sub(1);
        *permits = left.unwrap_or(0);
        left.is_some()
    }

    /// Puts a permit back.
    #[track_caller]
    pub fn release(&self) {
        self.add_permits(1);
    }

    /// Puts in so many permits at once.
    #[track_caller]
    pub fn add_permits(&self, n: usize) {
        if runtime::active() {
            let site = runtime::site(Location::caller());
            runtime::op(Op { arg: n as u64, ..Op::new(OpKind::Release, self.object(), site) });
            return;
        }
        self.tag.outside();
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
