//! Harris's list (DISC 2001): a set whose nodes are marked before they are taken out, in the reference to the next. Without the mark, a node that is added behind one that is being taken out
//! is taken out with it.

use super::nodes::{NIL, Nodes, exchange};
use super::{Subject, set};
use gordian::sync::atomic::Ordering::SeqCst;

/// The bug.
pub const SUBJECT: Subject = Subject {
    name: "harris-list",
    source: "Harris, A pragmatic implementation of non-blocking linked-lists, DISC 2001, section 3",
    about: "an element is added behind one that is being taken out",
    object: |buggy| set(move || List::new(buggy), [List::insert, List::remove, List::contains]),
    ..Subject::USUAL
};

/// Added to the reference to the next node when a node is no longer in the set.
const MARK: usize = 64;

struct List {
    nodes: Nodes,
    head: usize,
    buggy: bool,
}

impl List {
    fn new(buggy: bool) -> List {
        let nodes = Nodes::new();
        let head = nodes.fresh(0);
        List { nodes, head, buggy }
    }

    /// The last node before the key, and the one after it; what is marked on the way is taken out.
    fn find(&self, key: usize) -> (usize, usize) {
        'again: loop {
            let mut before = self.head;
            let mut node = self.nodes.next(before).load(SeqCst);
            loop {
                if node == NIL {
                    return (before, NIL);
                }
                let next = self.nodes.next(node).load(SeqCst);
                if next >= MARK {
                    if !exchange(self.nodes.next(before), node, next - MARK) {
                        continue 'again;
                    }
                    node = next - MARK;
                } else if self.nodes.value(node).load(SeqCst) >= key {
                    return (before, node);
                } else {
                    (before, node) = (node, next);
                }
            }
        }
    }

    fn has(&self, node: usize, key: usize) -> bool {
        node != NIL && self.nodes.value(node).load(SeqCst) == key
    }

    fn insert(&self, key: usize) -> bool {
        let new = self.nodes.fresh(key);
        loop {
            let (before, after) = self.find(key);
            if self.has(after, key) {
                return false;
            }
            self.nodes.next(new).store(after, SeqCst);
            if exchange(self.nodes.next(before), after, new) {
                return true;
            }
        }
    }

    fn remove(&self, key: usize) -> bool {
        loop {
            let (before, node) = self.find(key);
            if !self.has(node, key) {
                return false;
            }
            let next = self.nodes.next(node).load(SeqCst);
            if self.buggy {
                if exchange(self.nodes.next(before), node, next) {
                    return true;
                }
            } else if next < MARK && exchange(self.nodes.next(node), next, next + MARK) {
                exchange(self.nodes.next(before), node, next);
                return true;
            }
        }
    }

    fn contains(&self, key: usize) -> bool {
        self.has(self.find(key).1, key)
    }
}
