//! The fringe: the executions that wait, in bins of equal priority. To take the one that was found last is depth first and keeps the
//! tree small (GAMBIT, section 5.4); to take the one that was found first is breadth first.

use super::node::NodeId;
use std::collections::{BTreeMap, VecDeque};

/// A priority; the lowest goes first.
pub(super) type Key = u128;

/// Which of equals.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Which {
    /// The one that was found first.
    First,
    /// The one that was found last.
    Last,
}

impl Which {
    #[inline]
    fn of(self, bin: &mut VecDeque<NodeId>) -> Option<NodeId> {
        match self {
            Which::First => bin.pop_front(),
            Which::Last => bin.pop_back(),
        }
    }
}

#[derive(Debug, Default)]
pub(super) struct Fringe {
    /// The best bin, kept apart because nearly everything is taken from it or put into it.
    key: Key,
    best: VecDeque<NodeId>,
    /// The others; none is empty.
    bins: BTreeMap<Key, VecDeque<NodeId>>,
    spare: Vec<VecDeque<NodeId>>,
    len: usize,
}

impl Fringe {
    pub(super) fn clear(&mut self) {
        self.best.clear();
        while let Some((_, bin)) = self.bins.pop_first() {
            self.keep(bin);
        }
        self.len = 0;
    }

    fn keep(&mut self, mut bin: VecDeque<NodeId>) {
        // So that bins come and go without allocating; but what is large would be memory that nobody counts.
        if self.spare.len() < 256 && bin.capacity() <= 1024 {
            bin.clear();
            self.spare.push(bin);
        }
    }

    pub(super) fn len(&self) -> usize {
        self.len
    }

    /// The priority of the next one.
    #[inline]
    pub(super) fn next(&self) -> Option<Key> {
        (!self.best.is_empty()).then_some(self.key)
    }

    #[inline]
    pub(super) fn push(&mut self, key: Key, node: NodeId) {
        self.len += 1;
        if key == self.key || self.best.is_empty() {
            self.key = key;
            self.best.push_back(node);
        } else {
            self.push_elsewhere(key, node);
        }
    }

    fn push_elsewhere(&mut self, key: Key, node: NodeId) {
        if key > self.key {
            let spare = &mut self.spare;
            self.bins.entry(key).or_insert_with(|| spare.pop().unwrap_or_default()).push_back(node);
        } else {
            let new = self.spare.pop().unwrap_or_default();
            self.bins.insert(self.key, std::mem::replace(&mut self.best, new));
            self.key = key;
            self.best.push_back(node);
        }
    }

    #[inline]
    fn pop(&mut self, which: Which) -> Option<(Key, NodeId)> {
        let node = which.of(&mut self.best)?;
        self.len -= 1;
        let key = self.key;
        if self.best.is_empty()
            && let Some((next, bin)) = self.bins.pop_first()
        {
            self.key = next;
            let old = std::mem::replace(&mut self.best, bin);
            self.keep(old);
        }
        Some((key, node))
    }

    /// Takes one out of the bin with this rank, the best being 0; out of the last if there are not so many.
    #[inline]
    pub(super) fn take(&mut self, rank: usize, which: Which) -> Option<(Key, NodeId)> {
        if rank == 0 || self.bins.is_empty() {
            return self.pop(which);
        }
        let rank = rank.min(self.bins.len());
        let (&key, bin) = self.bins.iter_mut().nth(rank - 1)?;
        let node = which.of(bin)?;
        self.len -= 1;
        if bin.is_empty() {
            let bin = self.bins.remove(&key)?;
            self.keep(bin);
        }
        Some((key, node))
    }

    /// Takes the last `count` out, the very last first, and hands them over bin by bin.
    pub(super) fn drain_last<E>(
        &mut self,
        mut count: usize,
        mut take: impl FnMut(Key, &[NodeId]) -> Result<(), E>,
    ) -> Result<(), E> {
        while count > 0 && self.len > 0 {
            let (key, bin) = match self.bins.last_entry() {
                Some(mut last) if last.get().len() > count => {
                    let key = *last.key();
                    (key, last.get_mut().drain(..count).collect::<Vec<_>>())
                }
                Some(last) => {
                    let (key, bin) = last.remove_entry();
                    (key, bin.into())
                }
                None => {
                    let most = count.min(self.best.len());
                    (self.key, self.best.drain(..most).collect())
                }
            };
            take(key, &bin)?;
            count -= bin.len();
            self.len -= bin.len();
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_best_goes_first_and_of_equals_the_last() {
        let mut fringe = Fringe::default();
        for (key, node) in [(5, 0), (3, 1), (5, 2), (3, 3), (9, 4), (1, 5)] {
            fringe.push(key, node);
        }
        assert_eq!((fringe.len(), fringe.next()), (6, Some(1)));
        let order: Vec<_> = std::iter::from_fn(|| fringe.take(0, Which::Last)).collect();
        assert_eq!(order, [(1, 5), (3, 3), (3, 1), (5, 2), (5, 0), (9, 4)]);
        assert_eq!(fringe.next(), None);
    }

    #[test]
    fn each_bin_can_have_its_turn() {
        let mut fringe = Fringe::default();
        for (key, node) in [(5, 0), (3, 1), (5, 2), (9, 3)] {
            fringe.push(key, node);
        }
        let turns =
            [(1, Which::First), (1, Which::Last), (7, Which::Last), (7, Which::First), (0, Which::Last)];
        let taken: Vec<_> = turns.into_iter().map(|(rank, which)| fringe.take(rank, which)).collect();
        assert_eq!(taken, [Some((5, 0)), Some((5, 2)), Some((9, 3)), Some((3, 1)), None]);
        assert_eq!((fringe.len(), fringe.next()), (0, None));
    }

    #[test]
    fn the_last_are_taken_from_the_bottom() {
        let mut fringe = Fringe::default();
        (0..10).for_each(|node| fringe.push(Key::from(node % 2), node));
        let mut taken = Vec::new();
        let result: Result<(), ()> = fringe.drain_last(7, |key, nodes| {
            taken.push((key, nodes.to_vec()));
            Ok(())
        });
        assert_eq!(result, Ok(()));
        assert_eq!(taken, [(1, vec![1, 3, 5, 7, 9]), (0, vec![0, 2])]);
        assert_eq!(
            std::iter::from_fn(|| fringe.take(0, Which::Last)).map(|(_, n)| n).collect::<Vec<_>>(),
            [8, 6, 4]
        );
    }
}
