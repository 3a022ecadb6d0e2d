//! The threads of Rust's std, unmodified. The first argument chooses a case.

use std::sync::{Arc, Condvar, Mutex, mpsc};
use std::thread;
use std::time::Duration;

fn main() {
    let which = std::env::args().nth(1).unwrap_or_default();
    match which.as_str() {
        "ab ba" => {
            let (a, b) = (Arc::new(Mutex::new(0)), Arc::new(Mutex::new(0)));
            let other = {
                let (a, b) = (Arc::clone(&a), Arc::clone(&b));
                thread::spawn(move || {
                    let _b = b.lock();
                    // Locking is not seen without hooks; that it sleeps is.
                    thread::sleep(Duration::from_millis(1));
                    let _a = a.lock();
                })
            };
            {
                let _a = a.lock();
                thread::sleep(Duration::from_millis(1));
                let _b = b.lock();
            }
            other.join().unwrap();
        }
        "no sender" => {
            let (sender, receiver) = mpsc::channel::<u8>();
            let other = thread::spawn(move || receiver.recv().is_ok());
            let _ = other.join();
            drop(sender);
        }
        "panic" => {
            let value = Arc::new(Mutex::new(0));
            let other = {
                let value = Arc::clone(&value);
                thread::spawn(move || {
                    thread::yield_now();
                    *value.lock().unwrap() = 1;
                })
            };
            thread::yield_now();
            assert_eq!(*value.lock().unwrap(), 0, "somebody was faster");
            other.join().unwrap();
        }
        "channel" => {
            let (sender, receiver) = mpsc::channel();
            let other = thread::spawn(move || (0..2).for_each(|i| sender.send(i).unwrap()));
            assert_eq!(receiver.iter().sum::<i32>(), 1);
            other.join().unwrap();
        }
        "park" => {
            let main = thread::current();
            let other = thread::spawn(move || main.unpark());
            thread::park();
            other.join().unwrap();
        }
        "condvar" => {
            let shared = Arc::new((Mutex::new(false), Condvar::new()));
            let other = {
                let shared = Arc::clone(&shared);
                thread::spawn(move || {
                    *shared.0.lock().unwrap() = true;
                    shared.1.notify_one();
                })
            };
            let mut ready = shared.0.lock().unwrap();
            while !*ready {
                ready = shared.1.wait(ready).unwrap();
            }
            drop(ready);
            other.join().unwrap();
        }
        "hash maps" => {
            // Their order is random; if it were another in every execution, so would be what the thread does.
            let map: std::collections::HashMap<u32, u32> = (0..16).map(|i| (i, i)).collect();
            let other = thread::spawn(thread::yield_now);
            map.values().take(4).filter(|v| **v % 2 == 0).for_each(|_| thread::yield_now());
            other.join().unwrap();
        }
        "scope" => {
            let mut n = [0, 0];
            thread::scope(|scope| n.iter_mut().for_each(|n| drop(scope.spawn(|| *n += 1))));
            assert_eq!(n, [1, 1]);
            thread::yield_now();
        }
        other => panic!("no case {other}"),
    }
}
