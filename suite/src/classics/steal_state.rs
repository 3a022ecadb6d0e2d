//! A work-stealing queue whose items have a state, after the variant with state of CHESS's WSQ. Who takes an item marks it as taken; here
//! that is a look and a mark, with room for another in between.

use crate::Program;
use gordian::sync::atomic::{AtomicBool, AtomicU32, AtomicUsize, Ordering::SeqCst};
use gordian::thread;

/// The bug.
pub const PROGRAM: Program = Program {
    name: "steal-state",
    source: "CHESS (OSDI 2008), WSQ; SCTBench, chess.SWSQ",
    about: "owner and thief of a work-stealing queue both find an item that is not marked as taken",
    threads: 3,
    body: steal_state,
    ..Program::USUAL
};

const ITEMS: usize = 3;

struct Deque {
    head: AtomicUsize,
    tail: AtomicUsize,
    taken: [AtomicBool; ITEMS],
}

impl Deque {
    fn mark(&self, item: usize, buggy: bool) -> bool {
        if buggy {
            let free = !self.taken[item].load(SeqCst);
            self.taken[item].store(true, SeqCst);
            free
        } else {
            !self.taken[item].swap(true, SeqCst)
        }
    }

    /// Only the owner moves the tail.
    fn pop(&self, buggy: bool) -> Option<usize> {
        while let Some(item) = self.tail.load(SeqCst).checked_sub(1) {
            self.tail.store(item, SeqCst);
            if self.mark(item, buggy) {
                return Some(item);
            }
        }
        None
    }

    fn steal(&self, buggy: bool) -> Option<usize> {
        loop {
            let item = self.head.fetch_add(1, SeqCst);
            if item >= self.tail.load(SeqCst) {
                return None;
            }
            if self.mark(item, buggy) {
                return Some(item);
            }
        }
    }
}

fn steal_state(buggy: bool) {
    let deque = Deque {
        head: AtomicUsize::new(0),
        tail: AtomicUsize::new(ITEMS),
        taken: [false; ITEMS].map(AtomicBool::new),
    };
    let done = [0; ITEMS].map(AtomicU32::new);
    let work = |item: usize| assert_eq!(done[item].fetch_add(1, SeqCst), 0, "item {item} was taken twice");
    thread::scope(|s| {
        for _ in 0..2 {
            s.spawn(|| deque.steal(buggy).into_iter().for_each(work));
        }
        (0..2).filter_map(|_| deque.pop(buggy)).for_each(work);
    });
}
