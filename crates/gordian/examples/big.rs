#![allow(missing_docs)]
use gordian::sync::atomic::{AtomicUsize, Ordering::*};
use gordian::{Checker, thread};
use std::sync::Arc;
fn rss() -> String {
    std::fs::read_to_string("/proc/self/status")
        .unwrap()
        .lines()
        .find(|l| l.starts_with("VmHWM"))
        .unwrap()
        .to_owned()
}
fn main() {
    let r = Checker::new().run(|| {
        let m = Arc::new(AtomicUsize::new(0));
        let n = m.clone();
        let mut h = vec![thread::spawn(move || n.store(42, SeqCst))];
        h.extend((0..16).map(|_| {
            let m = m.clone();
            thread::spawn(move || {
                m.load(SeqCst);
            })
        }));
        for h in h {
            h.join().unwrap();
        }
    });
    println!("readers16 {r} {}", rss());
    let r = Checker::new().run(|| {
        let x = Arc::new(AtomicUsize::new(0));
        let y = Arc::new(AtomicUsize::new(0));
        let z = Arc::new(AtomicUsize::new(0));
        let w = Arc::new(AtomicUsize::new(0));
        let v = [x, y, z, w];
        let l = |v: [Arc<AtomicUsize>; 4], ix: &'static [usize]| {
            thread::spawn(move || {
                for &i in ix {
                    v[i].load(SeqCst);
                }
            })
        };
        let s = |v: [Arc<AtomicUsize>; 4], ix: &'static [(usize, usize)]| {
            thread::spawn(move || {
                for &(i, k) in ix {
                    v[i].store(k, SeqCst);
                }
            })
        };
        let h = [
            l(v.clone(), &[0, 1, 2, 3, 0, 1, 2]),
            l(v.clone(), &[0, 1, 2]),
            s(v.clone(), &[(0, 1), (1, 1), (0, 2), (1, 2), (0, 3), (1, 3)]),
            s(v.clone(), &[(2, 1), (3, 1), (2, 2), (3, 2), (2, 3), (3, 3)]),
        ];
        for h in h {
            h.join().unwrap();
        }
    });
    println!("big0 {r} {}", rss());
}
