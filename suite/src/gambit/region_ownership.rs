//! RegOwn, in the manner of GAMBIT's test of a library that separates the heap into regions with one owner each: a producer and a consumer share a region, and whoever owns it
//! uses it without further ado. A region that is free is claimed by leaving one's name in it and looking whether it is still there (Fischer's
//! protocol, in Lamport, "A fast mutual exclusion algorithm", TOCS 1987, without the delay that makes it right). One who saw it free long ago claims it a second time.

use crate::{Program, Seconds};
use gordian::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use gordian::thread;

/// The bug.
pub const PROGRAM: Program = Program {
    name: "region-ownership",
    source: "GAMBIT (PPoPP 2010), tables 1 and 2: RegOwn",
    about: "a region is claimed by one who saw it free before another claimed it, and has two owners",
    threads: 3,
    seconds: Some(Seconds { depth_first: None, chess: None, best_first: 52 }),
    proof: "preemptions:3",
    body: region_ownership,
    ..Program::USUAL
};

const FREE: usize = 0;
const PRODUCER: usize = 1;
const CONSUMER: usize = 2;
const ITEMS: usize = 2;

#[derive(Default)]
struct Region {
    owner: AtomicUsize,
    /// How many items are in it. Only the owner uses this, so it may read and write in two steps.
    items: AtomicUsize,
}

impl Region {
    fn own(&self, me: usize, buggy: bool) {
        loop {
            while self.owner.load(SeqCst) != FREE {}
            if !buggy {
                if self.owner.compare_exchange(FREE, me, SeqCst, SeqCst).is_ok() {
                    return;
                }
                continue;
            }
            self.owner.store(me, SeqCst);
            if self.owner.load(SeqCst) == me {
                return;
            }
        }
    }

    /// Changes the number of items, if there are enough.
    fn change(&self, me: usize, by: isize, buggy: bool) -> bool {
        self.own(me, buggy);
        let after = self.items.load(SeqCst).checked_add_signed(by);
        if let Some(items) = after {
            self.items.store(items, SeqCst);
        }
        self.owner.store(FREE, SeqCst);
        after.is_some()
    }
}

fn region_ownership(buggy: bool) {
    let region = Region::default();
    let taken = thread::scope(|s| {
        s.spawn(|| {
            for _ in 0..ITEMS {
                region.change(PRODUCER, 1, buggy);
            }
        });
        let consumer = s.spawn(|| (0..ITEMS).filter(|_| region.change(CONSUMER, -1, buggy)).count());
        consumer.join().unwrap()
    });
    assert_eq!(taken + region.items.load(SeqCst), ITEMS, "an item was lost, or taken twice");
}
