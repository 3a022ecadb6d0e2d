//! A condition variable without a loop, after the documentation of `std::sync::Condvar::wait`. Between the notification and the moment at which the
//! woken thread has the lock again, another has taken what it was notified of.

use crate::Program;
use gordian::sync::{Condvar, Mutex};
use gordian::thread;

/// The bug.
pub const PROGRAM: Program = Program {
    name: "condvar-if",
    source: "std::sync::Condvar::wait",
    about: "a woken thread does not look again, and finds that another was faster",
    threads: 4,
    body: condvar_if,
    ..Program::USUAL
};

fn condvar_if(buggy: bool) {
    let (items, filled) = (Mutex::new(Vec::new()), Condvar::new());
    thread::scope(|s| {
        for _ in 0..2 {
            s.spawn(|| {
                let mut items = items.lock().unwrap();
                if buggy {
                    if items.is_empty() {
                        items = filled.wait(items).unwrap();
                    }
                } else {
                    while items.is_empty() {
                        items = filled.wait(items).unwrap();
                    }
                }
                items.pop().expect("there is an item after a notification")
            });
        }
        s.spawn(|| {
            for item in 0..2 {
                items.lock().unwrap().push(item);
                filled.notify_one();
            }
        });
    });
}
