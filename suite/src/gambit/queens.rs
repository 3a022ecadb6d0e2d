//! N-queens on a pool of tasks, in the manner of GAMBIT's test of the TPL, which had six bugs together with that of PLINQ (`queens_query`). A task is a board with some queens; it
//! makes a task for each way to place the next. Three of the bugs: solutions are counted in two steps and one is lost; a task is looked at and taken off in two steps, and another is taken off
//! unseen; and the number of unfinished tasks is 0 for a moment between a task and those that it makes.

use crate::{Program, Seconds};
use gordian::sync::Mutex;
use gordian::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use gordian::thread;

const QUEENS: Program = Program {
    name: "queens-count",
    source: "GAMBIT (PPoPP 2010), tables 1 and 2: NQueens (TPL)",
    about: "a solution is not counted because two are counted at the same time",
    threads: 3,
    proof: "pct:2",
    seconds: Some(Seconds { depth_first: None, chess: Some(1659), best_first: 36 }),
    body: |buggy| run(if buggy { Bug::Count } else { Bug::None }),
    ..Program::USUAL
};

/// A solution is lost.
pub const COUNT: Program = QUEENS;

/// A task is lost.
pub const TAKEN: Program = Program {
    name: "queens-taken",
    about: "two workers look at the same task, and each takes one off",
    seconds: Some(Seconds { depth_first: None, chess: Some(1595), best_first: 37 }),
    body: |buggy| run(if buggy { Bug::Taken } else { Bug::None }),
    ..QUEENS
};

/// The end comes too early.
pub const EARLY: Program = Program {
    name: "queens-early",
    about: "the work seems to be done while a task is between two hands",
    seconds: Some(Seconds { depth_first: None, chess: None, best_first: 2 }),
    body: |buggy| run(if buggy { Bug::Early } else { Bug::None }),
    ..QUEENS
};

#[derive(Clone, Copy, PartialEq)]
enum Bug {
    None,
    Count,
    Taken,
    Early,
}

pub(super) const SIZE: usize = 4;

/// The columns of the queens in the first rows.
pub(super) type Board = Vec<usize>;

fn is_safe(board: &Board, column: usize) -> bool {
    let row = board.len();
    board.iter().enumerate().all(|(r, &c)| c != column && row - r != c.abs_diff(column))
}

/// The board with one more queen, in each way that is allowed.
pub(super) fn next(board: &Board) -> Vec<Board> {
    (0..SIZE).filter(|&c| is_safe(board, c)).map(|c| [&board[..], &[c]].concat()).collect()
}

struct Pool {
    tasks: Mutex<Vec<Board>>,
    unfinished: AtomicUsize,
    solutions: AtomicUsize,
    bug: Bug,
}

impl Pool {
    fn take(&self) -> Option<Board> {
        if self.bug != Bug::Taken {
            return self.tasks.lock().unwrap().pop();
        }
        let board = self.tasks.lock().unwrap().last().cloned();
        self.tasks.lock().unwrap().pop();
        board
    }

    /// Works until nothing is left.
    fn work(&self) {
        while self.unfinished.load(SeqCst) > 0 {
            let Some(board) = self.take() else { return };
            let next = next(&board);
            let solved = next.len();
            if board.len() + 1 == SIZE {
                if self.bug == Bug::Count {
                    let before = self.solutions.load(SeqCst);
                    self.solutions.store(before + solved, SeqCst);
                } else {
                    self.solutions.fetch_add(solved, SeqCst);
                }
            } else if self.bug == Bug::Early {
                self.unfinished.fetch_sub(1, SeqCst);
                self.unfinished.fetch_add(solved, SeqCst);
                self.tasks.lock().unwrap().extend(next);
                continue;
            } else {
                self.unfinished.fetch_add(solved, SeqCst);
                self.tasks.lock().unwrap().extend(next);
            }
            self.unfinished.fetch_sub(1, SeqCst);
        }
        assert_eq!(self.solutions.load(SeqCst), 2, "there are two solutions when all is done");
    }
}

fn run(bug: Bug) {
    let pool = Pool {
        // The first queen is placed already, in the two columns that lead to a solution each.
        tasks: Mutex::new(vec![vec![1], vec![2]]),
        unfinished: AtomicUsize::new(2),
        solutions: AtomicUsize::new(0),
        bug,
    };
    thread::scope(|s| {
        let workers = [(), ()].map(|()| s.spawn(|| pool.work()));
        workers.into_iter().for_each(|worker| worker.join().unwrap());
    });
    assert_eq!(pool.solutions.load(SeqCst), 2, "there are two solutions");
    assert_eq!(pool.unfinished.load(SeqCst), 0, "a task was not done");
}
