//! The tag that every mirrored object carries: where it was created, and which object of which execution it is.
//!
//! Constructors are `const`, as in std, so an object cannot be registered when it is created; it is when it is first
//! used in an execution. An object in a static is thereby a new one in every execution. Executions may run side by
//! side on several OS threads and use the same static: the first to come writes its number into the tag, the others
//! keep theirs in a table of their own, by the address of the tag, which does not move while it is shared.

use super::host::Runtime;
use super::shared::Contended;
use super::{active, current, image, site};
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
        self.first_use(registered, register)
    }

    #[cold]
    #[inline(never)]
    fn first_use(&self, seen: u64, register: impl FnOnce(SiteId) -> u32) -> u32 {
        if super::settle() {
            // They may have used it.
            return self.number(register);
        }
        if let Some(number) = self.contended() {
            return number;
        }
        let number = register(site(self.created));
        assert!(number < 1 << NUMBER_BITS, "gordian: an execution can have {} objects", 1 << NUMBER_BITS);
        // SAFETY: as in `super::with`.
        let epoch = unsafe { (*current()).epoch };
        let mine = epoch << NUMBER_BITS | u64::from(number);
        if seen != 0 || self.registered.compare_exchange(0, mine, Relaxed, Relaxed).is_err() {
            self.use_again(seen, mine, number);
        }
        number
    }

    /// The object was used in another execution before, or is used in one that runs beside this one.
    #[cold]
    #[inline(never)]
    fn use_again(&self, seen: u64, mine: u64, number: u32) {
        // SAFETY: as in `super::with`.
        let rt: &mut Runtime = unsafe { &mut *current() };
        if seen != 0 {
            rt.shared.older.insert(number);
        }
        let free = seen != 0 && !super::host::is_live(seen >> NUMBER_BITS);
        if !free || self.registered.compare_exchange(seen, mine, Relaxed, Relaxed).is_err() {
            rt.shared.contended.insert(std::ptr::from_ref(self) as usize, number);
        }
    }

    /// The number in this execution of an object whose tag belongs to another.
    #[inline]
    fn contended(&self) -> Option<u32> {
        // SAFETY: as in `super::with`.
        let contended = unsafe { &(*current()).shared.contended };
        if contended.is_empty() { None } else { self.contended_among(contended) }
    }

    #[cold]
    #[inline(never)]
    fn contended_among(&self, contended: &Contended) -> Option<u32> {
        contended.get(&(std::ptr::from_ref(self) as usize)).copied()
    }

    /// The number in this execution, if it has been used there.
    pub(crate) fn registered(&self) -> Option<u32> {
        if !active() {
            return None;
        }
        // SAFETY: as in `super::with`.
        let rt: &Runtime = unsafe { &*current() };
        let registered = self.registered.load(Relaxed);
        if registered >> NUMBER_BITS == rt.epoch {
            return Some((registered & ((1 << NUMBER_BITS) - 1)) as u32);
        }
        self.contended()
    }

    /// The next use is that of a new object. Only for whoever has the object to itself.
    pub(crate) fn forget(&self) {
        if !active() {
            return self.registered.store(0, Relaxed);
        }
        // SAFETY: as in `super::with`.
        let contended = unsafe { &mut (*current()).shared.contended };
        if contended.is_empty() || contended.remove(&(std::ptr::from_ref(self) as usize)).is_none() {
            self.registered.store(0, Relaxed);
        }
    }

    /// Has the object been used in this execution?
    pub(crate) fn is_current(&self) -> bool {
        self.registered().is_some()
    }

    /// Is it known that the object was there before this execution, and stays when it ends? A static is, and so is what
    /// an earlier execution has used.
    pub(super) fn outlives_execution(&self) -> bool {
        // SAFETY: as in `super::with`.
        let older = unsafe { &(*current()).shared.older };
        self.registered().is_some_and(|number| older.contains(&number))
            || image::is_static(std::ptr::from_ref(self) as usize)
    }

    /// The object is used outside a check. If an execution on another OS thread has it, that is a mistake: a real
    /// thread, started inside a check, is not under control.
    #[inline(never)]
    pub(crate) fn outside(&self) {
        let registered = self.registered.load(Relaxed);
        // A static may well be used by an ordinary test while a check runs beside it.
        if registered != 0
            && super::host::is_live(registered >> NUMBER_BITS)
            && !image::is_static(std::ptr::from_ref(self) as usize)
        {
            panic!(
                "gordian: an object created at {} belongs to an execution that is running on another OS thread; threads \
                 inside a check must be started with gordian::thread::spawn, not with std::thread::spawn",
                self.created
            );
        }
    }
}
