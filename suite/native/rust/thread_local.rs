// A thread's share is added when its thread-local value is dropped. A scope ends when the closures have, not when the threads have.
// expect: abnormal exit
use std::cell::Cell;
use std::sync::atomic::{AtomicU32, Ordering::SeqCst};
use std::thread;

static SUM: AtomicU32 = AtomicU32::new(0);

struct Share(Cell<u32>);

impl Drop for Share {
    fn drop(&mut self) {
        SUM.fetch_add(self.0.get(), SeqCst);
    }
}

thread_local!(static SHARE: Share = const { Share(Cell::new(0)) });

fn main() {
    let work = || SHARE.with(|share| share.0.set(5));
    if cfg!(fixed) {
        thread::spawn(work).join().unwrap();
    } else {
        thread::scope(|s| {
            s.spawn(work);
        });
    }
    assert_eq!(SUM.load(SeqCst), 5);
}
