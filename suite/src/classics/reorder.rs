//! Two values that belong together, after `reorder_N_bad` of SCTBench (first in Yang, Chen, Gopalakrishnan, Kirby, SPIN 2008). A reader that comes
//! between the two stores of the first writer, or in whose way the first writer comes, sees one of them; once a writer has made both, all is
//! well, so the more writers there are, the more orders hide it.

use crate::Program;
use gordian::sync::Mutex;
use gordian::sync::atomic::{AtomicI32, Ordering::SeqCst};
use gordian::thread;

/// The bug, with so many threads beside the main one: one reads.
pub const fn program<const N: usize>(name: &'static str) -> Program {
    Program {
        name,
        source: "SCTBench, CS.reorder",
        about: "a reader sees one of the two stores of the first writer",
        threads: N + 1,
        proof: if N > 4 { "pct:2" } else { "auto" },
        body: reorder::<N>,
        ..Program::USUAL
    }
}

fn reorder<const N: usize>(buggy: bool) {
    let (a, b) = (AtomicI32::new(0), AtomicI32::new(0));
    let lock = Mutex::new(());
    thread::scope(|s| {
        for _ in 1..N {
            s.spawn(|| {
                let _guard = (!buggy).then(|| lock.lock().unwrap());
                a.store(1, SeqCst);
                b.store(-1, SeqCst);
            });
        }
        s.spawn(|| {
            let _guard = (!buggy).then(|| lock.lock().unwrap());
            let seen = (a.load(SeqCst), b.load(SeqCst));
            assert!(matches!(seen, (0, 0) | (1, -1)), "saw {seen:?}");
        });
    });
}
