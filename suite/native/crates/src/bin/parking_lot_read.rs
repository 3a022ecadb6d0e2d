// A reader that reads again while it holds the lock, with a writer waiting in between: parking_lot's locks are fair, so the writer goes first and nobody moves.
// expect: deadlock
use parking_lot::RwLock;
use std::thread;

static ENTRIES: RwLock<u32> = RwLock::new(0);

fn count() -> u32 {
    if cfg!(feature = "fixed") { *ENTRIES.read_recursive() } else { *ENTRIES.read() }
}

fn main() {
    let writer = thread::spawn(|| *ENTRIES.write() += 1);
    {
        let entries = ENTRIES.read();
        assert_eq!(*entries, count());
    }
    writer.join().unwrap();
}
