//! N-queens as a query, in the manner of GAMBIT's test of PLINQ: each worker looks for the solutions that begin in some of the columns, and what they find is merged.
//! Three bugs: that a worker is done is a bit in a common word, set in two steps, and one who waits for all bits waits for ever; the search for the first solution
//! is ended by any solution; and a worker counts itself as done before it has handed in what it found.

use super::queens::{Board, SIZE, next};
use crate::{Program, Seconds};
use gordian::FailureKind;
use gordian::sync::Mutex;
use gordian::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use gordian::thread;
use std::ops::Range;

const QUERY: Program = Program {
    name: "queens-bits",
    source: "GAMBIT (PPoPP 2010), tables 1 and 2: NQueens (PLINQ)",
    about: "of two workers that set their bits at the same time one seems never to be done",
    threads: 3,
    kind: FailureKind::Livelock,
    seconds: Some(Seconds { depth_first: Some(2), chess: Some(140), best_first: 1 }),
    body: bits,
    ..Program::USUAL
};

/// A worker is waited for in vain.
pub const BITS: Program = QUERY;

/// The first solution is not the first.
pub const FIRST: Program = Program {
    name: "queens-first",
    about: "a worker stops looking for the first solution as another has found a later one",
    kind: FailureKind::Panic,
    seconds: Some(Seconds { depth_first: Some(227), chess: None, best_first: 2 }),
    body: first,
    ..QUERY
};

/// Solutions are not merged.
pub const MERGE: Program = Program {
    name: "queens-merge",
    about: "what was found is merged before a worker that counts as done has handed it in",
    kind: FailureKind::Panic,
    seconds: Some(Seconds { depth_first: None, chess: None, best_first: 2 }),
    body: merge,
    ..QUERY
};

const WORKERS: usize = 2;

/// The columns in which a worker places the first queen.
fn part(worker: usize) -> Range<usize> {
    let columns = SIZE / WORKERS;
    worker * columns..(worker + 1) * columns
}

/// The solutions that begin so.
fn solutions(board: Board) -> Vec<Board> {
    if board.len() == SIZE { vec![board] } else { next(&board).into_iter().flat_map(solutions).collect() }
}

fn bits(buggy: bool) {
    let (found, done) = (Mutex::new(Vec::new()), AtomicUsize::new(0));
    let (found, done) = (&found, &done);
    thread::scope(|s| {
        for worker in 0..WORKERS {
            s.spawn(move || {
                let mine = part(worker).flat_map(|column| solutions(vec![column]));
                found.lock().unwrap().extend(mine);
                if buggy {
                    done.store(done.load(SeqCst) | 1 << worker, SeqCst);
                } else {
                    done.fetch_or(1 << worker, SeqCst);
                }
            });
        }
        while done.load(SeqCst) != (1 << WORKERS) - 1 {}
        assert_eq!(found.lock().unwrap().len(), 2, "there are two solutions");
    });
}

fn first(buggy: bool) {
    // The lowest column in which a solution begins, as far as it is known.
    let first = AtomicUsize::new(SIZE);
    let lowest = &first;
    thread::scope(|s| {
        for worker in 0..WORKERS {
            s.spawn(move || {
                for column in part(worker) {
                    let known = lowest.load(SeqCst);
                    if known < if buggy { SIZE } else { column } {
                        return;
                    }
                    if !solutions(vec![column]).is_empty() {
                        lowest.fetch_min(column, SeqCst);
                    }
                }
            });
        }
    });
    assert_eq!(first.load(SeqCst), 1, "a solution begins in column 1");
}

fn merge(buggy: bool) {
    let (found, merged) = (Mutex::new(Vec::new()), Mutex::new(Vec::new()));
    let unfinished = AtomicUsize::new(WORKERS);
    let is_last = || unfinished.fetch_sub(1, SeqCst) == 1;
    let work = |worker| {
        let mine: Vec<Board> = part(worker).flat_map(|column| solutions(vec![column])).collect();
        let early = buggy.then(is_last);
        found.lock().unwrap().extend(mine);
        if early.unwrap_or_else(is_last) {
            merged.lock().unwrap().append(&mut found.lock().unwrap());
        }
    };
    thread::scope(|s| {
        s.spawn(|| work(0));
        s.spawn(|| work(1));
    });
    assert_eq!(merged.into_inner().unwrap().len(), 2, "there are two solutions");
}
