//! What was said when threads that may wait were compared with what they were a round before.
//!
//! An execution is kept as its departures from another, so what is between these has to happen in the same way again. Who goes
//! next depends on who waits in a loop, and when that is found out depends on what the thread's stack held by chance. So an
//! execution in which threads were compared is remembered with the answers, as long as others depart from it.

use super::node::NodeId;
use gordian_model::Trace;
use rustc_hash::FxHashMap;

#[derive(Debug, Default)]
pub(super) struct Comparisons {
    /// The answers, and after how many choices each was given, by the node of the execution. Few programs have any.
    of: FxHashMap<NodeId, Box<[(u32, bool)]>>,
    answers: usize,
}

impl Comparisons {
    pub(super) fn clear(&mut self) {
        self.of.clear();
        self.answers = 0;
    }

    pub(super) fn bytes(&self) -> usize {
        self.of.capacity() * size_of::<(NodeId, Box<[(u32, bool)]>)>()
            + self.answers * size_of::<(u32, bool)>()
    }

    /// An execution has been made.
    #[inline]
    pub(super) fn remember(&mut self, node: NodeId, trace: &Trace) {
        let answers = trace.comparisons();
        if !answers.is_empty() {
            self.answers += answers.len();
            self.of.insert(node, answers.into());
        }
    }

    /// Nothing departs from an execution any more.
    #[inline]
    pub(super) fn forget(&mut self, node: NodeId) {
        if !self.of.is_empty()
            && let Some(answers) = self.of.remove(&node)
        {
            self.answers -= answers.len();
        }
    }

    /// The answers that an execution gave until it made this choice.
    pub(super) fn up_to(&self, node: NodeId, choice: u32) -> impl Iterator<Item = bool> {
        let answers = self.of.get(&node).map_or(&[][..], |answers| answers);
        answers.iter().take_while(move |(choices, _)| *choices <= choice).map(|&(_, same)| same)
    }
}
