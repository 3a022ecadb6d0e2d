//! ParallelDo, in the manner of GAMBIT's tests of PLINQ, where three assertions failed: an iteration is made twice because its number is read and advanced in two steps; an iteration is
//! made after the loop was told to stop before it; and of two failures that happen at once only one is reported.

use crate::{Program, Seconds};
use gordian::sync::Mutex;
use gordian::sync::atomic::{AtomicU32, AtomicUsize, Ordering::SeqCst};
use gordian::thread;

const PARALLEL_DO: Program = Program {
    name: "parallel-do-twice",
    source: "GAMBIT (PPoPP 2010), tables 1 and 2: ParallelDo",
    about: "two threads make the same iteration of a parallel loop",
    threads: 3,
    proof: "preemptions:2",
    seconds: Some(Seconds { depth_first: Some(1), chess: Some(63), best_first: 1 }),
    body: twice,
    ..Program::USUAL
};

/// An iteration is made twice.
pub const TWICE: Program = PARALLEL_DO;

/// An iteration is made although the loop is to stop before it.
pub const STOP: Program = Program {
    name: "parallel-do-stop",
    about: "the lowest iteration to stop at is overwritten by a higher one",
    seconds: Some(Seconds { depth_first: Some(462), chess: Some(597), best_first: 15 }),
    body: stop,
    ..PARALLEL_DO
};

/// A failure is not reported.
pub const ERRORS: Program = Program {
    name: "parallel-do-errors",
    about: "of two failures of a parallel loop one is not reported",
    seconds: Some(Seconds { depth_first: Some(317), chess: Some(548), best_first: 15 }),
    body: errors,
    ..PARALLEL_DO
};

/// Both threads make iterations until none is left.
fn parallel_do(iteration: impl Fn(usize) + Sync, take: impl Fn() -> Option<usize> + Sync) {
    thread::scope(|s| {
        for _ in 0..2 {
            s.spawn(|| std::iter::from_fn(&take).for_each(&iteration));
        }
    });
}

fn below(next: &AtomicUsize, end: usize) -> Option<usize> {
    Some(next.fetch_add(1, SeqCst)).filter(|&i| i < end)
}

fn twice(buggy: bool) {
    let (next, made) = (AtomicUsize::new(0), [0; 3].map(AtomicU32::new));
    let take = || {
        if !buggy {
            return below(&next, 3);
        }
        let i = next.load(SeqCst);
        next.store(i + 1, SeqCst);
        Some(i).filter(|&i| i < 3)
    };
    parallel_do(|i| assert_eq!(made[i].fetch_add(1, SeqCst), 0, "iteration {i} was made twice"), take);
}

fn stop(buggy: bool) {
    let (next, lowest) = (AtomicUsize::new(0), AtomicUsize::new(usize::MAX));
    let iteration = |i: usize| {
        // Iterations 1 and 2 want the loop to stop.
        if i == 0 {
            return;
        }
        if !buggy {
            lowest.fetch_min(i, SeqCst);
        } else if i < lowest.load(SeqCst) {
            lowest.store(i, SeqCst);
        }
    };
    parallel_do(iteration, || below(&next, 3));
    assert_eq!(lowest.load(SeqCst), 1, "the loop was to stop at iteration 1");
}

fn errors(buggy: bool) {
    let (next, reported) = (AtomicUsize::new(0), Mutex::new(Vec::new()));
    let iteration = |i: usize| {
        let mut errors = reported.lock().unwrap();
        if buggy {
            // To hold the lock for a shorter time, the list is copied and put back.
            let mut copy = errors.clone();
            drop(errors);
            copy.push(i);
            *reported.lock().unwrap() = copy;
        } else {
            errors.push(i);
        }
    };
    parallel_do(iteration, || below(&next, 2));
    assert_eq!(reported.lock().unwrap().len(), 2, "a failure was not reported");
}
