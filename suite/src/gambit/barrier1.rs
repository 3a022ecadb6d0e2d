//! Barrier1, in the manner of GAMBIT's tests of .NET's barrier: a barrier that is used again. The last to come opens it and then sets the count back; a thread that comes
//! back in between finds the count of the phase that is over, and goes through the next one alone. That is noticed
//! at once, as in GAMBIT's test; but as the other then waits for it for ever, what is reported is that.

use crate::Program;
use gordian::FailureKind;
use gordian::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use gordian::thread;

/// The bug.
pub const PROGRAM: Program = Program {
    name: "barrier1",
    source: "GAMBIT (PPoPP 2010), tables 1 and 2: Barrier1",
    about: "a barrier lets a thread into the next phase before the other has left the last",
    threads: 2,
    kind: FailureKind::Livelock,
    body: barrier1,
    ..Program::USUAL
};

struct Barrier {
    waiting: AtomicUsize,
    phase: AtomicUsize,
    buggy: bool,
}

impl Barrier {
    fn wait(&self) {
        let phase = self.phase.load(SeqCst);
        if self.waiting.fetch_add(1, SeqCst) >= 1 {
            if self.buggy {
                // Open before the count is set back: who is fast enough takes itself for the last of the next phase.
                self.phase.store(phase + 1, SeqCst);
                self.waiting.store(0, SeqCst);
            } else {
                self.waiting.store(0, SeqCst);
                self.phase.store(phase + 1, SeqCst);
            }
            return;
        }
        while self.phase.load(SeqCst) == phase {}
    }
}

fn barrier1(buggy: bool) {
    let barrier = Barrier { waiting: AtomicUsize::new(0), phase: AtomicUsize::new(0), buggy };
    let reached = [0; 2].map(AtomicUsize::new);
    let work = |me: usize| {
        for phase in 1..=2 {
            reached[me].store(phase, SeqCst);
            barrier.wait();
            assert!(reached[1 - me].load(SeqCst) >= phase, "the other has not come so far");
        }
    };
    thread::scope(|s| {
        s.spawn(|| work(1));
        work(0);
    });
}
