//! Barrier1, in the manner of GAMBIT's tests of .NET's barrier: the last to come carries out an action for the phase that is over, here to add up what each has contributed, before
//! anybody goes on. This one opens the barrier first, and the other still finds the sum of the phase before.

use crate::{Program, Seconds};
use gordian::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use gordian::thread;

/// The bug.
pub const PROGRAM: Program = Program {
    name: "barrier1",
    source: "GAMBIT (PPoPP 2010), tables 1 and 2: Barrier1",
    about: "a barrier opens before what is to be done between two phases is done",
    threads: 3,
    seconds: Some(Seconds { depth_first: None, chess: Some(2654), best_first: 1 }),
    proof: "preemptions:2",
    body: barrier1,
    ..Program::USUAL
};

struct Barrier {
    waiting: AtomicUsize,
    phase: AtomicUsize,
    buggy: bool,
}

impl Barrier {
    /// Waits for the other; the last to come carries out the action.
    fn wait(&self, action: impl FnOnce()) {
        let phase = self.phase.load(SeqCst);
        if self.waiting.fetch_add(1, SeqCst) == 0 {
            while self.phase.load(SeqCst) == phase {}
            return;
        }
        self.waiting.store(0, SeqCst);
        if self.buggy {
            self.phase.store(phase + 1, SeqCst);
            action();
        } else {
            action();
            self.phase.store(phase + 1, SeqCst);
        }
    }
}

fn barrier1(buggy: bool) {
    let barrier = Barrier { waiting: AtomicUsize::new(0), phase: AtomicUsize::new(0), buggy };
    let (parts, sum) = ([0; 2].map(AtomicUsize::new), AtomicUsize::new(0));
    let add_up = || sum.store(parts.iter().map(|part| part.load(SeqCst)).sum(), SeqCst);
    let work = |me: usize| {
        [1, 10].map(|part| {
            parts[me].store(part, SeqCst);
            barrier.wait(add_up);
            let seen = sum.load(SeqCst);
            // Nobody begins the next phase before all have seen the sum.
            barrier.wait(|| ());
            seen
        })
    };
    let seen = thread::scope(|s| {
        let workers = [s.spawn(|| work(0)), s.spawn(|| work(1))];
        workers.map(|worker| worker.join().unwrap())
    });
    assert_eq!(seen, [[2, 20]; 2], "a phase was left before its sum was known");
}
