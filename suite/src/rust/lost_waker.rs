//! An async task with a lost waker, after the contract of `Future::poll`. The future looks at the flag and then leaves its waker; whoever sets the
//! flag in between finds no waker to wake, and the task sleeps for ever. To look once more after leaving the waker is the cure.

use crate::Program;
use gordian::FailureKind;
use gordian::future::block_on;
use gordian::sync::Mutex;
use gordian::sync::atomic::{AtomicBool, Ordering::SeqCst};
use gordian::thread;
use std::future::poll_fn;
use std::task::{Poll, Waker};

/// The bug.
pub const PROGRAM: Program = Program {
    name: "lost-waker",
    source: "std::future::Future::poll",
    about: "a task leaves its waker after the event that was to wake it",
    threads: 2,
    kind: FailureKind::Deadlock,
    body: lost_waker,
    ..Program::USUAL
};

fn lost_waker(buggy: bool) {
    let ready = AtomicBool::new(false);
    let waker: Mutex<Option<Waker>> = Mutex::new(None);
    thread::scope(|s| {
        s.spawn(|| {
            ready.store(true, SeqCst);
            if let Some(waker) = waker.lock().unwrap().take() {
                waker.wake();
            }
        });
        block_on(poll_fn(|context| {
            if ready.load(SeqCst) {
                return Poll::Ready(());
            }
            *waker.lock().unwrap() = Some(context.waker().clone());
            if !buggy && ready.load(SeqCst) { Poll::Ready(()) } else { Poll::Pending }
        }));
    });
}
