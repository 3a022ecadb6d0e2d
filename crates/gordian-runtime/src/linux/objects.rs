//! The objects of an execution, by the addresses that the program knows them by.

use super::{blocks, turn};
use gordian_model::object::{Atomic, Object};
use gordian_model::{ObjectId, ObjectKind, SiteId, ThreadId};
use rustc_hash::FxHashMap;

/// The model's objects at addresses of the program's.
#[derive(Default)]
pub(crate) struct Objects {
    at: FxHashMap<(usize, ObjectKind), Entry>,
    /// For objects in blocks of the heap: the block, and an atomic that stands for its life. Every step on the object reads it, and freeing
    /// the block writes to it.
    lives: FxHashMap<ObjectId, (usize, ObjectId)>,
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

    /// The block that an object lies in, and the atomic that stands for its life.
    pub(crate) fn life(&self, id: ObjectId) -> Option<(usize, ObjectId)> {
        if self.lives.is_empty() { None } else { self.lives.get(&id).copied() }
    }

    /// The atomic that stands for the life of the block that begins there.
    pub(crate) fn life_of(&self, block: usize) -> Option<ObjectId> {
        self.lives.values().find(|&&(known, _)| known == block).map(|&(_, life)| life)
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
        if let Some((block, _)) = rt.blocks.alive(address) {
            let life = rt.objects.life_of(block);
            let life = life.unwrap_or_else(|| rt.conductor.create(Atomic::new(0).into(), site));
            rt.objects.lives.insert(id, (block, life));
        }
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
