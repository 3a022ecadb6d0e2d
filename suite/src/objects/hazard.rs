//! A stack with hazard pointers (Michael, TPDS 2004): whoever looks at a node says so first, and a node that somebody looks at is not used again. Having said so, one has to look whether it is still
//! on top, because it may have been popped in between.

use super::nodes::{NIL, Nodes, exchange};
use super::{Subject, stack};
use gordian::sync::Mutex;
use gordian::sync::atomic::{AtomicUsize, Ordering::SeqCst};

/// The bug.
pub const SUBJECT: Subject = Subject {
    name: "hazard-stack",
    source: "Michael, Hazard pointers, IEEE TPDS 2004, figure 10",
    about: "a node is said to be in use without looking whether it still is on top",
    object: |buggy| stack(move || Stack::new(buggy), Stack::push, Stack::pop),
    ..Subject::USUAL
};

/// As many as calls at once.
const HAZARDS: usize = 3;

struct Stack {
    top: AtomicUsize,
    nodes: Nodes,
    hazards: [AtomicUsize; HAZARDS],
    /// Nodes that were popped and may be in use.
    retired: Mutex<Vec<usize>>,
    buggy: bool,
}

impl Stack {
    fn new(buggy: bool) -> Stack {
        Stack {
            top: AtomicUsize::new(NIL),
            nodes: Nodes::new(),
            hazards: [NIL; HAZARDS].map(AtomicUsize::new),
            retired: Mutex::default(),
            buggy,
        }
    }

    /// A node that nobody looks at any more, or a new one.
    fn node(&self) -> usize {
        let mut retired = self.retired.lock().unwrap();
        let unused = |node: &usize| self.hazards.iter().all(|hazard| hazard.load(SeqCst) != *node);
        match retired.iter().position(unused) {
            Some(place) => retired.swap_remove(place),
            None => self.nodes.fresh(0),
        }
    }

    fn push(&self, value: usize) {
        self.nodes.push(&self.top, self.node(), value);
    }

    /// Says that a node is in use.
    fn announce(&self, node: usize) -> &AtomicUsize {
        let free = self.hazards.iter().find(|hazard| exchange(hazard, NIL, node));
        free.expect("there are as many as calls at once")
    }

    fn pop(&self) -> Option<usize> {
        loop {
            let top = self.top.load(SeqCst);
            if top == NIL {
                return None;
            }
            let hazard = self.announce(top);
            if self.buggy || self.top.load(SeqCst) == top {
                let next = self.nodes.next(top).load(SeqCst);
                if exchange(&self.top, top, next) {
                    let value = self.nodes.value(top).load(SeqCst);
                    hazard.store(NIL, SeqCst);
                    self.retired.lock().unwrap().push(top);
                    return Some(value);
                }
            }
            hazard.store(NIL, SeqCst);
        }
    }
}
