#![allow(missing_docs)]
use gordian::sync::Mutex;
use gordian::sync::atomic::{AtomicUsize, Ordering::*};
use gordian::{Checker, thread};
use std::sync::Arc;
fn main() {
    let a: Vec<String> = std::env::args().collect();
    let n: u64 = a[3].parse().unwrap();
    let mut left = n;
    let mut steps = 0;
    while left > 0 {
        let c = Checker::new().search(a[2].as_str()).executions(left);
        let r = match a[1].as_str() {
            "a" => c.run(|| {
                let m = Arc::new(Mutex::new(0));
                let h: [_; 2] = std::array::from_fn(|_| {
                    let m = m.clone();
                    thread::spawn(move || {
                        for _ in 0..2 {
                            *m.lock().unwrap() += 1;
                        }
                    })
                });
                for h in h {
                    h.join().unwrap();
                }
            }),
            "b" => c.run(|| {
                let m = Arc::new(AtomicUsize::new(0));
                let h: [_; 3] = std::array::from_fn(|_| {
                    let m = m.clone();
                    thread::spawn(move || {
                        for _ in 0..2 {
                            m.fetch_add(1, SeqCst);
                        }
                    })
                });
                for h in h {
                    h.join().unwrap();
                }
            }),
            _ => c.run(|| {
                let h: [_; 3] = std::array::from_fn(|_| {
                    let m = AtomicUsize::new(0);
                    thread::spawn(move || {
                        for _ in 0..3 {
                            m.fetch_add(1, SeqCst);
                        }
                    })
                });
                for h in h {
                    h.join().unwrap();
                }
            }),
        };
        left -= r.executions();
        steps += r.steps();
    }
    eprintln!("{n} executions {steps} steps");
}
