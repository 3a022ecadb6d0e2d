//! The nodes at which more than one thread is to be tried, as long as something below them is left to do.

use super::path::Path;
use gordian_model::{Sleeper, ThreadId, ThreadSet};
use std::ops::{Index, IndexMut};

/// The number of a record.
#[derive(Clone, Copy, PartialEq, Eq, Debug, PartialOrd, Ord)]
pub(super) struct RecordId(u32);

/// A node with more than one thread to be tried.
#[derive(Debug, Default)]
pub(super) struct Record {
    /// The next one above it on its path.
    pub(super) parent: Option<RecordId>,
    /// Things to be tried from here, and records just below.
    pub(super) live: u32,
    /// The steps before it.
    pub(super) depth: usize,
    /// To be tried from here, tried, or being tried.
    pub(super) wanted: ThreadSet,
    /// Asleep here: first what was already asleep when somebody came here...
    pub(super) sleep: Vec<Sleeper>,
    /// ...so many, then what has been tried from here, in that order.
    pub(super) inherited: usize,
    /// How many of those of its parent were asleep when this path was first taken.
    pub(super) slept: usize,
    pub(super) path: Path,
    /// What it takes up, as far as it was counted.
    noted: usize,
}

/// Records beyond these give their memory back.
const KEPT: usize = 4096;

impl Record {
    fn bytes(&self) -> usize {
        size_of::<Record>() + self.path.bytes() + self.sleep.capacity() * size_of::<Sleeper>()
    }

    /// Was the thread asleep when somebody came here?
    pub(super) fn was_asleep(&self, thread: ThreadId) -> bool {
        self.sleep[..self.inherited].iter().any(|s| s.thread == thread)
    }

    pub(super) fn is_asleep(&self, thread: ThreadId, outcome: u32) -> bool {
        self.sleep.iter().any(|s| s.thread == thread && s.outcome == outcome)
    }
}

/// The records; those that are done are kept for their memory.
#[derive(Debug, Default)]
pub(super) struct Records {
    all: Vec<Record>,
    free: Vec<RecordId>,
    /// What those in use take up, about.
    bytes: usize,
}

impl Records {
    pub(super) fn add(&mut self) -> RecordId {
        self.free.pop().unwrap_or_else(|| {
            self.all.push(Record::default());
            RecordId(self.all.len() as u32 - 1)
        })
    }

    /// What the records in use take up, about.
    pub(super) fn bytes(&self) -> usize {
        self.bytes
    }

    /// A record has been filled in.
    pub(super) fn note(&mut self, id: RecordId) {
        let bytes = self[id].bytes();
        self[id].noted = bytes;
        self.bytes += bytes;
    }

    /// One thing less to do at a record. One that has nothing left goes, and with it those above that were only kept for it.
    pub(super) fn release(&mut self, record: RecordId) {
        let mut next = Some(record);
        while let Some(id) = next {
            let record = &mut self[id];
            record.live -= 1;
            if record.live > 0 {
                return;
            }
            next = record.parent;
            record.wanted.clear();
            record.sleep.clear();
            self.bytes -= std::mem::take(&mut record.noted);
            self.free.push(id);
            self.give_back(id);
        }
    }

    /// Memory is kept for the next record, but not if there was a great deal of it.
    fn give_back(&mut self, id: RecordId) {
        if self.all.len() > KEPT {
            self[id] = Record::default();
        }
    }

    pub(super) fn clear(&mut self) {
        self.free.clear();
        self.bytes = 0;
        self.all.truncate(KEPT);
        for (i, record) in self.all.iter_mut().enumerate() {
            record.live = 0;
            record.noted = 0;
            record.wanted.clear();
            record.sleep.clear();
            self.free.push(RecordId(i as u32));
        }
    }

    /// Is nothing left?
    pub(super) fn is_empty(&self) -> bool {
        self.free.len() == self.all.len()
    }
}

impl Index<RecordId> for Records {
    type Output = Record;

    fn index(&self, id: RecordId) -> &Record {
        &self.all[id.0 as usize]
    }
}

impl IndexMut<RecordId> for Records {
    fn index_mut(&mut self, id: RecordId) -> &mut Record {
        &mut self.all[id.0 as usize]
    }
}
