//! A node of the execution tree: one execution, as a departure from another one, in 16 bytes.

use gordian_model::{OpKind, Planned, SiteId, ThreadId};

/// Where a node is in the [`Tree`](super::tree::Tree).
pub(super) type NodeId = u32;

/// No node.
pub(super) const NOBODY: NodeId = NodeId::MAX;

/// A departure from an execution.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Departure {
    /// The number of the choice, see [`Trace::choice`](gordian_model::Trace::choice).
    pub(super) choice: u32,
    pub(super) planned: Planned,
    /// What it and the departures before it cost.
    pub(super) price: u32,
}

/// A node of the execution tree.
///
/// One that has been executed counts its live successors; one that waits has none, and keeps in their place what op is expected to
/// be carried out where it departs.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Node {
    pub(super) parent: NodeId,
    count: u32,
    /// The number of the choice in the upper 24 bits, the price in the lower 8.
    choice: u32,
    /// The thread in the upper half, the outcome in the lower.
    chosen: u32,
}

/// Prices are at most this.
pub(crate) const MOST: u32 = u8::MAX as u32;

const UNKNOWN: u32 = u32::MAX;

impl Node {
    /// The execution that follows the default schedule.
    pub(super) const ROOT: Node = Node { parent: NOBODY, count: 0, choice: 0, chosen: 0 };

    /// A node that waits, or nothing if its numbers are too large.
    #[inline]
    pub(super) fn waiting(parent: NodeId, departure: &Departure, kinds: &mut Kinds) -> Option<Node> {
        let Departure { choice, planned, price } = *departure;
        let fits =
            choice < 1 << 24 && price <= MOST && planned.thread.0 < 1 << 14 && planned.outcome < 1 << 16;
        let count = planned.expected.map_or(UNKNOWN, |op| kinds.pack(op));
        fits.then_some(Node {
            parent,
            count,
            choice: choice << 8 | price,
            chosen: planned.thread.0 << 16 | planned.outcome,
        })
    }

    /// A node that is free, with the next one that is.
    pub(super) fn free(next: NodeId) -> Node {
        Node { parent: next, count: 0, choice: 0, chosen: 0 }
    }

    /// Where it departs from its parent's execution. What is expected there is known as long as it waits.
    #[inline]
    pub(super) fn departure(&self, waits: bool, kinds: &Kinds) -> Departure {
        let expected = if waits { kinds.unpack(self.count) } else { None };
        let planned =
            Planned { thread: ThreadId(self.chosen >> 16), outcome: self.chosen & 0xFFFF, expected };
        Departure { choice: self.choice >> 8, planned, price: self.choice & 0xFF }
    }

    /// From now on it counts its successors.
    #[inline]
    pub(super) fn open(&mut self) {
        self.count = 0;
    }

    #[inline]
    pub(super) fn successors(&mut self) -> &mut u32 {
        &mut self.count
    }

    pub(super) fn to_bytes(self) -> [u8; 16] {
        let mut bytes = [0; 16];
        for (place, word) in
            bytes.chunks_exact_mut(4).zip([self.parent, self.count, self.choice, self.chosen])
        {
            place.copy_from_slice(&word.to_le_bytes());
        }
        bytes
    }

    pub(super) fn from_bytes(bytes: &[u8; 16]) -> Node {
        let word = |i: usize| u32::from_le_bytes([bytes[i], bytes[i + 1], bytes[i + 2], bytes[i + 3]]);
        Node { parent: word(0), count: word(4), choice: word(8), chosen: word(12) }
    }
}

/// Puts a kind of op and a place into four bytes and gets them back.
#[derive(Debug)]
pub(super) struct Kinds(Vec<Option<OpKind>>);

impl Default for Kinds {
    fn default() -> Self {
        Kinds(vec![None; 256])
    }
}

impl Kinds {
    #[inline]
    fn pack(&mut self, (kind, site): (OpKind, SiteId)) -> u32 {
        self.0[kind as u8 as usize] = Some(kind);
        if site.0 < 1 << 23 { site.0 << 8 | u32::from(kind as u8) } else { UNKNOWN }
    }

    #[inline]
    fn unpack(&self, packed: u32) -> Option<(OpKind, SiteId)> {
        let kind = (packed != UNKNOWN).then(|| self.0[packed as usize & 0xFF])?;
        kind.map(|kind| (kind, SiteId(packed >> 8)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_node_is_sixteen_bytes() {
        assert_eq!(size_of::<Node>(), 16);
    }

    #[test]
    fn what_goes_in_comes_out() {
        let mut kinds = Kinds::default();
        for expected in [None, Some((OpKind::Lock, SiteId(77))), Some((OpKind::Load, SiteId::UNKNOWN))] {
            let planned = Planned { thread: ThreadId(16_383), outcome: 65_535, expected };
            let departure = Departure { choice: (1 << 24) - 1, planned, price: 255 };
            let node = Node::waiting(3, &departure, &mut kinds).unwrap();
            assert_eq!(Node::from_bytes(&node.to_bytes()), node);
            assert_eq!((node.parent, node.departure(true, &kinds)), (3, departure));
        }
        let planned = Planned { thread: ThreadId(16_384), outcome: 0, expected: None };
        assert_eq!(Node::waiting(0, &Departure { choice: 0, planned, price: 0 }, &mut kinds), None);
    }
}
