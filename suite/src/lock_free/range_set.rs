//! A set of ranges, after `crange` of sv6 in the CB-DPOR thesis, which lost elements in some interleavings. To add a range, its neighbours are taken out and put back
//! as one; in between they are missing, and one who looks does not find what has been there all the time.

use crate::Program;
use gordian::sync::Mutex;
use gordian::thread;
use std::ops::Range;

/// The bug.
pub const PROGRAM: Program = Program {
    name: "range-set",
    source: "CB-DPOR thesis, table 6-1: crange of sv6",
    about: "a range is missing while it is joined with its neighbour, and what is added meanwhile is joined with nothing",
    threads: 3,
    proof: "preemptions:2",
    body: range_set,
    ..Program::USUAL
};

struct RangeSet(Mutex<Vec<Range<u32>>>);

impl RangeSet {
    fn add(&self, mut range: Range<u32>, buggy: bool) {
        let mut ranges = self.0.lock().unwrap();
        ranges.retain(|other| {
            let touches = other.start <= range.end && range.start <= other.end;
            if touches {
                range = range.start.min(other.start)..range.end.max(other.end);
            }
            !touches
        });
        if buggy {
            drop(ranges);
            ranges = self.0.lock().unwrap();
        }
        ranges.push(range);
    }

    fn contains(&self, element: u32) -> bool {
        self.0.lock().unwrap().iter().any(|range| range.contains(&element))
    }
}

fn range_set(buggy: bool) {
    let set = RangeSet(Mutex::new(Vec::from([0..2, 6..8])));
    thread::scope(|s| {
        s.spawn(|| set.add(2..4, buggy));
        s.spawn(|| set.add(4..6, buggy));
        assert!(set.contains(1), "an element that nobody has removed is not there");
    });
    assert!(set.0.lock().unwrap().contains(&(0..8)), "the ranges were not joined");
}
