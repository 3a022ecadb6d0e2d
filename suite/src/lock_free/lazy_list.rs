//! The lazy list of Heller et al. (OPODIS 2005). Before a node is added, its predecessor is locked and has to be found neither removed nor followed by another. Here
//! only the latter is looked at, and the node is hung behind one that has left the list.

use super::client::{self, Calls, SetCall, SetCall::Contains, SetCall::Insert, SetCall::Remove};
use crate::Program;
use gordian::sync::Mutex;
use gordian::sync::atomic::{AtomicUsize, Ordering::SeqCst};

/// The bug.
pub const PROGRAM: Program = Program {
    name: "lazy-list",
    source: "CB-DPOR thesis, table 6-1: cds lazylist",
    about: "an element is added behind one that has been removed meanwhile",
    threads: 4,
    proof: "preemptions:2",
    body: lazy_list,
    ..Program::USUAL
};

/// Some for each key, and before and behind them the head and the end.
pub(crate) const NODES: usize = 20;
const HEAD: usize = 0;
const END: usize = NODES - 1;

pub(crate) struct List {
    keys: [usize; NODES],
    next: [AtomicUsize; NODES],
    /// The lock of a node holds whether it was removed.
    removed: [Mutex<bool>; NODES],
    buggy: bool,
}

impl List {
    /// An empty list. What each node is for is known beforehand.
    pub(crate) fn new(keys: [usize; NODES], buggy: bool) -> List {
        List {
            keys,
            next: [END; NODES].map(AtomicUsize::new),
            removed: [false; NODES].map(Mutex::new),
            buggy,
        }
    }

    /// The last node before the key, and the one after it.
    fn find(&self, key: usize) -> (usize, usize) {
        let mut before = HEAD;
        loop {
            let after = self.next[before].load(SeqCst);
            if self.keys[after] >= key {
                return (before, after);
            }
            before = after;
        }
    }

    pub(crate) fn insert(&self, node: usize) -> bool {
        loop {
            let (before, after) = self.find(self.keys[node]);
            if self.keys[after] == self.keys[node] {
                return false;
            }
            let removed = self.removed[before].lock().unwrap();
            if (self.buggy || !*removed) && self.next[before].load(SeqCst) == after {
                self.next[node].store(after, SeqCst);
                self.next[before].store(node, SeqCst);
                return true;
            }
        }
    }

    pub(crate) fn remove(&self, key: usize) -> bool {
        loop {
            let (before, node) = self.find(key);
            if self.keys[node] != key {
                return false;
            }
            let before_removed = self.removed[before].lock().unwrap();
            let mut removed = self.removed[node].lock().unwrap();
            if !*before_removed && !*removed && self.next[before].load(SeqCst) == node {
                *removed = true;
                self.next[before].store(self.next[node].load(SeqCst), SeqCst);
                return true;
            }
        }
    }

    pub(crate) fn contains(&self, key: usize) -> bool {
        self.keys[self.find(key).1] == key
    }
}

const CALLS: Calls<SetCall> = &[
    &[Insert(1), Contains(1), Remove(1)],
    &[Remove(1), Insert(3), Insert(1)],
    &[Remove(2), Insert(2), Remove(2)],
];

fn lazy_list(buggy: bool) {
    let list = List::new(client::keys(CALLS), buggy);
    client::set(CALLS, |place, call| match call {
        Insert(_) => list.insert(place + 1),
        Remove(key) => list.remove(key),
        Contains(key) => list.contains(key),
    });
}
