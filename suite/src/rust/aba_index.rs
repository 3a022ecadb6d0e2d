//! A free list of indices with `compare_exchange`, as many arenas have one. A thread reads the head and its successor; meanwhile another takes both and puts
//! the first back. The head is the same again, the exchange succeeds, and a slot that is in use becomes free.

use crate::Program;
use gordian::sync::atomic::{AtomicBool, AtomicUsize, Ordering::SeqCst};
use gordian::thread;

/// The bug.
pub const PROGRAM: Program = Program {
    name: "aba-index",
    source: "Treiber's stack (1986), as an index-based free list",
    about: "the head of a free list is the same again though what is behind it has changed",
    threads: 2,
    body: aba_index,
    ..Program::USUAL
};

const END: usize = 3;

/// The head is an index and, in the fixed version, a tag that grows with every change.
struct FreeList {
    head: AtomicUsize,
    next: [AtomicUsize; END],
    used: [AtomicBool; END],
    buggy: bool,
}

impl FreeList {
    fn replace(&self, head: usize, index: usize) -> bool {
        let tag = if self.buggy { 0 } else { (head >> 8) + 1 };
        self.head.compare_exchange(head, tag << 8 | index, SeqCst, SeqCst).is_ok()
    }

    fn take(&self) -> Option<usize> {
        loop {
            let head = self.head.load(SeqCst);
            let index = head & 0xff;
            if index == END {
                return None;
            }
            let next = self.next[index].load(SeqCst);
            if self.replace(head, next) {
                assert!(!self.used[index].swap(true, SeqCst), "slot {index} is in use already");
                return Some(index);
            }
        }
    }

    fn put(&self, index: usize) {
        self.used[index].store(false, SeqCst);
        loop {
            let head = self.head.load(SeqCst);
            self.next[index].store(head & 0xff, SeqCst);
            if self.replace(head, index) {
                return;
            }
        }
    }
}

fn aba_index(buggy: bool) {
    let list = FreeList {
        head: AtomicUsize::new(0),
        next: [1, 2, END].map(AtomicUsize::new),
        used: [false; END].map(AtomicBool::new),
        buggy,
    };
    thread::scope(|s| {
        s.spawn(|| {
            let first = list.take();
            list.take();
            first.into_iter().for_each(|index| list.put(index));
        });
        list.take();
        list.take();
    });
}
