//! The tag that every mirrored object carries: where it was created, and which object of which execution it is.
//!
//! Constructors are `const`, as in std, so an object cannot be registered when it is created; it is when it is first
//! used in an execution. An object in a static is thereby a new one in every execution.

use super::{active, current, site};
use gordian_model::object::Object;
use gordian_model::{ObjectId, SiteId};
use std::panic::Location;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

const NUMBER_BITS: u32 = 24;

/// Which object of which execution this is.
pub(crate) struct Tag {
    /// Number of the execution and number in it; zero while it is not registered.
    registered: AtomicU64,
    created: &'static Location<'static>,
}

impl Tag {
    #[track_caller]
    pub(crate) const fn new() -> Tag {
        Tag { registered: AtomicU64::new(0), created: Location::caller() }
    }

    /// The object in this execution, made by `make` on first use.
    #[inline]
    pub(crate) fn object(&self, make: impl FnOnce() -> Object) -> ObjectId {
        let number = self.number(|created| {
            // SAFETY: as in `super::with`.
            let conductor = unsafe { &mut (*current()).conductor };
            conductor.create(make(), created).0
        });
        ObjectId(number)
    }

    /// The cell in this execution.
    pub(crate) fn cell(&self) -> u32 {
        // SAFETY: as in `super::with`.
        self.number(|_| unsafe { &mut (*current()).conductor }.create_cell())
    }

    #[inline]
    pub(crate) fn number(&self, register: impl FnOnce(SiteId) -> u32) -> u32 {
        // SAFETY: as in `super::with`.
        let epoch = unsafe { (*current()).epoch };
        let registered = self.registered.load(Relaxed);
        if registered >> NUMBER_BITS == epoch {
            return (registered & ((1 << NUMBER_BITS) - 1)) as u32;
        }
        let number = register(site(self.created));
        self.registered.store(epoch << NUMBER_BITS | u64::from(number), Relaxed);
        number
    }

    /// The next use is that of a new object.
    pub(crate) fn forget(&self) {
        self.registered.store(0, Relaxed);
    }

    /// Has the object been used in this execution?
    pub(crate) fn is_current(&self) -> bool {
        // SAFETY: as in `super::with`.
        active() && self.registered.load(Relaxed) >> NUMBER_BITS == unsafe { (*current()).epoch }
    }

    /// The object is used outside a check. If an execution on another OS thread has it, that is a mistake: a real
    /// thread, started inside a check, is not under control.
    #[inline]
    pub(crate) fn outside(&self) {
        let registered = self.registered.load(Relaxed);
        if registered != 0 && super::host::is_live(registered >> NUMBER_BITS) {
            panic!(
                "gordian: an object created at {} belongs to an execution that is running on another OS thread; threads \
                 inside a check must be started with gordian::thread::spawn, not with std::thread::spawn",
                self.created
            );
        }
    }
}
