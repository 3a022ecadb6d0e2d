//! A set as a skip list of two levels, after the lazy one in Herlihy and Shavit, The Art of Multiprocessor Programming, 14.3. A node is linked at the bottom first and then above,
//! and its neighbours are locked all the while. If they are let go in between, the node may be removed before the second link is made, and can still be found from above.

use super::client::{self, SetCall::Contains, SetCall::Insert, SetCall::Remove};
use super::hazard::{Guards, Hazards};
use crate::Program;
use gordian::FailureKind;
use gordian::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use gordian::sync::{Mutex, MutexGuard};

/// A drawn test.
pub const fn program<const DRAW: u32>(name: &'static str) -> Program {
    Program {
        name,
        source: "CB-DPOR thesis, table 6-1: cds skiplistset",
        about: "a node is linked at the upper level after it has been removed",
        // An insert right behind such a node never ends.
        kind: if DRAW == 1 { FailureKind::StepLimit } else { FailureKind::Panic },
        body: skip_list::<DRAW>,
        ..client::TEST
    }
}

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
    hazards: Hazards,
}

impl SkipList {
    /// An empty list. What each node is for is known beforehand.
    pub(crate) fn new(keys: [usize; NODES], hazards: Hazards) -> SkipList {
        SkipList {
            keys,
            next: std::array::from_fn(|_| [END; NODES].map(AtomicUsize::new)),
            removed: [false; NODES].map(Mutex::new),
            hazards,
        }
    }

    /// Finds the places of a key. Each of the four nodes has a guard.
    fn find(&self, guards: &Guards<'_>, key: usize) -> Found {
        let mut found = [(HEAD, END); LEVELS];
        let mut before = HEAD;
        for level in (0..LEVELS).rev() {
            guards.assign(2 * level, before);
            let mut after = guards.protect(2 * level + 1, &self.next[level][before]);
            while self.keys[after] < key {
                before = after;
                guards.copy(2 * level, 2 * level + 1);
                after = guards.protect(2 * level + 1, &self.next[level][before]);
            }
            found[level] = (before, after);
        }
        found
    }

    /// Locks what is before the key at some levels, if all is still as it was found. Greater keys are locked first.
    fn lock(&self, found: &Found, levels: std::ops::Range<usize>) -> Option<Vec<MutexGuard<'_, bool>>> {
        let first = levels.start;
        let new = levels.clone().filter(|&level| level == first || found[level].0 != found[level - 1].0);
        let locked: Vec<_> = new.map(|level| self.removed[found[level].0].lock().unwrap()).collect();
        let mut same = levels.map(|level| self.next[level][found[level].0].load(SeqCst) == found[level].1);
        (locked.iter().all(|removed| !**removed) && same.all(|same| same)).then_some(locked)
    }

    /// Links a node at some levels, unless another with its key is there.
    fn link(&self, thread: usize, node: usize, levels: std::ops::Range<usize>) -> bool {
        let guards = self.hazards.guards(thread, 2 * LEVELS);
        loop {
            let found = self.find(&guards, self.keys[node]);
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

    pub(crate) fn insert(&self, thread: usize, node: usize, buggy: bool) -> bool {
        let new = self.link(thread, node, 0..if buggy { 1 } else { LEVELS });
        if new && buggy {
            self.link(thread, node, 1..LEVELS);
        }
        new
    }

    pub(crate) fn remove(&self, thread: usize, key: usize) -> bool {
        let guards = self.hazards.guards(thread, 2 * LEVELS + 1);
        let node = self.find(&guards, key)[0].1;
        if self.keys[node] != key {
            return false;
        }
        guards.copy(2 * LEVELS, 1);
        let mut removed = self.removed[node].lock().unwrap();
        if *removed {
            return false;
        }
        *removed = true;
        loop {
            let found = self.find(&guards, key);
            if let Some(_locked) = self.lock(&found, 0..LEVELS) {
                for level in (0..LEVELS).rev().filter(|&level| found[level].1 == node) {
                    self.next[level][found[level].0].store(self.next[level][node].load(SeqCst), SeqCst);
                }
                break;
            }
        }
        drop(removed);
        self.hazards.retire(thread, node);
        true
    }

    pub(crate) fn contains(&self, thread: usize, key: usize) -> bool {
        let guards = self.hazards.guards(thread, 2 * LEVELS);
        self.find(&guards, key).iter().any(|&(_, after)| self.keys[after] == key)
    }
}

fn skip_list<const DRAW: u32>(buggy: bool) {
    let calls = client::draw_set("skip-list", DRAW);
    let list = SkipList::new(client::keys(&calls), Hazards::new());
    client::set(&calls, |place, call| {
        let thread = client::thread_of(place);
        match call {
            Insert(_) => list.insert(thread, place + 1, buggy),
            Remove(key) => list.remove(thread, key),
            Contains(key) => list.contains(thread, key),
        }
    });
}
