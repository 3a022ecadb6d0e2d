//! Chase and Lev's deque (SPAA 2005): its owner puts in and takes out at the bottom, others steal from the top. The last element is wanted by both, and the owner has to take part in the race for it.

use super::{Checked, Subject};
use gordian::lin::Object;
use gordian::sync::atomic::{AtomicIsize, AtomicUsize, Ordering::SeqCst};

/// The bug.
pub const SUBJECT: Subject = Subject {
    name: "chase-lev",
    source: "Chase, Lev, Dynamic circular work-stealing deque, SPAA 2005, section 2",
    about: "the owner takes the last element without asking whether it was stolen",
    object: deque,
    ..Subject::USUAL
};

fn deque(buggy: bool) -> Box<dyn Checked> {
    let object = Object::new(move || Deque::new(buggy))
        .op("push", 1..=9, Deque::push)
        .by_one_thread()
        .op("take", [()], |deque: &Deque, ()| deque.take())
        .by_one_thread()
        .op("steal", [()], |deque, ()| deque.steal());
    Box::new(object)
}

struct Deque {
    top: AtomicIsize,
    bottom: AtomicIsize,
    slots: [AtomicUsize; 20],
    buggy: bool,
}

impl Deque {
    fn new(buggy: bool) -> Deque {
        let slots = [0; 20].map(AtomicUsize::new);
        Deque { top: AtomicIsize::new(0), bottom: AtomicIsize::new(0), slots, buggy }
    }

    fn push(&self, value: usize) {
        let bottom = self.bottom.load(SeqCst);
        self.slots[bottom as usize].store(value, SeqCst);
        self.bottom.store(bottom + 1, SeqCst);
    }

    fn advance(&self, top: isize) -> bool {
        self.top.compare_exchange(top, top + 1, SeqCst, SeqCst).is_ok()
    }

    fn take(&self) -> Option<usize> {
        let bottom = self.bottom.load(SeqCst) - 1;
        self.bottom.store(bottom, SeqCst);
        let top = self.top.load(SeqCst);
        if bottom < top {
            self.bottom.store(top, SeqCst);
            return None;
        }
        let value = self.slots[bottom as usize].load(SeqCst);
        if bottom > top {
            return Some(value);
        }
        let mine = self.advance(top) || self.buggy;
        self.bottom.store(top + 1, SeqCst);
        mine.then_some(value)
    }

    fn steal(&self) -> Option<usize> {
        loop {
            let top = self.top.load(SeqCst);
            if self.bottom.load(SeqCst) <= top {
                return None;
            }
            let value = self.slots[top as usize].load(SeqCst);
            if self.advance(top) {
                return Some(value);
            }
        }
    }
}
