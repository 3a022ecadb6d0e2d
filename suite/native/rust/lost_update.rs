// A counter of atomics, added to by a load and a store.
// expect: abnormal exit
use std::sync::atomic::{AtomicU32, Ordering::SeqCst};
use std::thread;

static DONE: AtomicU32 = AtomicU32::new(0);

fn work() {
    if cfg!(fixed) {
        DONE.fetch_add(1, SeqCst);
    } else {
        DONE.store(DONE.load(SeqCst) + 1, SeqCst);
    }
}

fn main() {
    thread::scope(|s| {
        s.spawn(work);
        s.spawn(work);
    });
    assert_eq!(DONE.load(SeqCst), 2);
}
