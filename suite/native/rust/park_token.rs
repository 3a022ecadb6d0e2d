// A thread parks once for each of two events. Both may come before it parks, and they leave one token.
// expect: deadlock
use std::sync::atomic::{AtomicU32, Ordering::SeqCst};
use std::thread;

static EVENTS: AtomicU32 = AtomicU32::new(0);

fn main() {
    let waiting = thread::current();
    thread::scope(|s| {
        for _ in 0..2 {
            s.spawn(|| {
                EVENTS.fetch_add(1, SeqCst);
                waiting.unpark();
            });
        }
        if cfg!(fixed) {
            while EVENTS.load(SeqCst) < 2 {
                thread::park();
            }
        } else {
            thread::park();
            thread::park();
        }
    });
}
