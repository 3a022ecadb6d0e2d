//! BubbleSort, after ConTest's: eight threads make one pass each, and each leaves out the places that the passes before it have
//! filled. Nothing makes them take turns in that order; what a pass left out because it came too early stays as it is.

use crate::Program;
use gordian::sync::{Mutex, Semaphore};
use gordian::thread;

/// The bug.
pub const PROGRAM: Program = Program {
    name: "bubble-sort",
    source: "RankChecker (ISSTA 2013), table 1: BubbleSort",
    about: "the passes of a sort are made in another order than they have to be",
    threads: 9,
    published: Some((0, 0, 2)),
    schedules: Some(1),
    body: bubble_sort,
    ..Program::USUAL
};

const PASSES: usize = 8;

fn bubble_sort(buggy: bool) {
    let numbers: Mutex<[usize; PASSES]> = Mutex::new(std::array::from_fn(|i| PASSES - i));
    let turns: [Semaphore; PASSES + 1] = std::array::from_fn(|i| Semaphore::new(usize::from(i == 0)));
    let (numbers, turns) = (&numbers, &turns);
    thread::scope(|s| {
        for pass in 0..PASSES {
            s.spawn(move || {
                if !buggy {
                    turns[pass].acquire();
                }
                let mut numbers = numbers.lock().unwrap();
                for i in 1..PASSES - pass {
                    numbers[i - 1..=i].sort_unstable();
                }
                drop(numbers);
                if !buggy {
                    turns[pass + 1].release();
                }
            });
        }
    });
    assert!(numbers.lock().unwrap().is_sorted(), "a pass came too early");
}
