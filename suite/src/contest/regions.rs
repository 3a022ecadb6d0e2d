//! A program in the manner of RegionOwnership: a region of the heap has one owner at a time, and the two threads agree by flags on who that is (Hyman, "Comments on a problem
//! in concurrent programming control", CACM 1966, whose answer was wrong). Both may own it if one is preempted just before it takes its turn; and as
//! each leaves the region as it found it, the other has to be looking at the right moment: three preemptions at two variables. So many are needed by the paper's section 6.1 and
//! were allowed in its table 3; its table 1 says two, with five threads. Another program after the same library is `gambit::region_ownership`, which needs two.

use crate::Program;
use gordian::sync::atomic::{AtomicBool, AtomicUsize, Ordering::SeqCst};
use gordian::thread;

/// The bug.
pub const PROGRAM: Program = Program {
    name: "regions",
    source: "RankChecker (ISSTA 2013), tables 1 and 3: RegionOwnership; Hyman (CACM 1966)",
    about: "two threads own the same region, and one sees what the other has changed for a moment",
    threads: 3,
    // Section 6.1 and table 3; (2, 2, 2) in table 1.
    published: Some((3, 2, 2)),
    schedules: Some(47_248),
    body: regions,
    ..Program::USUAL
};

#[derive(Default)]
struct Region {
    wants: [AtomicBool; 2],
    turn: AtomicUsize,
    value: AtomicUsize,
}

impl Region {
    fn enter(&self, me: usize, buggy: bool) {
        let other = 1 - me;
        self.wants[me].store(true, SeqCst);
        if !buggy {
            // Peterson's: give way first.
            self.turn.store(other, SeqCst);
            while self.wants[other].load(SeqCst) && self.turn.load(SeqCst) == other {}
            return;
        }
        while self.turn.load(SeqCst) != me {
            while self.wants[other].load(SeqCst) {}
            self.turn.store(me, SeqCst);
        }
    }

    fn leave(&self, me: usize) {
        self.wants[me].store(false, SeqCst);
    }
}

fn regions(buggy: bool) {
    let region = Region::default();
    thread::scope(|s| {
        s.spawn(|| {
            region.enter(1, buggy);
            region.value.fetch_add(1, SeqCst);
            region.value.fetch_sub(1, SeqCst);
            region.leave(1);
        });
        s.spawn(|| {
            region.enter(0, buggy);
            let seen = [(); 2].map(|()| region.value.load(SeqCst));
            assert_eq!(seen[0], seen[1], "the region has another owner");
            region.leave(0);
        });
    });
}
