//! A set as a skip list of two levels, after the lazy one in Herlihy and Shavit, The Art of Multiprocessor Programming, 14.3. A node is linked at the bottom first and then above,
//! and its neighbours are locked all the while. If they are let go in between, the node may be removed before the second link is made, and can still be found from above.

use super::client::{self, Calls, SetCall, SetCall::Contains, SetCall::Insert, SetCall::Remove};
use crate::Program;
use gordian::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use gordian::sync::{Mutex, MutexGuard};

/// The bug.
pub const PROGRAM: Program = Program {
    name: "skip-list",
    source: "CB-DPOR thesis, table 6-1: cds skiplistset",
    about: "a node is linked at the upper level after it has been removed",
    threads: 4,
    proof: "preemptions:2",
    body: skip_list,
    ..Program::USUAL
};

/// Some for each key, and before and behind them the head and the end.
pub(crate) const NODES: usize = 20;
const HEAD: usize = 0;
const END: usize = NODES - 1;
const LEVELS: usize = 2;

/// At each level, the last node before a key and the one after it.
type Found = [(usize, usize); LEVELS];

pub(crate) struct SkipList {
    keys: [usize; NODES],
    next: [[AtomicUsize; NODES]; LEVELS],
    /// The lock of a node holds whether it was removed.
    removed: [Mutex<bool>; NODES],
}

impl SkipList {
    /// An empty list. What each node is for is known beforehand.
    pub(crate) fn new(keys: [usize; NODES]) -> SkipList {
        SkipList {
            keys,
            next: std::array::from_fn(|_| [END; NODES].map(AtomicUsize::new)),
            removed: [false; NODES].map(Mutex::new),
        }
    }

    fn find(&self, key: usize) -> Found {
        let mut found = [(HEAD, END); LEVELS];
        let mut before = HEAD;
        for level in (0..LEVELS).rev() {
            let mut after = self.next[level][before].load(SeqCst);
            while self.keys[after] < key {
                before = after;
                after = self.next[level][before].load(SeqCst);
            }
            found[level] = (before, after);
        }
        found
    }

    /// Locks what is before the key at some levels, if all is still as it was found. Greater keys are locked first.
    fn lock(&self, found: &Found, levels: std::ops::Range<usize>) -> Option<Vec<MutexGuard<'_, bool>>> {
        let mut locked = Vec::new();
        for level in levels.clone() {
            if level == levels.start || found[level].0 != found[level - 1].0 {
                locked.push(self.removed[found[level].0].lock().unwrap());
            }
        }
        let mut same = levels.map(|level| self.next[level][found[level].0].load(SeqCst) == found[level].1);
        (locked.iter().all(|removed| !**removed) && same.all(|same| same)).then_some(locked)
    }

    /// Links a node at some levels, unless another with its key is there.
    fn link(&self, node: usize, levels: std::ops::Range<usize>) -> bool {
        loop {
            let found = self.find(self.keys[node]);
            if levels.clone().any(|level| self.keys[found[level].1] == self.keys[node]) {
                return false;
            }
            if let Some(_locked) = self.lock(&found, levels.clone()) {
                for level in levels {
                    self.next[level][node].store(found[level].1, SeqCst);
                    self.next[level][found[level].0].store(node, SeqCst);
                }
                return true;
            }
        }
    }

    pub(crate) fn insert(&self, node: usize, buggy: bool) -> bool {
        if !buggy {
            return self.link(node, 0..LEVELS);
        }
        let new = self.link(node, 0..1);
        if new {
            self.link(node, 1..LEVELS);
        }
        new
    }

    pub(crate) fn remove(&self, key: usize) -> bool {
        let node = self.find(key)[0].1;
        if self.keys[node] != key {
            return false;
        }
        let mut removed = self.removed[node].lock().unwrap();
        if *removed {
            return false;
        }
        *removed = true;
        loop {
            let found = self.find(key);
            if let Some(_locked) = self.lock(&found, 0..LEVELS) {
                for level in (0..LEVELS).rev().filter(|&level| found[level].1 == node) {
                    self.next[level][found[level].0].store(self.next[level][node].load(SeqCst), SeqCst);
                }
                return true;
            }
        }
    }

    pub(crate) fn contains(&self, key: usize) -> bool {
        self.find(key).iter().any(|&(_, after)| self.keys[after] == key)
    }
}

const CALLS: Calls<SetCall> = &[
    &[Remove(2), Insert(1), Remove(2)],
    &[Contains(1), Remove(3), Insert(3)],
    &[Remove(2), Remove(3), Contains(1)],
];

fn skip_list(buggy: bool) {
    let list = SkipList::new(client::keys(CALLS));
    client::set(CALLS, |place, call| match call {
        Insert(_) => list.insert(place + 1, buggy),
        Remove(key) => list.remove(key),
        Contains(key) => list.contains(key),
    });
}
