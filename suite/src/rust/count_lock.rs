//! `Arc::strong_count` as a lock, which its documentation warns of. Who sees a count of one thinks to be alone, and so does another who clones and looks
//! at the same time; here two see that nobody else is at it.

use crate::Program;
use gordian::sync::Arc;
use gordian::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use gordian::thread;

/// The bug.
pub const PROGRAM: Program = Program {
    name: "count-lock",
    source: "std::sync::Arc::strong_count",
    about: "two threads conclude from a reference count that they are alone",
    threads: 3,
    body: count_lock,
    ..Program::USUAL
};

fn count_lock(buggy: bool) {
    let token = Arc::new(());
    let (claimed, inside) = (AtomicUsize::new(0), AtomicUsize::new(0));
    let critical = || {
        assert_eq!(inside.fetch_add(1, SeqCst), 0, "two are inside");
        inside.fetch_sub(1, SeqCst);
    };
    let (token, claimed, critical) = (&token, &claimed, &critical);
    thread::scope(|s| {
        for _ in 0..2 {
            s.spawn(move || {
                if buggy {
                    if Arc::strong_count(token) == 1 {
                        let _held = Arc::clone(token);
                        critical();
                    }
                } else if claimed.swap(1, SeqCst) == 0 {
                    critical();
                    claimed.store(0, SeqCst);
                }
            });
        }
    });
}
