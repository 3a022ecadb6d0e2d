//! Programs whose reports are compared with snapshots: in a file of their own, so that line numbers stay.

use gordian::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use gordian::thread;
use std::sync::Arc;

/// Two threads that add one each, without holding on to what they read.
pub fn lost_update() {
    let count = Arc::new(AtomicUsize::new(0));
    let other = Arc::clone(&count);
    let thread = thread::spawn(move || {
        let seen = other.load(SeqCst);
        other.store(seen + 1, SeqCst);
    });
    let seen = count.load(SeqCst);
    count.store(seen + 1, SeqCst);
    thread.join().unwrap();
    assert_eq!(count.load(SeqCst), 2);
}
