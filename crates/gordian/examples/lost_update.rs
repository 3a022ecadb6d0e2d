//! The smallest bug: two threads add one, and one of the two gets lost. `cargo run --example lost_update`

use gordian::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use gordian::thread;
use std::sync::Arc;

fn main() {
    gordian::check(|| {
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
    });
}
