//! A bounded buffer with one condition variable for both sides, after Lea's and ConTest's. `notify_one` may wake a thread of the same side, which
//! waits again; the other side has missed its only notification, and all wait.

use crate::Program;
use gordian::FailureKind;
use gordian::sync::{Condvar, Mutex};
use gordian::thread;

/// The bug.
pub const PROGRAM: Program = Program {
    name: "bounded-buffer",
    source: "Lea, Concurrent Programming in Java, 3.2; SCTBench, misc.boundedbuffer",
    about: "a notification wakes a thread that has no use for it, and is lost to the one that has",
    threads: 5,
    kind: FailureKind::Deadlock,
    proof: "preemptions:1",
    body: bounded_buffer,
    ..Program::USUAL
};

struct Buffer {
    full: Mutex<bool>,
    changed: Condvar,
    buggy: bool,
}

impl Buffer {
    /// Waits until the buffer is not as it is to become.
    fn set(&self, full: bool) {
        let mut state = self.full.lock().unwrap();
        while *state == full {
            state = self.changed.wait(state).unwrap();
        }
        *state = full;
        if self.buggy {
            self.changed.notify_one();
        } else {
            self.changed.notify_all();
        }
    }
}

fn bounded_buffer(buggy: bool) {
    let buffer = Buffer { full: Mutex::new(false), changed: Condvar::new(), buggy };
    let buffer = &buffer;
    thread::scope(|s| {
        for producer in [true, true, false, false] {
            s.spawn(move || buffer.set(producer));
        }
    });
}
