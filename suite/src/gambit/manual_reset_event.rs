//! ManualResetEventSlim, in the manner of GAMBIT's test: waiting costs a lock only if the event is not set, and setting only if somebody waits. One who is about to wait
//! has looked at the event but is not counted yet; the one who sets it sees nobody to wake.

use crate::{Program, Seconds};
use gordian::FailureKind;
use gordian::sync::atomic::{AtomicBool, AtomicUsize, Ordering::SeqCst};
use gordian::sync::{Condvar, Mutex};
use gordian::thread;

/// The bug.
pub const PROGRAM: Program = Program {
    name: "manual-reset-event",
    source: "GAMBIT (PPoPP 2010), tables 1 and 2: MRSE",
    about: "an event is set while a thread has looked at it and does not count as waiting yet",
    threads: 2,
    kind: FailureKind::Deadlock,
    seconds: Some(Seconds { depth_first: Some(61), chess: Some(108), best_first: 15 }),
    body: manual_reset_event,
    ..Program::USUAL
};

#[derive(Default)]
struct Event {
    set: AtomicBool,
    waiters: AtomicUsize,
    lock: Mutex<()>,
    changed: Condvar,
}

impl Event {
    fn set(&self) {
        self.set.store(true, SeqCst);
        if self.waiters.load(SeqCst) > 0 {
            let _guard = self.lock.lock().unwrap();
            self.changed.notify_all();
        }
    }

    fn wait(&self, buggy: bool) {
        if self.set.load(SeqCst) {
            return;
        }
        let mut guard = self.lock.lock().unwrap();
        if !buggy {
            self.waiters.fetch_add(1, SeqCst);
        }
        while !self.set.load(SeqCst) {
            if buggy {
                self.waiters.fetch_add(1, SeqCst);
            }
            guard = self.changed.wait(guard).unwrap();
        }
    }
}

fn manual_reset_event(buggy: bool) {
    let event = Event::default();
    thread::scope(|s| {
        s.spawn(|| event.set());
        event.wait(buggy);
    });
}
