//! Plain Rust whose threads meet in std. The first argument says how.

use std::cell::UnsafeCell;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::*};
use std::sync::{Arc, Barrier, Condvar, Mutex, OnceLock, RwLock, mpsc};
use std::thread;

/// A plain value that threads share, so that an order which std keeps and nobody saw would be a data race.
struct Plain(UnsafeCell<u32>);
unsafe impl Sync for Plain {}

impl Plain {
    fn add(&self) {
        unsafe { *self.0.get() += 1 }
    }
}

static READY: AtomicBool = AtomicBool::new(false);
static LOCK: Mutex<bool> = Mutex::new(false);
static CHANGED: Condvar = Condvar::new();
static PLAIN: Plain = Plain(UnsafeCell::new(0));

fn main() {
    match std::env::args().nth(1).as_deref() {
        Some("condvar") => {
            let waiter = thread::spawn(|| {
                let mut done = LOCK.lock().unwrap();
                while !*done {
                    done = CHANGED.wait(done).unwrap();
                }
                PLAIN.add();
            });
            let mut done = LOCK.lock().unwrap();
            PLAIN.add();
            *done = true;
            drop(done);
            CHANGED.notify_one();
            waiter.join().unwrap();
        }
        Some("lost") => {
            let waiter = thread::spawn(|| {
                let mut guard = LOCK.lock().unwrap();
                while !READY.load(SeqCst) {
                    guard = CHANGED.wait(guard).unwrap();
                }
            });
            READY.store(true, SeqCst);
            CHANGED.notify_one();
            waiter.join().unwrap();
        }
        Some("barrier") => {
            let barrier = Arc::new(Barrier::new(2));
            let theirs = Arc::clone(&barrier);
            let other = thread::spawn(move || {
                PLAIN.add();
                theirs.wait();
            });
            barrier.wait();
            PLAIN.add();
            other.join().unwrap();
        }
        Some("once") => {
            static CELL: OnceLock<String> = OnceLock::new();
            let get = || assert_eq!(CELL.get_or_init(|| "made".to_owned()), "made");
            let other = thread::spawn(get);
            get();
            other.join().unwrap();
        }
        Some("rwlock") => {
            let lock = Arc::new(RwLock::new(0));
            let theirs = Arc::clone(&lock);
            let other = thread::spawn(move || {
                *theirs.write().unwrap() += 1;
                assert!(*theirs.read().unwrap() >= 1);
            });
            assert!(*lock.read().unwrap() <= 1);
            *lock.write().unwrap() += 1;
            other.join().unwrap();
        }
        Some("channel") => {
            let (sender, receiver) = mpsc::channel();
            let other = thread::spawn(move || {
                PLAIN.add();
                sender.send(1).unwrap();
            });
            assert_eq!(receiver.recv(), Ok(1));
            PLAIN.add();
            other.join().unwrap();
        }
        Some("park") => {
            let main = thread::current();
            let other = thread::spawn(move || {
                PLAIN.add();
                READY.store(true, Relaxed);
                main.unpark();
            });
            while !READY.load(Relaxed) {
                thread::park();
            }
            other.join().unwrap();
            PLAIN.add();
        }
        Some("scope") => {
            let n = AtomicUsize::new(0);
            let mut plain = 0;
            thread::scope(|scope| {
                scope.spawn(|| {
                    plain += 1;
                    n.fetch_add(1, SeqCst);
                });
                scope.spawn(|| n.fetch_add(1, SeqCst));
            });
            assert_eq!((plain, n.load(SeqCst)), (1, 2));
        }
        Some("arc") => {
            let shared = Arc::new(Mutex::new(vec![0]));
            let theirs = Arc::clone(&shared);
            let other = thread::spawn(move || theirs.lock().unwrap().push(1));
            shared.lock().unwrap().push(2);
            drop(shared);
            other.join().unwrap();
        }
        Some("max") => {
            let most = AtomicUsize::new(0);
            thread::scope(|scope| {
                scope.spawn(|| most.fetch_max(1, SeqCst));
                scope.spawn(|| most.fetch_max(2, SeqCst));
            });
            assert_eq!(most.load(SeqCst), 2);
        }
        other => panic!("{other:?} is no case"),
    }
}
