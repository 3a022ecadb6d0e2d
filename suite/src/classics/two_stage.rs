//! A change in two stages, after `twostage_bad` of SCTBench (first in Artho, Havelund, Biere, "High-level data races", VVEIS 2003). Each value
//! has its lock, but the two belong together, and a reader may come between the stages. With 100 threads the writers that come in the way are many.

use crate::Program;
use gordian::sync::Mutex;
use gordian::thread;

/// The bug, with so many threads beside the main one: one reads.
pub const fn program<const N: usize>(name: &'static str) -> Program {
    Program {
        name,
        source: "SCTBench, CS.twostage",
        about: "a reader sees the first of two values changed and the second not yet",
        threads: N + 1,
        proof: if N > 10 { "pct:2" } else { "auto" },
        body: two_stage::<N>,
        ..Program::USUAL
    }
}

fn two_stage<const N: usize>(buggy: bool) {
    let (first, second) = (Mutex::new(0), Mutex::new(0));
    thread::scope(|s| {
        for _ in 1..N {
            s.spawn(|| {
                let mut value = first.lock().unwrap();
                *value = 1;
                // The fixed version holds on to the first lock until both are changed.
                let outer = if buggy {
                    drop(value);
                    None
                } else {
                    Some(value)
                };
                *second.lock().unwrap() = 2;
                drop(outer);
            });
        }
        s.spawn(|| {
            let one = *first.lock().unwrap();
            if one == 0 {
                return;
            }
            let two = *second.lock().unwrap();
            assert_eq!(two, one + 1, "the second stage has not happened");
        });
    });
}
