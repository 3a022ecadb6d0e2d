//! What has been tried at the steps of an execution, so that no departure is added twice.
//!
//! A race may ask for a departure above the last one, in an execution that was made before. That one remembers what was
//! added to it as long as it lives (GAMBIT, section 3.3); when it has no live successors nothing can be added any more.

use super::node::NodeId;
use gordian_model::ThreadId;

/// The threads that have been tried at one choice: 64 of them, from 64 times `word` on.
#[derive(Clone, Copy, Debug)]
struct Row {
    /// The number of the choice, see [`Trace::choice`](gordian_model::Trace::choice).
    choice: u32,
    word: u32,
    threads: u64,
}

/// What has been tried, by node.
#[derive(Debug, Default)]
pub(super) struct Tried {
    /// By node the number of its rows below, plus one.
    of: Vec<u32>,
    rows: Vec<Vec<Row>>,
    free: Vec<u32>,
    count: usize,
}

impl Tried {
    pub(super) fn clear(&mut self) {
        self.of.clear();
        self.free.clear();
        self.free.extend(0..self.rows.len() as u32);
        self.rows.iter_mut().for_each(Vec::clear);
        self.count = 0;
    }

    pub(super) fn bytes(&self) -> usize {
        self.of.capacity() * size_of::<u32>()
            + self.rows.capacity() * size_of::<Vec<Row>>()
            + self.count * size_of::<Row>()
    }

    /// Has the thread not been tried there? Then it has now. `own` is what the execution itself did.
    pub(super) fn is_new(&mut self, node: NodeId, choice: u32, own: ThreadId, thread: ThreadId) -> bool {
        if self.of.len() <= node as usize {
            self.of.resize(node as usize + 1, 0);
        }
        let of = &mut self.of[node as usize];
        if *of == 0 {
            *of = 1 + self.free.pop().unwrap_or_else(|| {
                self.rows.push(Vec::new());
                self.rows.len() as u32 - 1
            });
        }
        let rows = &mut self.rows[*of as usize - 1];
        let first = rows.partition_point(|row| row.choice < choice);
        let is_known = rows.get(first).is_some_and(|row| row.choice == choice);
        if !is_known {
            self.count += insert(rows, choice, own).1;
        }
        let (new, grown) = insert(rows, choice, thread);
        self.count += grown;
        new
    }

    /// The node is gone.
    #[inline]
    pub(super) fn forget(&mut self, node: NodeId) {
        if let Some(of) = self.of.get_mut(node as usize)
            && *of != 0
        {
            let rows = &mut self.rows[*of as usize - 1];
            self.count -= rows.len();
            rows.clear();
            self.free.push(*of - 1);
            *of = 0;
        }
    }
}

/// Adds a thread: was it new, and how many rows were added?
fn insert(rows: &mut Vec<Row>, choice: u32, thread: ThreadId) -> (bool, usize) {
    let (word, bit) = (thread.0 / 64, 1 << (thread.0 % 64));
    let at = rows.partition_point(|row| (row.choice, row.word) < (choice, word));
    match rows.get_mut(at) {
        Some(row) if (row.choice, row.word) == (choice, word) => {
            let new = row.threads & bit == 0;
            row.threads |= bit;
            (new, 0)
        }
        _ => {
            rows.insert(at, Row { choice, word, threads: bit });
            (true, 1)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_is_new_twice_while_the_node_lives() {
        let mut tried = Tried::default();
        let new = |tried: &mut Tried, node, choice, thread| {
            tried.is_new(node, choice, ThreadId(1), ThreadId(thread))
        };
        assert!(new(&mut tried, 7, 3, 100) && !new(&mut tried, 7, 3, 100));
        assert!(!new(&mut tried, 7, 3, 1), "the execution itself did that");
        assert!(new(&mut tried, 7, 2, 0) && new(&mut tried, 8, 3, 0) && new(&mut tried, 7, 3, 0));
        tried.forget(7);
        assert!(new(&mut tried, 7, 3, 100));
    }
}
