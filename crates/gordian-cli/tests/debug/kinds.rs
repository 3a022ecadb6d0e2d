//! Failures of several kinds, which the tests of the debugger look at. Comments name lines that they look for.

use gordian::cell::UnsafeCell;
use gordian::sync::Mutex;
use gordian::sync::atomic::{AtomicBool, AtomicUsize, Ordering::SeqCst};
use gordian::thread;
use std::sync::Arc;

/// Adds one, wherever it was called from.
fn add(count: &AtomicUsize) {
    let seen = count.load(SeqCst); // add reads
    count.store(seen + 1, SeqCst); // add writes
}

#[gordian::test]
fn three_add() {
    let count = Arc::new(AtomicUsize::new(0));
    let spawn = |count: &Arc<AtomicUsize>| {
        let count = Arc::clone(count);
        thread::spawn(move || add(&count)) // in a thread
    };
    let threads = [spawn(&count), spawn(&count)];
    threads.map(|thread| thread.join().unwrap()); // main joins
    let sum = count.load(SeqCst);
    assert!(sum == 2, "{sum}"); // main panics
}

#[gordian::test]
fn deadlock() {
    let locks = Arc::new((Mutex::new(1), Mutex::new(2)));
    let other = Arc::clone(&locks);
    let thread = thread::spawn(move || {
        let first = other.1.lock().unwrap();
        let second = other.0.lock().unwrap(); // the other waits
        *first + *second
    });
    let first = locks.0.lock().unwrap();
    let second = locks.1.lock().unwrap(); // main waits
    let sum = *first + *second;
    drop((first, second));
    assert_eq!(thread.join().unwrap(), sum);
}

#[gordian::test]
fn livelock() {
    let ready = Arc::new(AtomicBool::new(false));
    let theirs = Arc::clone(&ready);
    let thread = thread::spawn(move || {
        while !theirs.load(SeqCst) {} // loops for ever
    });
    ready.store(false, SeqCst);
    thread.join().unwrap();
}

struct Shared(UnsafeCell<u32>);
// SAFETY: it is not; that is what the test is about.
unsafe impl Sync for Shared {}

#[gordian::test]
fn data_race() {
    let cell = Arc::new(Shared(UnsafeCell::new(0)));
    let other = Arc::clone(&cell);
    // SAFETY: there is none.
    let thread = thread::spawn(move || other.0.with_mut(|p| unsafe { *p += 1 }));
    // SAFETY: there is none.
    cell.0.with(|p| unsafe { *p }); // races
    thread.join().unwrap();
}

#[gordian::test]
fn late() {
    let count = Arc::new(AtomicUsize::new(0));
    let other = Arc::clone(&count);
    let thread = thread::spawn(move || {
        for _ in 0..2_000 {
            other.fetch_add(1, SeqCst); // many times
        }
    });
    thread.join().unwrap();
    assert!(count.load(SeqCst) < 2_000);
}
