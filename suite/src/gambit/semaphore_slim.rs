//! SemaphoreSlim, in the manner of GAMBIT's test: a permit is taken without a lock if there seems to be one. Two threads see the last, and both take it.

use crate::{Program, Seconds};
use gordian::sync::atomic::{AtomicI32, Ordering::SeqCst};
use gordian::thread;

/// The bug.
pub const PROGRAM: Program = Program {
    name: "semaphore-slim",
    source: "GAMBIT (PPoPP 2010), tables 1 and 2: SemaphoreSlim",
    about: "two threads take the last permit of a semaphore",
    threads: 3,
    seconds: Some(Seconds { depth_first: Some(2), chess: Some(146), best_first: 1 }),
    body: semaphore_slim,
    ..Program::USUAL
};

fn try_acquire(permits: &AtomicI32, buggy: bool) -> bool {
    let seen = permits.load(SeqCst);
    if seen == 0 {
        return false;
    }
    if buggy {
        permits.fetch_sub(1, SeqCst);
        return true;
    }
    permits.compare_exchange(seen, seen - 1, SeqCst, SeqCst).is_ok()
}

fn semaphore_slim(buggy: bool) {
    let (permits, inside) = (AtomicI32::new(1), AtomicI32::new(0));
    let work = || {
        if try_acquire(&permits, buggy) {
            assert_eq!(inside.fetch_add(1, SeqCst), 0, "more are inside than there are permits");
            inside.fetch_sub(1, SeqCst);
            permits.fetch_add(1, SeqCst);
        }
    };
    thread::scope(|s| {
        s.spawn(work);
        s.spawn(work);
    });
}
