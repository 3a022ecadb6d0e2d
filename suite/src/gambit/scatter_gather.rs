//! Scatter-gather, in the manner of GAMBIT's test of the CCR: work is scattered over threads, and the last to be done tells the gatherer. How many there are is said
//! only after all have been started; if they are done by then, none of them knows that it was the last.

use crate::{Program, Seconds};
use gordian::FailureKind;
use gordian::sync::atomic::{AtomicBool, AtomicUsize, Ordering::SeqCst};
use gordian::thread;

/// The bug.
pub const PROGRAM: Program = Program {
    name: "scatter-gather",
    source: "GAMBIT (PPoPP 2010), tables 1 and 2: ScatterGather",
    about: "all parts are done before it is said how many there are",
    threads: 9,
    kind: FailureKind::Livelock,
    seconds: Some(Seconds { depth_first: Some(784), chess: Some(1484), best_first: 33 }),
    proof: "pct:3",
    body: scatter_gather,
    ..Program::USUAL
};

const PARTS: usize = 8;

fn scatter_gather(buggy: bool) {
    let (done, gathered) = (AtomicUsize::new(0), AtomicBool::new(false));
    let expected = AtomicUsize::new(if buggy { usize::MAX } else { PARTS });
    thread::scope(|s| {
        for _ in 0..PARTS {
            s.spawn(|| {
                let done = done.fetch_add(1, SeqCst) + 1;
                if done == expected.load(SeqCst) {
                    gathered.store(true, SeqCst);
                }
            });
        }
        expected.store(PARTS, SeqCst);
        while !gathered.load(SeqCst) {}
    });
}
