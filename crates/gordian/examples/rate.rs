#![allow(unsafe_code, missing_docs)]
use gordian::sync::Mutex;
use gordian::sync::atomic::{AtomicUsize, Ordering::*};
use gordian::{Checker, thread};
use std::sync::Arc;
fn cpu() -> f64 {
    let mut t = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    unsafe { libc::clock_gettime(libc::CLOCK_PROCESS_CPUTIME_ID, &mut t) };
    t.tv_sec as f64 + t.tv_nsec as f64 * 1e-9
}
fn run(name: &str, f: impl Fn() + Send + Sync + Copy + 'static) {
    let which = std::env::args().nth(1).unwrap_or_default();
    for s in ["dfs", "exhaustive"] {
        if !which.is_empty() && which != format!("{name}{s}") {
            continue;
        }
        let c = Checker::new().search(s);
        let (mut n, mut steps, t) = (0, 0, cpu());
        while cpu() - t < 1.0 {
            for _ in 0..(if name == "c" && s == "exhaustive" { 200 } else { 1 }) {
                let r = c.run(f);
                n += r.executions();
                steps += r.steps();
            }
        }
        let t = cpu() - t;
        println!(
            "{name} {s:12} {:.0} executions/s, {:.1} ns/step, {:.1} steps",
            n as f64 / t,
            t * 1e9 / steps as f64,
            steps as f64 / n as f64
        );
    }
}
fn main() {
    run("a", || {
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
    });
    run("b", || {
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
    });
    run("c", || {
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
    });
}
