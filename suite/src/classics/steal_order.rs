//! A work-stealing queue, after CHESS's WSQ (Musuvathi et al., OSDI 2008) and Cilk-5's protocol (Frigo, Leiserson, Randall, PLDI 1998). The owner
//! must claim the last item before it looks for thieves; here it looks first, and one who comes in between takes the same item.

use crate::Program;
use gordian::sync::Mutex;
use gordian::sync::atomic::{AtomicU32, AtomicUsize, Ordering::SeqCst};
use gordian::thread;

/// The bug.
pub const PROGRAM: Program = Program {
    name: "steal-order",
    source: "CHESS (OSDI 2008), WSQ; SCTBench, chess.WSQ",
    about: "the owner of a work-stealing queue looks for thieves before it claims an item, and both take it",
    threads: 2,
    body: steal_order,
    ..Program::USUAL
};

struct Deque {
    /// Thieves take from here, under the lock.
    head: AtomicUsize,
    /// The owner pushes and pops here.
    tail: AtomicUsize,
    lock: Mutex<()>,
    items: [AtomicUsize; 4],
}

impl Deque {
    fn push(&self, item: usize) {
        let tail = self.tail.load(SeqCst);
        self.items[tail].store(item, SeqCst);
        self.tail.store(tail + 1, SeqCst);
    }

    fn pop(&self, buggy: bool) -> Option<usize> {
        let tail = self.tail.load(SeqCst).checked_sub(1)?;
        let head;
        if buggy {
            head = self.head.load(SeqCst);
            self.tail.store(tail, SeqCst);
        } else {
            self.tail.store(tail, SeqCst);
            head = self.head.load(SeqCst);
        }
        if head > tail {
            // A thief may be at it: ask again when none can be.
            self.tail.store(tail + 1, SeqCst);
            let _guard = self.lock.lock().unwrap();
            if self.head.load(SeqCst) > tail {
                return None;
            }
            self.tail.store(tail, SeqCst);
        }
        Some(self.items[tail].load(SeqCst))
    }

    fn steal(&self) -> Option<usize> {
        let _guard = self.lock.lock().unwrap();
        let head = self.head.load(SeqCst);
        self.head.store(head + 1, SeqCst);
        if head + 1 > self.tail.load(SeqCst) {
            self.head.store(head, SeqCst);
            return None;
        }
        Some(self.items[head].load(SeqCst))
    }
}

fn steal_order(buggy: bool) {
    let deque = Deque {
        head: AtomicUsize::new(0),
        tail: AtomicUsize::new(0),
        lock: Mutex::new(()),
        items: [0; 4].map(AtomicUsize::new),
    };
    let taken = [0; 2].map(AtomicU32::new);
    let take = |item: usize| assert_eq!(taken[item].fetch_add(1, SeqCst), 0, "item {item} was taken twice");
    deque.push(0);
    deque.push(1);
    thread::scope(|s| {
        s.spawn(|| (0..2).filter_map(|_| deque.steal()).for_each(take));
        (0..2).filter_map(|_| deque.pop(buggy)).for_each(take);
    });
}
