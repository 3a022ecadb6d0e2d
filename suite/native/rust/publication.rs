// A value is published through a relaxed flag.
// expect: data race
use std::cell::UnsafeCell;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

struct Slot {
    there: AtomicBool,
    value: UnsafeCell<u64>,
}
// SAFETY: the value is written once, before `there` says so, and only read after.
unsafe impl Sync for Slot {}

static SLOT: Slot = Slot { there: AtomicBool::new(false), value: UnsafeCell::new(0) };
const PUBLISH: Ordering = if cfg!(fixed) { Ordering::Release } else { Ordering::Relaxed };
const LOOK: Ordering = if cfg!(fixed) { Ordering::Acquire } else { Ordering::Relaxed };

fn main() {
    let reader = thread::spawn(|| {
        if SLOT.there.load(LOOK) {
            // SAFETY: see above.
            assert_eq!(unsafe { *SLOT.value.get() }, 42);
        }
    });
    // SAFETY: see above.
    unsafe { *SLOT.value.get() = 42 };
    SLOT.there.store(true, PUBLISH);
    reader.join().unwrap();
}
