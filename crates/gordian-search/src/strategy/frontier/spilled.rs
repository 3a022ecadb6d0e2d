//! The part of the fringe that is outside memory.
//!
//! When memory runs out the last part of the fringe is put away as one *run*, the very last first, so that a run gives back its
//! best first. What comes next is the best of memory and of all runs; of equals, what is in memory was found last,
//! and a younger run is younger in all it holds. So the executions are made in the order in which they would have been.

use super::fringe::Key;
use super::node::Node;
use crate::explore::Spill;

struct Run {
    place: Box<dyn Spill>,
    /// The priority of its best nodes, and how many of them there are.
    key: Key,
    count: u64,
    /// Further priorities below that.
    more: u64,
}

/// What makes a place outside memory.
pub(super) type MakePlace = fn() -> Box<dyn Spill>;

#[derive(Default)]
pub(super) struct Spilled {
    /// The oldest first; none is empty.
    runs: Vec<Run>,
    bytes: Vec<u8>,
    /// How many nodes have been put away in all.
    total: u64,
}

/// A priority and a number stand behind the nodes of that priority.
const HEAD: usize = 24;

impl Spilled {
    pub(super) fn clear(&mut self) {
        self.runs.clear();
        self.total = 0;
    }

    pub(super) fn total(&self) -> u64 {
        self.total
    }

    /// The priority of the best that is outside memory.
    pub(super) fn next(&self) -> Option<Key> {
        self.runs.iter().map(|run| run.key).min()
    }

    /// Begins a run.
    pub(super) fn begin(&mut self, make: MakePlace) {
        self.runs.push(Run { place: make(), key: 0, count: 0, more: 0 });
    }

    /// Puts nodes of one priority, which is better than that of those before, into the run that was begun.
    pub(super) fn put(&mut self, key: Key, nodes: impl ExactSizeIterator<Item = Node>) -> Result<(), String> {
        let run = self.runs.last_mut().expect("begun");
        self.bytes.clear();
        if run.count > 0 {
            self.bytes.extend_from_slice(&run.key.to_le_bytes());
            self.bytes.extend_from_slice(&run.count.to_le_bytes());
            run.more += 1;
        }
        (run.key, run.count) = (key, nodes.len() as u64);
        self.total += run.count;
        for node in nodes {
            self.bytes.extend_from_slice(&node.to_bytes());
        }
        let result = run.place.put(&self.bytes);
        self.bytes.shrink_to(1 << 16);
        result
    }

    /// Takes back at most so many of the best, in the order in which they were put, and tells their priority.
    pub(super) fn take(&mut self, most: usize, mut back: impl FnMut(Node)) -> Result<Option<Key>, String> {
        let Some(key) = self.next() else { return Ok(None) };
        let youngest = self.runs.iter().rposition(|run| run.key == key).expect("one has the best");
        let run = &mut self.runs[youngest];
        let count = run.count.min(most as u64);
        self.bytes.resize(count as usize * size_of::<Node>(), 0);
        run.place.take(&mut self.bytes)?;
        self.bytes.as_chunks().0.iter().for_each(|bytes| back(Node::from_bytes(bytes)));
        run.count -= count;
        if run.count == 0 && run.more > 0 {
            let mut head = [0; HEAD];
            run.place.take(&mut head)?;
            let (key, count) = head.split_first_chunk().expect("long enough");
            run.key = Key::from_le_bytes(*key);
            run.count = u64::from_le_bytes(count.try_into().expect("the rest"));
            run.more -= 1;
        }
        if run.count == 0 {
            self.runs.remove(youngest);
        }
        Ok(Some(key))
    }
}
