//! The objects of an execution, by the addresses that the program knows them by.

use super::{blocks, turn};
use gordian_model::object::Object;
use gordian_model::{ObjectId, ObjectKind, SiteId, ThreadId};
use rustc_hash::FxHashMap;

/// The model's objects at addresses of the program's.
#[derive(Default)]
pub(crate) struct Objects {
    at: FxHashMap<(usize, ObjectKind), Entry>,
}

/// What is known of an object besides its model.
#[derive(Clone, Copy)]
pub(crate) struct Entry {
    pub(crate) id: ObjectId,
    /// How often its owner has taken it again.
    pub(crate) again: u32,
    /// A robust mutex that was given back without having been put right.
    pub(crate) lost: bool,
}

impl Objects {
    pub(crate) fn entry(&mut self, address: usize, kind: ObjectKind) -> Option<&mut Entry> {
        self.at.get_mut(&(address, kind))
    }

    /// The memory is nobody's any more.
    pub(crate) fn forget(&mut self, start: usize, end: usize) {
        self.at.retain(|&(address, _), _| !(start..end).contains(&address));
    }
}

/// The object of this kind at the address, made if there is none.
pub(crate) fn object(
    me: ThreadId,
    address: usize,
    kind: ObjectKind,
    site: SiteId,
    make: impl FnOnce() -> Object,
) -> ObjectId {
    turn::with(|rt| blocks::check(rt, me, (address, 1), site));
    if let Some(id) = turn::with(|rt| rt.objects.entry(address, kind).map(|entry| entry.id)) {
        return id;
    }
    // Threads that were spawned before it was made have the lower numbers for theirs; one of them may make this one.
    turn::settle(me);
    if let Some(id) = turn::with(|rt| rt.objects.entry(address, kind).map(|entry| entry.id)) {
        return id;
    }
    renew(address, kind, site, make())
}

/// A new object at an address at which there may have been another.
fn renew(address: usize, kind: ObjectKind, site: SiteId, model: Object) -> ObjectId {
    turn::with(|rt| {
        let id = rt.conductor.create(model, site);
        rt.objects.at.insert((address, kind), Entry { id, again: 0, lost: false });
        id
    })
}

/// The program makes an object: one that was there before is no more.
pub(crate) fn initialise(me: ThreadId, address: usize, kind: ObjectKind, site: SiteId, model: Object) {
    turn::settle(me);
    renew(address, kind, site, model);
}

/// The program is done with an object.
pub(crate) fn destroy(address: usize, kind: ObjectKind) {
    turn::with(|rt| rt.objects.at.remove(&(address, kind)));
}
