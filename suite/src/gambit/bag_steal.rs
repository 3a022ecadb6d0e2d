//! ConcurrentBag, in the manner of GAMBIT's ConcBag1: each thread has a list of its own, and takes from it without a lock as long as there is more than one item, since
//! thieves take from the other end. The owner counts before it takes, and a thief may have left it with the same item.

use crate::{Program, Seconds};
use gordian::sync::Mutex;
use gordian::sync::atomic::{AtomicU32, AtomicUsize, Ordering::SeqCst};
use gordian::thread;

/// The bug.
pub const PROGRAM: Program = Program {
    name: "bag-steal",
    source: "GAMBIT (PPoPP 2010), tables 1 and 2: ConcBag1",
    about: "owner and thief of a list take the same item",
    threads: 3,
    seconds: Some(Seconds { depth_first: Some(35), chess: Some(458), best_first: 1 }),
    body: bag_steal,
    ..Program::USUAL
};

const ITEMS: usize = 2;

/// Items from `first` up to `end` are there; they are their own numbers.
struct List {
    first: AtomicUsize,
    end: AtomicUsize,
    lock: Mutex<()>,
}

impl List {
    fn take(&self, buggy: bool) -> Option<usize> {
        let end = self.end.load(SeqCst);
        let guard = (!buggy || end - self.first.load(SeqCst) < 2).then(|| self.lock.lock().unwrap());
        if guard.is_some() && self.first.load(SeqCst) >= end {
            return None;
        }
        self.end.store(end - 1, SeqCst);
        Some(end - 1)
    }

    fn steal(&self) -> Option<usize> {
        let _guard = self.lock.lock().unwrap();
        let first = self.first.load(SeqCst);
        if first >= self.end.load(SeqCst) {
            return None;
        }
        self.first.store(first + 1, SeqCst);
        Some(first)
    }
}

fn bag_steal(buggy: bool) {
    let list = List { first: AtomicUsize::new(0), end: AtomicUsize::new(ITEMS), lock: Mutex::new(()) };
    let taken = [0; ITEMS].map(AtomicU32::new);
    let note = |item: usize| assert_eq!(taken[item].fetch_add(1, SeqCst), 0, "item {item} was taken twice");
    thread::scope(|s| {
        for _ in 0..2 {
            s.spawn(|| list.steal().into_iter().for_each(note));
        }
        list.take(buggy).into_iter().for_each(note);
    });
}
