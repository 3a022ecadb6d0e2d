// The flag is set outside of the lock, between the waiter's look and its wait, and so is the notification.
// expect: deadlock
use std::sync::atomic::{AtomicBool, Ordering::SeqCst};
use std::sync::{Condvar, Mutex};
use std::thread;

static READY: AtomicBool = AtomicBool::new(false);
static LOCK: Mutex<()> = Mutex::new(());
static CHANGED: Condvar = Condvar::new();

fn main() {
    let waiter = thread::spawn(|| {
        let mut guard = LOCK.lock().unwrap();
        while !READY.load(SeqCst) {
            guard = CHANGED.wait(guard).unwrap();
        }
    });
    if cfg!(fixed) {
        let _guard = LOCK.lock().unwrap();
        READY.store(true, SeqCst);
    } else {
        READY.store(true, SeqCst);
    }
    CHANGED.notify_one();
    waiter.join().unwrap();
}
