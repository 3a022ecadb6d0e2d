//! The atomics of an execution: which object stands for which bytes.
//!
//! Code without hooks writes to some of them as well: what is not generic in Rust's std, for example. That shows as a value that is not
//! the last one known. All of them are looked at when a thread comes to its next op, so it is known who did it and since when: it
//! belongs to the thread's last step.

use crate::runtime::Runtime;
use crate::turn;
use gordian_model::object::{Atomic, Object};
use gordian_model::{ObjectId, SiteId, ThreadId};
use rustc_hash::FxHashMap;

/// An atomic.
#[derive(Clone, Copy)]
struct Word {
    address: usize,
    bytes: usize,
    id: ObjectId,
    /// The thread on whose stack it lies.
    on: Option<ThreadId>,
    /// Who met it first, and whether another has met it since.
    first: ThreadId,
    shared: bool,
    /// It is being written to by an access that was announced without its value.
    unknown: bool,
}

/// The atomics met so far.
#[derive(Default)]
pub(crate) struct Words {
    /// By the eight bytes that they lie in.
    at: FxHashMap<usize, Vec<u32>>,
    all: Vec<Word>,
    /// By the objects that stand for them.
    by_object: FxHashMap<ObjectId, u32>,
}

/// So many of the atomics, those met last, are looked at for what code without hooks has done to them.
const LOOKED_AT: usize = 256;

/// The granules that so many bytes lie in.
fn granules(address: usize, bytes: usize) -> std::ops::RangeInclusive<usize> {
    address >> 3..=(address + bytes - 1) >> 3
}

/// What is in memory, as the model sees it: more than eight bytes are mixed into a number.
///
/// # Safety
/// There must be so many bytes.
pub(crate) unsafe fn value(address: usize, bytes: usize) -> u64 {
    // SAFETY: as the caller says. Nobody else runs meanwhile.
    unsafe {
        match bytes {
            1 => u64::from((address as *const u8).read_volatile()),
            _ if !matches!(bytes, 2 | 4 | 8 | 16) || !address.is_multiple_of(bytes) => {
                let bytes = std::slice::from_raw_parts(address as *const u8, bytes);
                // Short ones are numbers as they are, if not in line.
                bytes.rchunks(8).fold(0, |value, part| {
                    let number = part.iter().rev().fold(0, |number, &byte| number << 8 | u64::from(byte));
                    mixed([number, value])
                })
            }
            2 => u64::from((address as *const u16).read_volatile()),
            4 => u64::from((address as *const u32).read_volatile()),
            8 => (address as *const u64).read_volatile(),
            _ => mixed((address as *const [u64; 2]).read_volatile()),
        }
    }
}

/// Sixteen bytes as a number.
pub(crate) fn mixed([low, high]: [u64; 2]) -> u64 {
    low ^ high.wrapping_mul(0x9E37_79B9_7F4A_7C15).rotate_left(29)
}

/// Writes a value of up to eight bytes.
///
/// # Safety
/// There must be so many bytes.
pub(crate) unsafe fn set(address: usize, bytes: usize, value: u64) {
    // SAFETY: as the caller says. Nobody else runs meanwhile.
    unsafe {
        match bytes {
            1 => (address as *mut u8).write_volatile(value as u8),
            2 => (address as *mut u16).write_volatile(value as u16),
            4 => (address as *mut u32).write_volatile(value as u32),
            8 => (address as *mut u64).write_volatile(value),
            _ => unreachable!("sixteen bytes are written by whoever knows them"),
        }
    }
}

impl Words {
    /// The object that stands for an atomic which a thread meets.
    fn find(&mut self, me: ThreadId, address: usize, bytes: usize) -> Option<ObjectId> {
        let all = &self.all;
        let near = self.at.get(&(address >> 3))?;
        let is_it = |i: &&u32| (all[**i as usize].address, all[**i as usize].bytes) == (address, bytes);
        let i = *near.iter().find(is_it)? as usize;
        let word = &mut self.all[i];
        word.shared |= word.first != me;
        Some(word.id)
    }

    /// Atomics that share some of these bytes, but not all of them.
    pub(crate) fn overlapping(&self, address: usize, bytes: usize) -> Vec<ObjectId> {
        let mut found = Vec::new();
        for granule in granules(address, bytes) {
            for word in self.at.get(&granule).into_iter().flatten().map(|&i| self.all[i as usize]) {
                let apart = word.address + word.bytes <= address || address + bytes <= word.address;
                let same = (word.address, word.bytes) == (address, bytes);
                if !apart && !same && !found.contains(&word.id) {
                    found.push(word.id);
                }
            }
        }
        found
    }

    fn known_as(&mut self, id: ObjectId) -> Option<&mut Word> {
        let i = *self.by_object.get(&id)?;
        self.all.get_mut(i as usize)
    }

    /// A plain access that is no step, and is in order with all others, is about to write to these bytes.
    pub(crate) fn overwritten(&mut self, address: usize, bytes: usize) {
        if self.all.is_empty() || bytes == 0 {
            return;
        }
        for granule in granules(address, bytes) {
            for &i in self.at.get(&granule).into_iter().flatten() {
                let word = &mut self.all[i as usize];
                word.unknown |= word.address < address + bytes && address < word.address + word.bytes;
            }
        }
    }

    /// The memory is nobody's any more, or somebody else's.
    pub(crate) fn forget(&mut self, start: usize, end: usize) {
        let gone = |word: &Word| word.address < end && start < word.address + word.bytes;
        if !self.all.iter().any(gone) {
            return;
        }
        self.all.retain(|word| !gone(word));
        self.at.clear();
        self.by_object = self.all.iter().zip(0..).map(|(word, i)| (word.id, i)).collect();
        for (i, word) in self.all.iter().enumerate() {
            for granule in granules(word.address, word.bytes) {
                self.at.entry(granule).or_default().push(i as u32);
            }
        }
    }

    fn add(&mut self, first: ThreadId, address: usize, bytes: usize, id: ObjectId, on: Option<ThreadId>) {
        let i = self.all.len() as u32;
        self.by_object.insert(id, i);
        self.all.push(Word { address, bytes, id, on, first, shared: false, unknown: false });
        for granule in granules(address, bytes) {
            self.at.entry(granule).or_default().push(i);
        }
    }
}

/// The object that stands for an atomic.
///
/// # Safety
/// There must be so many bytes.
pub(crate) unsafe fn object(me: ThreadId, address: usize, bytes: usize, site: SiteId) -> ObjectId {
    if let Some(id) = turn::with(|rt| rt.words.find(me, address, bytes)) {
        return id;
    }
    // As for other objects, threads that were spawned earlier may come first.
    turn::settle(me);
    turn::with(|rt| {
        if let Some(id) = rt.words.find(me, address, bytes) {
            return id;
        }
        // SAFETY: as the caller says.
        let model = Atomic::new(unsafe { value(address, bytes) });
        let id = rt.conductor.create(model.into(), site);
        let on = rt.on_whose_stack(address);
        rt.words.add(me, address, bytes, id, on);
        id
    })
}

impl Runtime {
    /// What the model takes an atomic to hold.
    pub(crate) fn held(&mut self, id: ObjectId) -> u64 {
        match self.conductor.object_mut(id) {
            Object::Atomic(atomic) => atomic.value(),
            _ => unreachable!("it was made an atomic"),
        }
    }

    /// An access to an atomic was announced whose value is known only after it has happened.
    pub(crate) fn will_be_known(&mut self, id: ObjectId) {
        if let Some(word) = self.words.known_as(id) {
            word.unknown = true;
        }
    }

    /// Was its value to be known only now? Then nobody has changed it behind our backs.
    pub(crate) fn was_unknown(&mut self, id: ObjectId) -> bool {
        self.words.known_as(id).is_some_and(|word| std::mem::take(&mut word.unknown))
    }

    /// The thread is in code with hooks again: what it has done without them comes first.
    pub(crate) fn is_back(&mut self, me: ThreadId) {
        if self.control(me).unseen {
            self.look_for_unseen(me);
        }
    }

    /// The thread has come to its next op: what it did to atomics in code without hooks belongs to its last one.
    pub(crate) fn look_for_unseen(&mut self, me: ThreadId) {
        self.control(me).unseen = false;
        let count = self.words.all.len();
        for i in count.saturating_sub(LOOKED_AT)..count {
            let Word { address, bytes, id, on, shared, unknown, .. } = self.words.all[i];
            // What is on a stack may be gone, together with the function it belonged to, and there may be something else now.
            let here = std::ptr::from_ref(&i) as usize;
            if on.is_some_and(|on| on != me || address < here || !shared) {
                continue;
            }
            // SAFETY: it was an atomic of the program's, and what is freed, or belongs to a thread that has ended, is forgotten.
            let now = unsafe { value(address, bytes) };
            if now == self.held(id) {
                continue;
            }
            if unknown {
                self.words.all[i].unknown = false;
                self.conductor.has_stored(me, id, now);
            } else {
                self.conductor.wrote_unseen(me, id, now);
            }
        }
    }
}
