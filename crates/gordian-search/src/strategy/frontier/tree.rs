//! The execution tree: every execution that waits, and those that were departed from to come to it.
//!
//! (Coons, Burckhardt, Musuvathi, "GAMBIT", PPoPP 2010, section 3.2.) A node frees itself as soon as it is done, and
//! then its parents that have no other successor, so at the end of the search the tree is empty.

use super::node::{Departure, Kinds, NOBODY, Node, NodeId};

#[derive(Debug)]
pub(super) struct Tree {
    nodes: Vec<Node>,
    /// The first free node; each knows the next.
    free: NodeId,
    live: usize,
    peak: usize,
    kinds: Kinds,
}

impl Default for Tree {
    fn default() -> Self {
        Tree { nodes: Vec::new(), free: NOBODY, live: 0, peak: 0, kinds: Kinds::default() }
    }
}

impl Tree {
    pub(super) fn clear(&mut self) {
        self.nodes.clear();
        self.free = NOBODY;
        self.live = 0;
        self.peak = 0;
    }

    pub(super) fn live(&self) -> usize {
        self.live
    }

    /// The most nodes there were at one time.
    pub(super) fn peak(&self) -> usize {
        self.peak
    }

    /// How many nodes there is room for.
    pub(super) fn room(&self) -> usize {
        self.nodes.capacity()
    }

    /// Does one more node need more memory?
    #[inline]
    pub(super) fn is_full(&self) -> bool {
        self.free == NOBODY && self.nodes.len() == self.nodes.capacity()
    }

    /// Makes room for so many more nodes and not one more than that.
    pub(super) fn grow(&mut self, by: usize) {
        self.nodes.reserve_exact(by);
    }

    /// Puts a node in, without telling its parent.
    #[inline]
    pub(super) fn insert(&mut self, node: Node) -> NodeId {
        self.live += 1;
        self.peak = self.peak.max(self.live);
        if self.free == NOBODY {
            self.nodes.push(node);
            return self.nodes.len() as NodeId - 1;
        }
        let id = self.free;
        self.free = self.nodes[id as usize].parent;
        self.nodes[id as usize] = node;
        id
    }

    /// A new execution that waits; nothing if its numbers are too large.
    #[inline]
    pub(super) fn add(&mut self, parent: NodeId, departure: &Departure) -> Option<NodeId> {
        let node = Node::waiting(parent, departure, &mut self.kinds)?;
        *self.nodes[parent as usize].successors() += 1;
        Some(self.insert(node))
    }

    /// Takes a node out, without telling its parent.
    #[inline]
    pub(super) fn take(&mut self, id: NodeId) -> Node {
        self.live -= 1;
        let next = std::mem::replace(&mut self.free, id);
        std::mem::replace(&mut self.nodes[id as usize], Node::free(next))
    }

    /// A node that waited is executed: tells where it departs from each of those before it, the first of them first, and the
    /// nodes themselves after the root.
    pub(super) fn open(&mut self, id: NodeId, line: &mut Vec<NodeId>, departures: &mut Vec<Departure>) {
        line.clear();
        departures.clear();
        let (mut at, mut waits) = (id, true);
        while at != NOBODY {
            let node = &self.nodes[at as usize];
            line.push(at);
            if node.parent != NOBODY {
                departures.push(node.departure(waits, &self.kinds));
            }
            (at, waits) = (node.parent, false);
        }
        line.reverse();
        departures.reverse();
        self.nodes[id as usize].open();
    }

    /// A node has been executed: it goes, and its parents go, as far as they have no live successors.
    #[inline]
    pub(super) fn release(&mut self, id: NodeId, mut gone: impl FnMut(NodeId)) {
        let mut at = id;
        while at != NOBODY && *self.nodes[at as usize].successors() == 0 {
            gone(at);
            at = self.take(at).parent;
            if at != NOBODY {
                *self.nodes[at as usize].successors() -= 1;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use gordian_model::{Planned, ThreadId};

    #[test]
    fn nodes_free_themselves_and_their_childless_parents() {
        let mut tree = Tree::default();
        let departure = |choice| Departure {
            choice,
            planned: Planned { thread: ThreadId(1), outcome: 0, expected: None },
            price: 1,
        };
        let root = tree.insert(Node::ROOT);
        let a = tree.add(root, &departure(0)).unwrap();
        let b = tree.add(root, &departure(1)).unwrap();
        let (mut line, mut departures) = (Vec::new(), Vec::new());
        tree.open(a, &mut line, &mut departures);
        let c = tree.add(a, &departure(2)).unwrap();
        tree.open(c, &mut line, &mut departures);
        assert_eq!(
            (line.as_slice(), departures.as_slice()),
            (&[root, a, c][..], &[departure(0), departure(2)][..])
        );
        let mut gone = Vec::new();
        tree.release(c, |id| gone.push(id));
        assert_eq!((gone.as_slice(), tree.live()), (&[c, a][..], 2));
        tree.open(b, &mut line, &mut departures);
        tree.release(b, |id| gone.push(id));
        assert_eq!((gone.as_slice(), tree.live(), tree.peak()), (&[c, a, b, root][..], 0, 4));
    }
}
