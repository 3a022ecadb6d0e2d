//! Treiber's stack (1986), whose nodes are used again. A pop that has seen a node on top and the one below it is too late if the node was popped and pushed again meanwhile, with another below it
//! (ABA). A tag beside the number of the node, which grows with every change, tells the two apart.

use super::nodes::{NIL, Nodes, exchange};
use super::{Subject, stack};
use gordian::sync::Mutex;
use gordian::sync::atomic::{AtomicUsize, Ordering::SeqCst};

/// The bug.
pub const SUBJECT: Subject = Subject {
    name: "treiber-aba",
    source: "Treiber 1986; IBM System/370 Principles of Operation, appendix A",
    about: "the top of the stack is taken for the same because the same node is there again",
    object: |buggy| stack(move || Stack::new(buggy), Stack::push, Stack::pop),
    ..Subject::USUAL
};

struct Stack {
    top: AtomicUsize,
    nodes: Nodes,
    free: Mutex<Vec<usize>>,
    buggy: bool,
}

impl Stack {
    fn new(buggy: bool) -> Stack {
        Stack { top: AtomicUsize::new(NIL), nodes: Nodes::new(), free: Mutex::default(), buggy }
    }

    /// A reference to a node, newer than another.
    fn newer(&self, than: usize, node: usize) -> usize {
        if self.buggy { node } else { ((than >> 8) + 1) << 8 | node }
    }

    fn push(&self, value: usize) {
        let used = self.free.lock().unwrap().pop();
        let node = used.unwrap_or_else(|| self.nodes.fresh(0));
        self.nodes.value(node).store(value, SeqCst);
        loop {
            let top = self.top.load(SeqCst);
            self.nodes.next(node).store(top & 0xff, SeqCst);
            if exchange(&self.top, top, self.newer(top, node)) {
                return;
            }
        }
    }

    fn pop(&self) -> Option<usize> {
        loop {
            let top = self.top.load(SeqCst);
            let node = top & 0xff;
            if node == NIL {
                return None;
            }
            let next = self.nodes.next(node).load(SeqCst);
            if exchange(&self.top, top, self.newer(top, next)) {
                let value = self.nodes.value(node).load(SeqCst);
                self.free.lock().unwrap().push(node);
                return Some(value);
            }
        }
    }
}
