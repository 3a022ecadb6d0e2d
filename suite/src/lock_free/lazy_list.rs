//! The lazy list of Heller et al. (OPODIS 2005). Before a node is added, its predecessor is locked and has to be found neither removed nor followed by another. Here
//! only the latter is looked at, and the node is hung behind one that has left the list.

use crate::Program;
use gordian::sync::Mutex;
use gordian::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use gordian::thread;

/// The bug.
pub const PROGRAM: Program = Program {
    name: "lazy-list",
    source: "CB-DPOR thesis, table 6-1: cds lazylist",
    about: "an element is added behind one that has been removed meanwhile",
    threads: 2,
    body: lazy_list,
    ..Program::USUAL
};

const END: usize = 4;

/// The nodes are their keys: 0 is the head, `END` the end. The lock of a node holds whether it was removed.
struct List {
    next: [AtomicUsize; END],
    removed: [Mutex<bool>; END],
    buggy: bool,
}

impl List {
    /// The last node before the key, and the one after it.
    fn find(&self, key: usize) -> (usize, usize) {
        let mut before = 0;
        loop {
            let after = self.next[before].load(SeqCst);
            if after >= key {
                return (before, after);
            }
            before = after;
        }
    }

    fn add(&self, key: usize) {
        loop {
            let (before, after) = self.find(key);
            if after == key {
                return;
            }
            let removed = self.removed[before].lock().unwrap();
            if (self.buggy || !*removed) && self.next[before].load(SeqCst) == after {
                self.next[key].store(after, SeqCst);
                self.next[before].store(key, SeqCst);
                return;
            }
        }
    }

    fn remove(&self, key: usize) {
        loop {
            let (before, found) = self.find(key);
            if found != key {
                return;
            }
            let before_removed = self.removed[before].lock().unwrap();
            let mut removed = self.removed[key].lock().unwrap();
            if !*before_removed && !*removed && self.next[before].load(SeqCst) == key {
                *removed = true;
                self.next[before].store(self.next[key].load(SeqCst), SeqCst);
                return;
            }
        }
    }

    fn contains(&self, key: usize) -> bool {
        self.find(key).1 == key
    }
}

fn lazy_list(buggy: bool) {
    let list =
        List { next: [2, 0, END, 0].map(AtomicUsize::new), removed: [false; END].map(Mutex::new), buggy };
    thread::scope(|s| {
        s.spawn(|| list.remove(2));
        list.add(3);
        assert!(list.contains(3), "what was added is not there");
    });
}
