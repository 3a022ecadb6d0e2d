use gordian::sync::atomic::{AtomicUsize, Ordering::*};
use gordian::sync::Mutex;
use gordian::{Checker, thread};
use std::sync::Arc;
fn run(name: &str, f: impl Fn() + Send + Sync + Copy + 'static) {
    for s in ["exhaustive", "dfs:sleep", "dfs"] {
        let t = std::time::Instant::now();
        let r = Checker::new().search(s).run(f);
        println!("{name:10} {s:12} {r}  [{:?}]", t.elapsed());
    }
}
fn main() {
    run("a", || {
        let m = Arc::new(Mutex::new(0));
        let h: Vec<_> = (0..2).map(|_| { let m = m.clone(); thread::spawn(move || for _ in 0..2 { *m.lock().unwrap() += 1; }) }).collect();
        for h in h { h.join().unwrap(); }
    });
    run("b", || {
        let m = Arc::new(AtomicUsize::new(0));
        let h: Vec<_> = (0..3).map(|_| { let m = m.clone(); thread::spawn(move || for _ in 0..2 { m.fetch_add(1, SeqCst); }) }).collect();
        for h in h { h.join().unwrap(); }
    });
    run("c", || {
        let h: Vec<_> = (0..3).map(|_| { let m = AtomicUsize::new(0); thread::spawn(move || for _ in 0..3 { m.fetch_add(1, SeqCst); }) }).collect();
        for h in h { h.join().unwrap(); }
    });
    run("i", || {
        let m = Arc::new(AtomicUsize::new(0));
        let h: Vec<_> = (0..3).map(|_| { let m = m.clone(); thread::spawn(move || { let v = m.load(SeqCst); m.store(v+1, SeqCst); }) }).collect();
        for h in h { h.join().unwrap(); }
    });
    run("spin", || {
        let m = Arc::new(AtomicUsize::new(0));
        let n = m.clone();
        let h = thread::spawn(move || { while n.load(SeqCst) == 0 {} });
        m.store(1, SeqCst);
        h.join().unwrap();
    });
    run("spinyield", || {
        let m = Arc::new(AtomicUsize::new(0));
        let n = m.clone();
        let h = thread::spawn(move || { while n.load(SeqCst) == 0 { thread::yield_now() } });
        m.store(1, SeqCst);
        h.join().unwrap();
    });
    run("for40", || {
        let m = Arc::new(AtomicUsize::new(0));
        let n = m.clone();
        let h = thread::spawn(move || { for _ in 0..40 { if n.load(SeqCst) == 1 { break } } });
        m.store(1, SeqCst);
        h.join().unwrap();
    });
    run("livelock", || {
        let m = Arc::new(AtomicUsize::new(0));
        let n = m.clone();
        let h = thread::spawn(move || { while n.load(SeqCst) == 0 {} });
        h.join().unwrap();
    });
    run("abba", || {
        let m = Arc::new((Mutex::new(0), Mutex::new(0)));
        let n = m.clone();
        let h = thread::spawn(move || { let _a = n.0.lock(); let _b = n.1.lock(); });
        { let _b = m.1.lock(); let _a = m.0.lock(); }
        h.join().unwrap();
    });
    run("counter", || {
        let m = Arc::new(AtomicUsize::new(0));
        let h: Vec<_> = (0..2).map(|_| { let m = m.clone(); thread::spawn(move || { let v = m.load(SeqCst); m.store(v+1, SeqCst); }) }).collect();
        for h in h { h.join().unwrap(); }
        assert_eq!(m.load(SeqCst), 2);
    });
    run("readers16", || {
        let m = Arc::new(AtomicUsize::new(0));
        let n = m.clone();
        let mut h = vec![thread::spawn(move || n.store(42, SeqCst))];
        if std::env::var("R").is_err() { return }
        h.extend((0..16).map(|_| { let m = m.clone(); thread::spawn(move || { m.load(SeqCst); }) }));
        for h in h { h.join().unwrap(); }
    });
}
