//! A work-stealing queue without locks, after CHESS's interlocked WSQ and Chase and Lev, "Dynamic circular work-stealing deque" (SPAA 2005). For
//! the last item owner and thief compete by exchanging `top`; here the owner stores it without asking whether the thief was first.

use crate::Program;
use gordian::sync::atomic::{AtomicU32, AtomicUsize, Ordering::SeqCst};
use gordian::thread;

/// The bug.
pub const PROGRAM: Program = Program {
    name: "steal-exchange",
    source: "CHESS (OSDI 2008), WSQ; SCTBench, chess.IWSQ",
    about: "the owner of a work-stealing queue takes the last item although a thief has just got it",
    threads: 2,
    body: steal_exchange,
    ..Program::USUAL
};

/// `top` and `bottom` begin at 1, so that `bottom` may be below `top` for a moment.
struct Deque {
    top: AtomicUsize,
    bottom: AtomicUsize,
    items: [AtomicUsize; 4],
}

impl Deque {
    fn push(&self, item: usize) {
        let bottom = self.bottom.load(SeqCst);
        self.items[bottom].store(item, SeqCst);
        self.bottom.store(bottom + 1, SeqCst);
    }

    fn pop(&self, buggy: bool) -> Option<usize> {
        let bottom = self.bottom.load(SeqCst) - 1;
        self.bottom.store(bottom, SeqCst);
        let top = self.top.load(SeqCst);
        if bottom < top {
            self.bottom.store(top, SeqCst);
            return None;
        }
        let item = self.items[bottom].load(SeqCst);
        if bottom > top {
            return Some(item);
        }
        let won = if buggy {
            self.top.store(top + 1, SeqCst);
            true
        } else {
            self.top.compare_exchange(top, top + 1, SeqCst, SeqCst).is_ok()
        };
        self.bottom.store(top + 1, SeqCst);
        won.then_some(item)
    }

    fn steal(&self) -> Option<usize> {
        let top = self.top.load(SeqCst);
        if top >= self.bottom.load(SeqCst) {
            return None;
        }
        let item = self.items[top].load(SeqCst);
        self.top.compare_exchange(top, top + 1, SeqCst, SeqCst).is_ok().then_some(item)
    }
}

fn steal_exchange(buggy: bool) {
    let deque =
        Deque { top: AtomicUsize::new(1), bottom: AtomicUsize::new(1), items: [0; 4].map(AtomicUsize::new) };
    let taken = [0; 2].map(AtomicU32::new);
    let take = |item: usize| assert_eq!(taken[item].fetch_add(1, SeqCst), 0, "item {item} was taken twice");
    deque.push(0);
    deque.push(1);
    thread::scope(|s| {
        s.spawn(|| (0..2).filter_map(|_| deque.steal()).for_each(take));
        (0..2).filter_map(|_| deque.pop(buggy)).for_each(take);
    });
}
