//! MergeSort, after ConTest's: 99 threads sort a part each, and when the last says that all are done, they are merged. Who is the last is found with a count that is read and
//! written in two steps; if a thread comes in between, its count is lost and nobody says so.

use crate::Program;
use gordian::sync::atomic::{AtomicBool, AtomicUsize, Ordering::SeqCst};
use gordian::thread;

/// The bug.
pub const PROGRAM: Program = Program {
    name: "merge-sort",
    source: "RankChecker (ISSTA 2013), table 1: MergeSort",
    about: "threads lose count of the sorted parts, and the parts are never merged",
    threads: 100,
    published: Some((1, 1, 2)),
    schedules: Some(651),
    remark: "with 100 threads it may take longer than the time that the table has for it; `needs merge-sort` then says the same as was published",
    proof: "pct:2",
    body: merge_sort,
    ..Program::USUAL
};

const PARTS: usize = 99;

fn merge_sort(buggy: bool) {
    let mut numbers: Vec<usize> = (0..2 * PARTS).rev().collect();
    let (done, all_done) = (AtomicUsize::new(0), AtomicBool::new(false));
    let (done, all_done) = (&done, &all_done);
    thread::scope(|s| {
        for part in numbers.chunks_mut(2) {
            s.spawn(move || {
                part.sort_unstable();
                let before = if buggy {
                    let before = done.load(SeqCst);
                    done.store(before + 1, SeqCst);
                    before
                } else {
                    done.fetch_add(1, SeqCst)
                };
                if before + 1 == PARTS {
                    all_done.store(true, SeqCst);
                }
            });
        }
    });
    if all_done.load(SeqCst) {
        // The stable sort is a merge of the runs it finds.
        numbers.sort();
    }
    assert!(numbers.is_sorted(), "the parts were not merged");
}
