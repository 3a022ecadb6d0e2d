// Leaving a barrier says nothing about the next round: the leader clears the sum that another thread may not have read yet.
// expect: abnormal exit
use std::sync::Barrier;
use std::sync::atomic::{AtomicU32, Ordering::SeqCst};
use std::thread;

static SUM: AtomicU32 = AtomicU32::new(0);

fn main() {
    let barrier = Barrier::new(2);
    let work = || {
        SUM.fetch_add(1, SeqCst);
        let leads = barrier.wait().is_leader();
        assert_eq!(SUM.load(SeqCst), 2);
        if cfg!(fixed) {
            barrier.wait();
        }
        if leads {
            SUM.store(0, SeqCst);
        }
    };
    thread::scope(|s| {
        s.spawn(work);
        s.spawn(work);
    });
}
