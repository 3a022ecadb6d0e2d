//! The bugs that the RankChecker paper seeded into Java Grande's Monte Carlo (table 4), one of each kind. Seven threads draw random walks, two each, and add up what they come to;
//! up to four of them also use one more variable, which is where the bug is. What each kind takes is shown by the paper's figures 1 to 9.

use crate::{Needs, Program};
use gordian::sync::Mutex;
use gordian::sync::atomic::{AtomicU32, Ordering::SeqCst};
use gordian::thread;

/// The bug that needs so many preemptions and threads.
pub const fn program<const C: usize, const T: usize>(name: &'static str) -> Program {
    let published: Needs = (C, if C == 0 { 0 } else { 1 }, T);
    // The table has averages, with variable and thread bounding.
    let schedules = match (C, T) {
        (0, 2) => Some(3),
        (0, 3) => Some(4),
        (0, 4) => Some(5),
        (1, 2) => Some(1_636),
        (1, 3) => Some(4_889),
        (2, 2) => Some(28_121),
        _ => None,
    };
    Program {
        name,
        source: "RankChecker (ISSTA 2013), table 4: Montecarlo",
        about: "a seeded bug, amid threads that have nothing to do with it",
        threads: 8,
        published: Some(published),
        schedules,
        proof: "pct:2",
        body: monte_carlo::<C, T>,
        ..Program::USUAL
    }
}

const WORKERS: usize = 7;
const WALKS: usize = 2;

/// The end of a random walk.
fn walk(seed: u32) -> i32 {
    let mut state = seed;
    let mut place = 0;
    for _ in 0..100 {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        place += if state >> 31 == 0 { 1 } else { -1 };
    }
    place
}

/// What the worker does with the seeded variable. Worker 0 is the one that fails.
fn seeded<const C: usize, const T: usize>(worker: usize, x: &AtomicU32, buggy: bool) {
    if worker > 0 {
        if worker < T {
            x.fetch_add(1, SeqCst);
            if C == 2 {
                x.fetch_sub(1, SeqCst);
            }
        }
        return;
    }
    let before = if C == 0 { 0 } else { x.load(SeqCst) };
    let after = x.load(SeqCst);
    let most = if buggy { T as u32 - 1 } else { T as u32 };
    assert!(after - before.min(after) < most, "the variable went from {before} to {after}");
}

fn monte_carlo<const C: usize, const T: usize>(buggy: bool) {
    let (sum, x) = (Mutex::new(0), AtomicU32::new(0));
    let (sum, x) = (&sum, &x);
    thread::scope(|s| {
        for worker in 0..WORKERS {
            s.spawn(move || {
                for nth in 0..WALKS {
                    let end = walk((worker * WALKS + nth) as u32);
                    *sum.lock().unwrap() += end;
                }
                seeded::<C, T>(worker, x, buggy);
            });
        }
    });
    assert_eq!(*sum.lock().unwrap(), (0..(WORKERS * WALKS) as u32).map(walk).sum::<i32>());
}
