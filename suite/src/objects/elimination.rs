//! The elimination stack of Hendler, Shavit, Yerushalmi (SPAA 2004), with one place to meet. A push that loses the race for the top offers its value there; a pop that loses takes it, and neither has to touch the stack.
//! Taking must be one step with making sure that it is still offered, or two pops take the same.

use super::nodes::{NIL, Nodes, exchange};
use super::{Subject, stack};
use gordian::sync::atomic::{AtomicUsize, Ordering::SeqCst};

/// The bug.
pub const SUBJECT: Subject = Subject {
    name: "elimination-stack",
    source: "Hendler, Shavit, Yerushalmi, A scalable lock-free stack algorithm, SPAA 2004, section 3",
    about: "two pops take the same offer",
    object: |buggy| stack(move || Stack::new(buggy), Stack::push, Stack::pop),
    ..Subject::USUAL
};

const NOTHING: usize = 0;
/// The offer was taken, and whoever made it has not seen that yet.
const TAKEN: usize = usize::MAX;

struct Stack {
    top: AtomicUsize,
    nodes: Nodes,
    /// Nothing, the node that is offered, or that it was taken.
    offer: AtomicUsize,
    buggy: bool,
}

impl Stack {
    fn new(buggy: bool) -> Stack {
        Stack { top: AtomicUsize::new(NIL), nodes: Nodes::new(), offer: AtomicUsize::new(NOTHING), buggy }
    }

    fn push(&self, value: usize) {
        let node = self.nodes.fresh(value);
        loop {
            let top = self.top.load(SeqCst);
            self.nodes.next(node).store(top, SeqCst);
            if exchange(&self.top, top, node) {
                return;
            }
            if exchange(&self.offer, NOTHING, node) && !exchange(&self.offer, node, NOTHING) {
                self.offer.store(NOTHING, SeqCst);
                return;
            }
        }
    }

    fn pop(&self) -> Option<usize> {
        loop {
            let top = self.top.load(SeqCst);
            if top == NIL {
                return None;
            }
            let next = self.nodes.next(top).load(SeqCst);
            if exchange(&self.top, top, next) {
                return Some(self.nodes.value(top).load(SeqCst));
            }
            let node = self.offer.load(SeqCst);
            if node != NOTHING && node != TAKEN && self.take(node) {
                return Some(self.nodes.value(node).load(SeqCst));
            }
        }
    }

    fn take(&self, node: usize) -> bool {
        if self.buggy {
            self.offer.store(TAKEN, SeqCst);
            return true;
        }
        exchange(&self.offer, node, TAKEN)
    }
}
