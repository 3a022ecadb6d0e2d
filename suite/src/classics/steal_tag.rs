//! A work-stealing queue whose `top` carries a tag, after the interlocked variant with state of CHESS's WSQ and Arora, Blumofe, Plaxton
//! (SPAA 1998). When the owner empties the queue it begins at the bottom again and must raise the tag; here it does not, so a thief that
//! was about to take the old item at the bottom does so although there is a new one.

use crate::Program;
use gordian::sync::atomic::{AtomicU32, AtomicUsize, Ordering::SeqCst};
use gordian::thread;

/// The bug.
pub const PROGRAM: Program = Program {
    name: "steal-tag",
    source: "CHESS (OSDI 2008), WSQ; SCTBench, chess.IWSQWS",
    about: "a thief does not notice that a work-stealing queue was emptied and filled again",
    threads: 2,
    body: steal_tag,
    ..Program::USUAL
};

/// A tag and the index of the topmost item, in one word.
const fn age(tag: usize, top: usize) -> usize {
    tag << 8 | top
}

struct Deque {
    age: AtomicUsize,
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
        let bottom = self.bottom.load(SeqCst).checked_sub(1)?;
        self.bottom.store(bottom, SeqCst);
        let item = self.items[bottom].load(SeqCst);
        let old = self.age.load(SeqCst);
        let (tag, top) = (old >> 8, old & 0xff);
        if bottom > top {
            return Some(item);
        }
        // The last item, or not even that: begin at the bottom again.
        self.bottom.store(0, SeqCst);
        let new = age(if buggy { tag } else { tag + 1 }, 0);
        if bottom == top && self.age.compare_exchange(old, new, SeqCst, SeqCst).is_ok() {
            return Some(item);
        }
        self.age.store(new, SeqCst);
        None
    }

    fn steal(&self) -> Option<usize> {
        let old = self.age.load(SeqCst);
        let (tag, top) = (old >> 8, old & 0xff);
        if self.bottom.load(SeqCst) <= top {
            return None;
        }
        let item = self.items[top].load(SeqCst);
        self.age.compare_exchange(old, age(tag, top + 1), SeqCst, SeqCst).is_ok().then_some(item)
    }
}

fn steal_tag(buggy: bool) {
    let deque = Deque {
        age: AtomicUsize::new(age(0, 0)),
        bottom: AtomicUsize::new(0),
        items: [0; 4].map(AtomicUsize::new),
    };
    let taken = [0; 3].map(AtomicU32::new);
    let take = |item: usize| assert_eq!(taken[item].fetch_add(1, SeqCst), 0, "item {item} was taken twice");
    thread::scope(|s| {
        s.spawn(|| deque.steal().into_iter().for_each(take));
        for item in 0..3 {
            deque.push(item);
            deque.pop(buggy).into_iter().for_each(take);
        }
    });
}
