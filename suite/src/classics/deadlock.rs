//! Two locks taken in opposite orders, after `deadlock01_bad` of SCTBench: each thread holds the one that the other waits for.

use crate::Program;
use gordian::FailureKind;
use gordian::sync::Mutex;
use gordian::thread;

/// The bug.
pub const PROGRAM: Program = Program {
    name: "deadlock",
    source: "SCTBench, CS.deadlock01",
    about: "two threads take two locks in opposite orders",
    threads: 3,
    kind: FailureKind::Deadlock,
    body: deadlock,
    ..Program::USUAL
};

fn deadlock(buggy: bool) {
    let (a, b) = (Mutex::new(0), Mutex::new(0));
    thread::scope(|s| {
        s.spawn(|| {
            let mut a = a.lock().unwrap();
            *a += 1;
            *b.lock().unwrap() -= 1;
        });
        s.spawn(|| {
            if buggy {
                let mut b = b.lock().unwrap();
                *b += 1;
                *a.lock().unwrap() -= 1;
            } else {
                let mut a = a.lock().unwrap();
                *b.lock().unwrap() += 1;
                *a -= 1;
            }
        });
    });
}
