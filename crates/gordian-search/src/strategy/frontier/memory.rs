//! Keeps the frontier within its memory.
//!
//! Only executions that wait can be put away: those that were departed from are needed to name the others. They are few as
//! long as equals go depth first.

use super::Frontier;
use super::node::Node;
use gordian_model::{Failure, FailureKind};

/// A search that used more than this gives its memory back at its end.
pub(super) const KEPT: usize = 4 << 20;

/// What one that waits takes up: its node, its place in the fringe, and as much again for a list that is growing.
const EACH: usize = size_of::<Node>() + 8;

impl Frontier {
    /// The memory in use.
    pub(super) fn bytes(&self) -> usize {
        self.tree.room() * size_of::<Node>()
            + self.fringe.len() * (EACH - size_of::<Node>())
            + self.tried.bytes()
            + self.sleep.bytes()
            + self.comparisons.bytes()
            + self.classes.bytes()
    }

    /// Makes room for more nodes: more memory if there is some left, else by putting away half of what waits.
    #[cold]
    pub(super) fn make_room(&mut self) -> Result<(), Failure> {
        let used = self.bytes();
        self.most_bytes = self.most_bytes.max(used);
        let wanted = self.tree.room().max(32);
        let left = self.memory.map_or(usize::MAX, |memory| memory.saturating_sub(used) / EACH);
        if left > wanted / 8 {
            self.tree.grow(wanted.min(left));
            return Ok(());
        }
        let count = self.fringe.len() / 2;
        if count == 0 {
            self.tree.grow(1);
            return Ok(());
        }
        let Some(make) = self.spill else {
            let memory = self.memory.unwrap_or_default();
            return Err(Failure::new(
                FailureKind::Misuse,
                format!(
                    "the executions that wait need more than {memory} bytes (Checker::memory, GORDIAN_MEMORY), and there is \
                     nowhere else to put them"
                ),
            ));
        };
        let Frontier { tree, fringe, spilled, .. } = self;
        spilled.begin(make);
        let put_away =
            fringe.drain_last(count, |key, nodes| spilled.put(key, nodes.iter().map(|&id| tree.take(id))));
        put_away.map_err(|error| trouble(&error))
    }

    /// Takes the best back into memory if it is elsewhere.
    #[inline]
    pub(super) fn bring_back(&mut self) -> Result<(), Failure> {
        match self.spilled.next() {
            None => Ok(()),
            Some(elsewhere) if self.fringe.next().is_some_and(|here| here <= elsewhere) => Ok(()),
            Some(elsewhere) => self.bring_back_best(elsewhere),
        }
    }

    #[cold]
    fn bring_back_best(&mut self, key: super::Key) -> Result<(), Failure> {
        let most = (self.memory.unwrap_or_default() / (16 * EACH)).clamp(1, 4096);
        let Frontier { tree, fringe, spilled, .. } = self;
        let taken = spilled.take(most, |node| {
            if tree.is_full() {
                tree.grow(most);
            }
            fringe.push(key, tree.insert(node));
        });
        taken.map(|_| ()).map_err(|error| trouble(&error))
    }
}

fn trouble(error: &str) -> Failure {
    let message = format!(
        "executions that wait cannot be kept outside memory: {error}; give the search more memory (Checker::memory, GORDIAN_MEMORY)"
    );
    Failure::new(FailureKind::Misuse, message)
}
