// A reader reads again further down while it holds the lock. A writer that waits in between goes first, and nobody moves.
// expect: deadlock
use std::sync::RwLock;
use std::thread;

static ENTRIES: RwLock<Vec<u32>> = RwLock::new(Vec::new());

fn count() -> usize {
    ENTRIES.read().unwrap().len()
}

fn main() {
    let writer = thread::spawn(|| ENTRIES.write().unwrap().push(1));
    if cfg!(fixed) {
        let n = count();
        assert!(ENTRIES.read().unwrap().len() >= n);
    } else {
        let entries = ENTRIES.read().unwrap();
        assert_eq!(entries.len(), count());
    }
    writer.join().unwrap();
}
