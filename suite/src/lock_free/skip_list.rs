//! A set as a skip list of two levels, after Herlihy and Shavit, The Art of Multiprocessor Programming, 14.3. A node is linked at the bottom first and then above. If it is
//! removed in between and the second link is made all the same, it can still be found from above.

use crate::Program;
use gordian::sync::Mutex;
use gordian::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use gordian::thread;

/// The bug.
pub const PROGRAM: Program = Program {
    name: "skip-list",
    source: "CB-DPOR thesis, table 6-1: cds skiplistset",
    about: "a node is linked at the upper level after it has been removed",
    threads: 3,
    proof: "preemptions:2",
    body: skip_list,
    ..Program::USUAL
};

const END: usize = 5;
const LEVELS: usize = 2;

/// The nodes are their keys: 0 is the head, `END` the end.
struct SkipList {
    next: [[AtomicUsize; END]; LEVELS],
    /// Of each node: was it removed?
    removed: [Mutex<bool>; END],
}

impl SkipList {
    fn before(&self, level: usize, key: usize) -> usize {
        let mut before = 0;
        loop {
            let after = self.next[level][before].load(SeqCst);
            if after >= key {
                return before;
            }
            before = after;
        }
    }

    fn link(&self, level: usize, key: usize) {
        loop {
            let before = self.before(level, key);
            let after = self.next[level][before].load(SeqCst);
            self.next[level][key].store(after, SeqCst);
            if after > key && self.next[level][before].compare_exchange(after, key, SeqCst, SeqCst).is_ok() {
                return;
            }
        }
    }

    fn unlink(&self, level: usize, key: usize) {
        let before = self.before(level, key);
        let after = self.next[level][key].load(SeqCst);
        // It may not be linked at this level.
        let _ = self.next[level][before].compare_exchange(key, after, SeqCst, SeqCst);
    }

    fn insert(&self, key: usize, buggy: bool) {
        self.link(0, key);
        let removed = self.removed[key].lock().unwrap();
        if buggy {
            drop(removed);
            self.link(1, key);
        } else if !*removed {
            self.link(1, key);
        }
    }

    fn remove(&self, key: usize) -> bool {
        if !self.contains(key) {
            return false;
        }
        let mut removed = self.removed[key].lock().unwrap();
        *removed = true;
        (0..LEVELS).rev().for_each(|level| self.unlink(level, key));
        true
    }

    fn contains(&self, key: usize) -> bool {
        (0..LEVELS).rev().any(|level| self.next[level][self.before(level, key)].load(SeqCst) == key)
    }
}

fn skip_list(buggy: bool) {
    let list = SkipList {
        next: std::array::from_fn(|_| [END; END].map(AtomicUsize::new)),
        removed: [false; END].map(Mutex::new),
    };
    let gone = thread::scope(|s| {
        s.spawn(|| list.insert(2, buggy));
        s.spawn(|| list.remove(2)).join().unwrap()
    });
    assert!(!gone || !list.contains(2), "what was removed is still there");
}
