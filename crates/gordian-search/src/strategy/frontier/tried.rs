//! What has been tried at the steps of an execution, so that no departure is added twice.
//!
//! A race may ask for a departure above the last one, in an execution that was made before. That one remembers what was
//! added to it as long as it lives (GAMBIT, section 3.3); when it has no live successors nothing can be added any more.

use super::node::NodeId;
use gordian_model::ThreadId;

/// The threads that have been tried at one choice: 64 of them.
#[derive(Clone, Copy, Debug)]
struct Row {
    /// The number of the choice (see [`Trace::choice`](gordian_model::Trace::choice)) in the upper 24 bits; which 64 threads
    /// in the lower 8.
    key: u32,
    /// The number of the next row of the same node, plus one; or of the next that is free.
    next: u32,
    threads: u64,
}

/// What has been tried, by node: a list of rows in one arena, because there are many nodes with few rows.
#[derive(Debug, Default)]
pub(super) struct Tried {
    /// By node the number of its first row, plus one.
    of: Vec<u32>,
    rows: Vec<Row>,
    free: u32,
}

impl Tried {
    pub(super) fn clear(&mut self) {
        self.of.clear();
        self.rows.clear();
        self.free = 0;
    }

    pub(super) fn bytes(&self) -> usize {
        self.of.capacity() * size_of::<u32>() + self.rows.capacity() * size_of::<Row>()
    }

    /// Has the thread not been tried there? Then it has now. `own` is what the execution itself did.
    pub(super) fn is_new(&mut self, node: NodeId, choice: u32, own: ThreadId, thread: ThreadId) -> bool {
        self.admit(node);
        let (key, bit) = ((choice << 8) | (thread.0 / 64), 1 << (thread.0 % 64));
        let (mut at, mut is_known) = (self.of[node as usize], false);
        while at != 0 {
            let row = &mut self.rows[at as usize - 1];
            if row.key == key {
                let new = row.threads & bit == 0;
                row.threads |= bit;
                return new;
            }
            is_known |= row.key >> 8 == choice;
            at = row.next;
        }
        if !is_known {
            let own_key = (choice << 8) | (own.0 / 64);
            self.insert(node, own_key, 1 << (own.0 % 64));
            if own_key == key {
                return self.is_new(node, choice, own, thread);
            }
        }
        self.insert(node, key, bit);
        true
    }

    /// The threads of this choice.
    pub(super) fn threads(&self, node: NodeId, choice: u32) -> impl Iterator<Item = ThreadId> + '_ {
        self.rows_of(node, choice).flat_map(|row| {
            let first = (row.key & 0xFF) * 64;
            (0..64).filter(move |bit| row.threads >> bit & 1 == 1).map(move |bit| ThreadId(first + bit))
        })
    }

    /// Copies the threads of a choice of one node to a choice of another, which has none yet.
    pub(super) fn copy(&mut self, (from, choice): (NodeId, u32), (to, as_choice): (NodeId, u32)) {
        let mut at = self.of.get(from as usize).copied().unwrap_or(0);
        while at != 0 {
            let Row { key, next, threads } = self.rows[at as usize - 1];
            if key >> 8 == choice {
                self.admit(to);
                self.insert(to, (as_choice << 8) | (key & 0xFF), threads);
            }
            at = next;
        }
    }

    fn rows_of(&self, node: NodeId, choice: u32) -> impl Iterator<Item = &Row> {
        let first = self.of.get(node as usize).copied().unwrap_or(0);
        let row = |at: u32| (at != 0).then(|| &self.rows[at as usize - 1]);
        std::iter::successors(row(first), move |r| row(r.next)).filter(move |r| r.key >> 8 == choice)
    }

    fn admit(&mut self, node: NodeId) {
        if self.of.len() <= node as usize {
            self.of.resize(node as usize + 1, 0);
        }
    }

    fn insert(&mut self, node: NodeId, key: u32, threads: u64) {
        let row = Row { key, next: self.of[node as usize], threads };
        self.of[node as usize] = match self.free {
            0 => {
                self.rows.push(row);
                self.rows.len() as u32
            }
            free => {
                self.free = std::mem::replace(&mut self.rows[free as usize - 1], row).next;
                free
            }
        };
    }

    /// The node is gone.
    #[inline]
    pub(super) fn forget(&mut self, node: NodeId) {
        let Some(of) = self.of.get_mut(node as usize) else { return };
        let mut at = std::mem::take(of);
        while at != 0 {
            let next = std::mem::replace(&mut self.rows[at as usize - 1].next, self.free);
            self.free = at;
            at = next;
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
        let rows = tried.rows.len();
        tried.forget(7);
        assert!(new(&mut tried, 7, 3, 100) && !new(&mut tried, 8, 3, 0));
        assert_eq!(tried.rows.len(), rows, "rows are used again");
    }

    #[test]
    fn threads_are_told_and_copied_by_choice() {
        let mut tried = Tried::default();
        for thread in [5, 70, 200] {
            tried.is_new(1, 3, ThreadId(1), ThreadId(thread));
        }
        tried.is_new(1, 4, ThreadId(2), ThreadId(9));
        let told = |tried: &Tried, node, choice| {
            let mut all: Vec<u32> = tried.threads(node, choice).map(|t| t.0).collect();
            all.sort_unstable();
            all
        };
        assert_eq!(told(&tried, 1, 3), [1, 5, 70, 200]);
        assert_eq!(told(&tried, 1, 4), [2, 9]);
        tried.copy((1, 3), (8, 0));
        tried.copy((6, 3), (9, 0));
        assert_eq!((told(&tried, 8, 0), told(&tried, 9, 0)), (vec![1, 5, 70, 200], vec![]));
    }
}
