//! Counting semaphores, which std does not have.

use super::permits;
use crate::runtime::{self, Tag};
use gordian_model::object::{Object, Semaphore as Model};
use gordian_model::{ObjectId, Op, OpKind};
use std::fmt;
use std::panic::Location;

/// A number of permits that threads take and put back. Outside a check too.
pub struct Semaphore {
    tag: Tag,
    real: permits::Semaphore,
}

impl Semaphore {
    /// A semaphore with so many permits.
    #[must_use]
    #[track_caller]
    pub const fn new(permits: usize) -> Semaphore {
        Semaphore { tag: Tag::new(), real: permits::Semaphore::new(permits) }
    }

    fn object(&self) -> ObjectId {
        self.tag.object(|| {
            let permits = u32::try_from(self.real.available()).expect("at most u32::MAX permits in a check");
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
        self.real.acquire();
    }

    /// Takes a permit if there is one.
    #[must_use = "a permit that was taken has to be put back"]
    #[track_caller]
    #[inline(never)]
    pub fn try_acquire(&self) -> bool {
        if runtime::active() {
            return runtime::simple(OpKind::TryAcquire, self.object()).ok;
        }
        self.tag.outside();
        self.real.try_acquire()
    }

    /// Puts a permit back.
    #[track_caller]
    pub fn release(&self) {
        if runtime::active() {
            return self.add_permits(1);
        }
        self.tag.outside();
        self.real.release();
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
        self.real.add_permits(n);
    }
}

impl fmt::Debug for Semaphore {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Semaphore").finish_non_exhaustive()
    }
}
