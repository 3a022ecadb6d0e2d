//! Causality, in the manner of GAMBIT's test of the CCR: what messages cause is counted, and the sender waits until nothing is left. The count is changed in two
//! steps; when one of them is lost, it never becomes 0 again.

use crate::{Program, Seconds};
use gordian::FailureKind;
use gordian::sync::atomic::{AtomicI32, Ordering::SeqCst};
use gordian::thread;

/// The bug.
pub const PROGRAM: Program = Program {
    name: "causality",
    source: "GAMBIT (PPoPP 2010), tables 1 and 2: Causality",
    about: "a count of what is still to be done loses a change and never becomes 0",
    threads: 11,
    kind: FailureKind::Livelock,
    seconds: Some(Seconds { depth_first: None, chess: None, best_first: 735 }),
    proof: "pct:3",
    body: causality,
    ..Program::USUAL
};

fn change(count: &AtomicI32, by: i32, buggy: bool) {
    if buggy {
        let before = count.load(SeqCst);
        count.store(before + by, SeqCst);
    } else {
        count.fetch_add(by, SeqCst);
    }
}

const MESSAGES: usize = 5;

fn causality(buggy: bool) {
    // One for the sender itself.
    let pending = AtomicI32::new(1);
    let pending = &pending;
    thread::scope(|s| {
        for _ in 0..MESSAGES {
            change(pending, 1, buggy);
            s.spawn(move || {
                // What it causes is another message, handled by another thread.
                change(pending, 1, buggy);
                s.spawn(move || change(pending, -1, buggy));
                change(pending, -1, buggy);
            });
        }
        change(pending, -1, buggy);
        while pending.load(SeqCst) != 0 {}
    });
}
