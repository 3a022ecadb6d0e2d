//! The tag that every mirrored object carries: where it was created, and which object of which execution it is.
//!
//! Constructors are `const`, as in std, so an object cannot be registered when it is created; it is when it is first
//! used in an execution. An object in a static is thereby a new one in every execution. Executions may run side by
//! side on several OS threads and use the same static: the first to come writes its number into the tag, the others
//! keep theirs in a table of their own, by the address of the tag, which does not move while it is shared.

use super::host::Runtime;
use super::shared::Contended;
use super::{active, current, image};
use gordian_model::object::Object;
use gordian_model::{Conductor, ObjectId, SiteId};
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
        ObjectId(self.number().unwrap_or_else(|| self.first_use(make)))
    }

    /// The cell in this execution.
    pub(crate) fn cell(&self) -> u32 {
        self.number().unwrap_or_else(|| self.register(&mut |conductor, _| conductor.create_cell()))
    }

    /// The number in this execution, if the tag has it.
    #[inline(always)]
    fn number(&self) -> Option<u32> {
        // SAFETY: as in `super::with`.
        let epoch = unsafe { (*current()).epoch };
        let registered = self.registered.load(Relaxed);
        (registered >> NUMBER_BITS == epoch).then_some((registered & ((1 << NUMBER_BITS) - 1)) as u32)
    }

    /// An object is used for the first time. Mostly nobody else has ever used it, and it takes the place that one of its kind had in the execution
    /// before. What is done then makes no calls, so nothing has to be kept for afterwards.
    #[cold]
    #[inline(never)]
    fn first_use(&self, make: impl FnOnce() -> Object) -> u32 {
        let alone = {
            // SAFETY: as in `super::with`.
            let rt = unsafe { &*current() };
            rt.newborns.is_empty() && rt.shared.contended.is_empty()
        };
        if !alone || self.registered.load(Relaxed) != 0 {
            return self.register_object(make);
        }
        let model = make();
        // SAFETY: as in `super::with`; `make` has come back, and the reference ends before others are called.
        let rt: &mut Runtime = unsafe { &mut *current() };
        let Some(created) = rt.sites.known(self.created) else { return self.register_object(|| model) };
        let number = match rt.conductor.create_in_place(model, created) {
            Ok(object) => object.0,
            Err(model) => return self.register_object(|| model),
        };
        let mine = rt.epoch << NUMBER_BITS | u64::from(number);
        if number < 1 << NUMBER_BITS && self.registered.compare_exchange(0, mine, Relaxed, Relaxed).is_ok() {
            return number;
        }
        self.use_again(0, number)
    }

    #[cold]
    #[inline(never)]
    fn register_object(&self, make: impl FnOnce() -> Object) -> u32 {
        let mut make = Some(make);
        self.register(&mut |conductor, created| {
            let make = make.take().expect("an object is registered once");
            conductor.create(make(), created).0
        })
    }

    /// Gives it a number in this execution, which is the first to use it, or has others beside it.
    #[cold]
    #[inline(never)]
    fn register(&self, number: &mut dyn FnMut(&mut Conductor, SiteId) -> u32) -> u32 {
        super::settle();
        // They may have used it.
        if let Some(number) = self.number().or_else(|| self.contended()) {
            return number;
        }
        let seen = self.registered.load(Relaxed);
        // SAFETY: as in `super::with`.
        let rt: &mut Runtime = unsafe { &mut *current() };
        let created = rt.sites.get(self.created, &mut rt.conductor.names);
        let number = number(&mut rt.conductor, created);
        self.use_again(seen, number)
    }

    /// The number goes into the tag, or where it is found if others have that.
    #[cold]
    #[inline(never)]
    fn use_again(&self, seen: u64, number: u32) -> u32 {
        assert!(number < 1 << NUMBER_BITS, "gordian: an execution can have {} objects", 1 << NUMBER_BITS);
        // SAFETY: as in `super::with`.
        let rt: &mut Runtime = unsafe { &mut *current() };
        if seen != 0 {
            rt.shared.older.insert(number);
        }
        let mine = rt.epoch << NUMBER_BITS | u64::from(number);
        let free = seen == 0 || !super::host::is_live(seen >> NUMBER_BITS);
        if !free || self.registered.compare_exchange(seen, mine, Relaxed, Relaxed).is_err() {
            rt.shared.contended.insert(std::ptr::from_ref(self) as usize, number);
        }
        number
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
