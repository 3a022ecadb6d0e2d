// Whoever sees that it holds the only reference writes. Asking for the count orders nothing, and another may be about to clone.
// expect: data race
use std::cell::UnsafeCell;
use std::sync::Arc;
use std::thread;

struct Shared(UnsafeCell<u32>);
// Written to only by who holds the only reference, or so it was meant.
unsafe impl Sync for Shared {}
unsafe impl Send for Shared {}

fn main() {
    let mut here = Arc::new(Shared(UnsafeCell::new(1)));
    let there = Arc::clone(&here);
    let reader = thread::spawn(move || {
        // SAFETY: nobody writes while there are two references.
        let seen = unsafe { *there.0.get() };
        drop(there);
        seen
    });
    if cfg!(fixed) {
        if let Some(only) = Arc::get_mut(&mut here) {
            *only.0.get_mut() = 2;
        }
    } else if Arc::strong_count(&here) == 1 {
        // SAFETY: none: strong_count is a relaxed load, and the reader's access is not ordered before this.
        unsafe { *here.0.get() = 2 };
    }
    assert_eq!(reader.join().unwrap(), 1);
}
