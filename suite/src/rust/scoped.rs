//! Scoped threads that share a number by borrowing. The borrow checker proves that nobody outlives it, and not that a load and a store belong together.

use crate::Program;
use gordian::sync::atomic::{AtomicU32, Ordering::SeqCst};
use gordian::thread;

/// The bug.
pub const PROGRAM: Program = Program {
    name: "scoped",
    source: "std::thread::scope",
    about: "the larger of two values is overwritten by the smaller",
    threads: 4,
    body: scoped,
    ..Program::USUAL
};

fn scoped(buggy: bool) {
    let (values, most) = ([3, 9, 5], AtomicU32::new(0));
    let most_of = &most;
    thread::scope(|s| {
        for value in &values {
            s.spawn(move || {
                if !buggy {
                    most_of.fetch_max(*value, SeqCst);
                } else if most_of.load(SeqCst) < *value {
                    most_of.store(*value, SeqCst);
                }
            });
        }
    });
    assert_eq!(most.load(SeqCst), 9, "the largest value was lost");
}
