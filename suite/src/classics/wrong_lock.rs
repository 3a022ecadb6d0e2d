//! The wrong lock, after `wronglock_bad` of SCTBench: three threads change a number under one lock, a fourth under another.

use crate::Program;
use gordian::sync::Mutex;
use gordian::sync::atomic::{AtomicU32, Ordering::SeqCst};
use gordian::thread;

/// The bug.
pub const PROGRAM: Program = Program {
    name: "wrong-lock",
    source: "SCTBench, CS.wronglock_3",
    about: "one of the threads that change a number holds another lock than the rest",
    threads: 5,
    body: wrong_lock,
    ..Program::USUAL
};

fn wrong_lock(buggy: bool) {
    let (right, wrong) = (Mutex::new(()), Mutex::new(()));
    let number = AtomicU32::new(0);
    let change = |lock: &Mutex<()>| {
        let _guard = lock.lock().unwrap();
        let before = number.load(SeqCst);
        number.store(before + 1, SeqCst);
        assert_eq!(number.load(SeqCst), before + 1, "somebody else changed it");
    };
    thread::scope(|s| {
        s.spawn(|| change(if buggy { &wrong } else { &right }));
        for _ in 0..3 {
            s.spawn(|| change(&right));
        }
    });
}
