//! Manager, after ConTest's: two threads want a block and one is left; three others watch how many there are. Each looks whether there is one and
//! then takes it, with room for another in between.

use crate::Program;
use gordian::sync::atomic::{AtomicI32, Ordering::SeqCst};
use gordian::thread;

/// The bug.
pub const PROGRAM: Program = Program {
    name: "manager",
    source: "RankChecker (ISSTA 2013), table 1: Manager",
    about: "two threads take the last free block",
    threads: 6,
    published: Some((1, 1, 2)),
    schedules: Some(33),
    proof: "preemptions:1",
    body: manager,
    ..Program::USUAL
};

fn take(free: &AtomicI32, buggy: bool) -> Option<i32> {
    if buggy {
        (free.load(SeqCst) > 0).then(|| free.fetch_sub(1, SeqCst))
    } else {
        free.fetch_update(SeqCst, SeqCst, |free| (free > 0).then(|| free - 1)).ok()
    }
}

fn manager(buggy: bool) {
    let free = AtomicI32::new(1);
    thread::scope(|s| {
        for _ in 0..2 {
            s.spawn(|| {
                if let Some(before) = take(&free, buggy) {
                    assert!(before > 0, "there was no block left");
                }
            });
        }
        for _ in 0..3 {
            s.spawn(|| assert!(free.load(SeqCst) <= 1));
        }
    });
}
