//! A set of ranges, after `crange` of sv6 in the CB-DPOR thesis, which lost elements in some interleavings. To add a range, its neighbours are taken out and put back
//! as one; in between they are missing, and one who looks does not find what has been there all the time.

use super::client;
use crate::Program;
use gordian::sync::Mutex;
use std::collections::BTreeSet;
use std::ops::Range;

/// A drawn test.
pub const fn program<const DRAW: u32>(name: &'static str) -> Program {
    Program {
        name,
        source: "CB-DPOR thesis, table 6-1: crange of sv6",
        about: "a range is missing while it is joined with its neighbour",
        body: range_set::<DRAW>,
        ..client::TEST
    }
}

/// Calls, with the range from the one number up to the other.
#[derive(Clone, Copy, Debug)]
enum Call {
    Add(u32, u32),
    Remove(u32, u32),
    Contains(u32),
}
use Call::{Add, Contains, Remove};

#[derive(Default)]
pub(crate) struct RangeSet(Mutex<Vec<Range<u32>>>);

impl RangeSet {
    pub(crate) fn add(&self, mut range: Range<u32>, buggy: bool) {
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

    /// Takes a range out of those that it overlaps.
    pub(crate) fn remove(&self, range: Range<u32>) {
        let mut ranges = self.0.lock().unwrap();
        let rest = |other: Range<u32>| {
            let (first, last) =
                (other.start..other.end.min(range.start), other.start.max(range.end)..other.end);
            [first, last].into_iter().filter(|part| !part.is_empty())
        };
        *ranges = std::mem::take(&mut *ranges).into_iter().flat_map(rest).collect();
    }

    pub(crate) fn contains(&self, element: u32) -> bool {
        self.0.lock().unwrap().iter().any(|range| range.contains(&element))
    }
}

fn draw(number: u32) -> client::Calls<Call> {
    client::draw("range-set", number, |_, chance| match chance.below(3) {
        0 => [Add(0, 2), Add(1, 4), Add(2, 5)][chance.below(3)],
        1 => [Remove(0, 3), Remove(1, 2)][chance.below(2)],
        _ => Contains(chance.below(5) as u32),
    })
}

fn range_set<const DRAW: u32>(buggy: bool) {
    let set = RangeSet::default();
    let perform = |_, call| match call {
        Add(start, end) => {
            set.add(start..end, buggy);
            true
        }
        Remove(start, end) => {
            set.remove(start..end);
            true
        }
        Contains(element) => set.contains(element),
    };
    let mut histories = client::histories(&draw(DRAW).each_ref().map(|calls| &calls[..]), &perform);
    histories.push((0..6).map(|element| (Contains(element), set.contains(element))).collect());
    client::check(&histories, BTreeSet::new(), |set: &mut BTreeSet<u32>, call| match call {
        Add(start, end) => {
            set.extend(start..end);
            true
        }
        Remove(start, end) => {
            set.retain(|element| !(start..end).contains(element));
            true
        }
        Contains(element) => set.contains(&element),
    });
    let mut ranges = set.0.lock().unwrap().clone();
    ranges.sort_by_key(|range| range.start);
    assert!(ranges.is_sorted_by(|a, b| a.end <= b.start), "ranges overlap: {ranges:?}");
}
