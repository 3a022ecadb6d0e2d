// A condition variable is notified before the flag that its waiter looks at is set.
// expect: deadlock
use parking_lot::{Condvar, Mutex};
use std::thread;

static READY: Mutex<bool> = Mutex::new(false);
static CHANGED: Condvar = Condvar::new();

fn main() {
    let waiter = thread::spawn(|| {
        let mut ready = READY.lock();
        while !*ready {
            CHANGED.wait(&mut ready);
        }
    });
    if cfg!(feature = "fixed") {
        *READY.lock() = true;
        CHANGED.notify_one();
    } else {
        CHANGED.notify_one();
        *READY.lock() = true;
    }
    waiter.join().unwrap();
}
