//! `OnceLock` initialised from two cells that ask each other, which its documentation calls a deadlock when it is re-entrant. Here two threads begin at
//! opposite ends: each initialises one cell and waits for the other.

use crate::Program;
use gordian::FailureKind;
use gordian::sync::OnceLock;
use gordian::thread;

/// The bug.
pub const PROGRAM: Program = Program {
    name: "once-again",
    source: "std::sync::OnceLock::get_or_init",
    about: "two cells wait for each other to be initialised",
    threads: 3,
    kind: FailureKind::Deadlock,
    body: once_again,
    ..Program::USUAL
};

fn once_again(buggy: bool) {
    let (width, area) = (OnceLock::new(), OnceLock::new());
    thread::scope(|s| {
        // A side is taken from the area where that is known, and the area is made from the sides.
        s.spawn(|| {
            *width.get_or_init(|| if buggy && area.get().is_none() { *area.get_or_init(|| 9) / 3 } else { 3 })
        });
        s.spawn(|| *area.get_or_init(|| *width.get_or_init(|| 3) * 3));
    });
}
