// A raw pointer to a boxed value goes to a thread; the box is dropped when the thread says that it has begun, not when it has ended.
// expect: use after free, data race
use std::sync::atomic::{AtomicU32, Ordering::SeqCst};
use std::sync::mpsc::channel;
use std::thread;

fn main() {
    let value = Box::new(AtomicU32::new(7));
    let address = &raw const *value as usize;
    let (begun, wait) = channel();
    let reader = thread::spawn(move || {
        begun.send(()).unwrap();
        // SAFETY: the box lives until this thread has ended, or so it was meant.
        unsafe { &*(address as *const AtomicU32) }.load(SeqCst)
    });
    wait.recv().unwrap();
    if cfg!(fixed) {
        assert_eq!(reader.join().unwrap(), 7);
        drop(value);
    } else {
        drop(value);
        assert_eq!(reader.join().unwrap(), 7);
    }
}
