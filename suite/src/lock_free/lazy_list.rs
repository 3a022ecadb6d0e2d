//! The lazy list of Heller et al. (OPODIS 2005). Before a node is added, its predecessor is locked and has to be found neither removed nor followed by another. Here
//! only the latter is looked at, and the node is hung behind one that has left the list.

use super::client::{self, SetCall::Contains, SetCall::Insert, SetCall::Remove};
use super::hazard::{Guards, Hazards};
use crate::Program;
use gordian::sync::Mutex;
use gordian::sync::atomic::{AtomicUsize, Ordering::SeqCst};

/// A drawn test.
pub const fn program<const DRAW: u32>(name: &'static str) -> Program {
    Program {
        name,
        source: "CB-DPOR thesis, table 6-1: cds lazylist",
        about: "an element is added behind one that has been removed meanwhile",
        body: lazy_list::<DRAW>,
        ..client::TEST
    }
}

/// Some for each key, and before and behind them the head and the end.
pub(crate) const NODES: usize = 20;
const HEAD: usize = 0;
const END: usize = NODES - 1;

pub(crate) struct List {
    keys: [usize; NODES],
    next: [AtomicUsize; NODES],
    /// The lock of a node holds whether it was removed.
    removed: [Mutex<bool>; NODES],
    hazards: Hazards,
    buggy: bool,
}

impl List {
    /// An empty list. What each node is for is known beforehand.
    pub(crate) fn new(keys: [usize; NODES], hazards: Hazards, buggy: bool) -> List {
        List {
            keys,
            next: [END; NODES].map(AtomicUsize::new),
            removed: [false; NODES].map(Mutex::new),
            hazards,
            buggy,
        }
    }

    /// The last node before the key, and the one after it; each has a guard.
    fn find(&self, guards: &Guards<'_>, key: usize) -> (usize, usize) {
        let mut before = HEAD;
        loop {
            let after = guards.protect(1, &self.next[before]);
            if self.keys[after] >= key {
                return (before, after);
            }
            before = after;
            guards.copy(0, 1);
        }
    }

    pub(crate) fn insert(&self, thread: usize, node: usize) -> bool {
        let guards = self.hazards.guards(thread, 2);
        loop {
            let (before, after) = self.find(&guards, self.keys[node]);
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

    pub(crate) fn remove(&self, thread: usize, key: usize) -> bool {
        let guards = self.hazards.guards(thread, 2);
        loop {
            let (before, node) = self.find(&guards, key);
            if self.keys[node] != key {
                return false;
            }
            let before_removed = self.removed[before].lock().unwrap();
            let mut removed = self.removed[node].lock().unwrap();
            if !*before_removed && !*removed && self.next[before].load(SeqCst) == node {
                *removed = true;
                self.next[before].store(self.next[node].load(SeqCst), SeqCst);
                drop((removed, before_removed));
                self.hazards.retire(thread, node);
                return true;
            }
        }
    }

    pub(crate) fn contains(&self, thread: usize, key: usize) -> bool {
        let guards = self.hazards.guards(thread, 2);
        self.keys[self.find(&guards, key).1] == key
    }
}

fn lazy_list<const DRAW: u32>(buggy: bool) {
    let calls = client::draw_set("lazy-list", DRAW);
    let list = List::new(client::keys(&calls), Hazards::new(), buggy);
    client::set(&calls, |place, call| {
        let thread = client::thread_of(place);
        match call {
            Insert(_) => list.insert(thread, place + 1),
            Remove(key) => list.remove(thread, key),
            Contains(key) => list.contains(thread, key),
        }
    });
}
