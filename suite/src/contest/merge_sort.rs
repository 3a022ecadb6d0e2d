//! MergeSort, after ConTest's: 99 threads sort a part each, and the last to be done merges. Who is the last is found with a count that is read and
//! written in two steps; if a thread comes in between, its count is lost and nobody merges.

use crate::Program;
use gordian::sync::Mutex;
use gordian::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use gordian::thread;

/// The bug.
pub const PROGRAM: Program = Program {
    name: "merge-sort",
    source: "RankChecker (ISSTA 2013), table 1: MergeSort",
    about: "threads lose count of the sorted parts, and the parts are never merged",
    threads: 100,
    published: Some((1, 1, 2)),
    schedules: Some(651),
    remark: "with 100 threads it takes more than the 10 seconds that the table has for it; after a minute `needs merge-sort` says the same as was published",
    proof: "pct:2",
    body: merge_sort,
    ..Program::USUAL
};

const PARTS: usize = 99;

fn merge_sort(buggy: bool) {
    let numbers = Mutex::new((0..2 * PARTS).rev().collect::<Vec<usize>>());
    let done = AtomicUsize::new(0);
    let (numbers, done) = (&numbers, &done);
    thread::scope(|s| {
        for part in 0..PARTS {
            s.spawn(move || {
                numbers.lock().unwrap()[2 * part..2 * part + 2].sort_unstable();
                let before = if buggy {
                    let before = done.load(SeqCst);
                    done.store(before + 1, SeqCst);
                    before
                } else {
                    done.fetch_add(1, SeqCst)
                };
                if before + 1 == PARTS {
                    // The stable sort is a merge of the runs it finds.
                    numbers.lock().unwrap().sort();
                }
            });
        }
    });
    assert!(numbers.lock().unwrap().is_sorted(), "the parts were not merged");
}
