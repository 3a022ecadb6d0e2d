//! A park token lost, after the documentation of `std::thread::park`. A thread parks once for each of two events, but there is only one token: if both come before
//! it parks, the second call has none left and never returns.

use crate::Program;
use gordian::FailureKind;
use gordian::sync::atomic::{AtomicU32, Ordering::SeqCst};
use gordian::thread;

/// The bug.
pub const PROGRAM: Program = Program {
    name: "park-token",
    source: "std::thread::park",
    about: "two events leave one token, and the thread that waits for both parks twice",
    threads: 3,
    kind: FailureKind::Deadlock,
    body: park_token,
    ..Program::USUAL
};

fn park_token(buggy: bool) {
    let events = AtomicU32::new(0);
    let waiting = thread::current();
    thread::scope(|s| {
        for _ in 0..2 {
            s.spawn(|| {
                events.fetch_add(1, SeqCst);
                waiting.unpark();
            });
        }
        if buggy {
            thread::park();
            thread::park();
        } else {
            while events.load(SeqCst) < 2 {
                thread::park();
            }
        }
    });
}
