//! MergeSortBug, after ConTest's: 28 threads take the next part that is to be sorted. They read its number and advance it in two steps, so two may
//! take the same part, and the last remains as it is.

use crate::Program;
use gordian::sync::Mutex;
use gordian::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use gordian::thread;

/// The bug.
pub const PROGRAM: Program = Program {
    name: "merge-sort-bug",
    source: "RankChecker (ISSTA 2013), table 1: MergeSortBug",
    about: "two threads sort the same part, and another remains unsorted",
    threads: 29,
    published: Some((1, 1, 2)),
    schedules: Some(89),
    proof: "pct:2",
    body: merge_sort_bug,
    ..Program::USUAL
};

const PARTS: usize = 28;

fn merge_sort_bug(buggy: bool) {
    let numbers: Vec<Mutex<[usize; 2]>> = (0..PARTS).map(|i| Mutex::new([2 * i + 1, 2 * i])).collect();
    let next = AtomicUsize::new(0);
    thread::scope(|s| {
        for _ in 0..PARTS {
            s.spawn(|| {
                let part = if buggy {
                    let part = next.load(SeqCst);
                    next.store(part + 1, SeqCst);
                    part
                } else {
                    next.fetch_add(1, SeqCst)
                };
                numbers[part].lock().unwrap().sort_unstable();
            });
        }
    });
    let merged: Vec<usize> = numbers.into_iter().flat_map(|part| part.into_inner().unwrap()).collect();
    assert!(merged.is_sorted(), "a part was not sorted");
}
