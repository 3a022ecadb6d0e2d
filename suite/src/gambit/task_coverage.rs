//! TaskCoverage, in the manner of GAMBIT's test of the CCR: a task is cancelled while it comes to its end. That it is done is overwritten by one who looked before, and
//! whoever waits for the end waits for ever.

use crate::{Program, Seconds};
use gordian::FailureKind;
use gordian::sync::atomic::{AtomicU8, Ordering::SeqCst};
use gordian::thread;

/// The bug.
pub const PROGRAM: Program = Program {
    name: "task-coverage",
    source: "GAMBIT (PPoPP 2010), tables 1 and 2: TaskCoverage",
    about: "a task that is done is marked as cancelled by one who looked before",
    threads: 3,
    kind: FailureKind::Livelock,
    seconds: Some(Seconds { depth_first: Some(1059), chess: None, best_first: 35 }),
    body: task_coverage,
    ..Program::USUAL
};

const RUNNING: u8 = 0;
const CANCELLED: u8 = 1;
const DONE: u8 = 2;

fn cancel(state: &AtomicU8, buggy: bool) {
    if !buggy {
        let _ = state.compare_exchange(RUNNING, CANCELLED, SeqCst, SeqCst);
    } else if state.load(SeqCst) == RUNNING {
        state.store(CANCELLED, SeqCst);
    }
}

fn task_coverage(buggy: bool) {
    let state = AtomicU8::new(RUNNING);
    thread::scope(|s| {
        // A task comes to its end, cancelled or not.
        s.spawn(|| state.store(DONE, SeqCst));
        s.spawn(|| cancel(&state, buggy));
        while state.load(SeqCst) != DONE {}
    });
}
