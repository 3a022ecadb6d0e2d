//! A sequence lock with a torn read, after Boehm, "Can seqlocks get along with programming language memory models?" (MSPC 2012). A reader has to see the
//! same even number before and after; here it only looks whether it is even, and so misses a whole change in between.

use crate::Program;
use gordian::sync::atomic::{AtomicU32, Ordering::SeqCst};
use gordian::thread;

/// The bug.
pub const PROGRAM: Program = Program {
    name: "seqlock",
    source: "Boehm (MSPC 2012)",
    about: "a reader takes one half before a change and the other after it",
    threads: 2,
    body: seqlock,
    ..Program::USUAL
};

#[derive(Default)]
struct Seqlock {
    number: AtomicU32,
    halves: [AtomicU32; 2],
}

impl Seqlock {
    fn write(&self, value: u32) {
        self.number.fetch_add(1, SeqCst);
        self.halves.iter().for_each(|half| half.store(value, SeqCst));
        self.number.fetch_add(1, SeqCst);
    }

    fn read(&self, buggy: bool) -> Option<[u32; 2]> {
        let before = self.number.load(SeqCst);
        let halves = [0, 1].map(|i: usize| self.halves[i].load(SeqCst));
        let after = self.number.load(SeqCst);
        let clean = after.is_multiple_of(2) && before.is_multiple_of(2) && (buggy || before == after);
        clean.then_some(halves)
    }
}

fn seqlock(buggy: bool) {
    let lock = Seqlock::default();
    thread::scope(|s| {
        s.spawn(|| lock.write(1));
        if let Some([left, right]) = lock.read(buggy) {
            assert_eq!(left, right, "the read is torn");
        }
    });
}
