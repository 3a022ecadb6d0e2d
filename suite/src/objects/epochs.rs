//! A stack with epochs (Fraser, Practical lock-freedom, 2004, section 5.2.3): whoever is in a call says in which epoch it began; the epoch goes on when everybody in a call has seen it, and a node that was popped is used again two
//! epochs later. One is too early: somebody who began in the epoch before may still look at it.

use super::nodes::{NIL, Nodes, exchange};
use super::{Subject, stack};
use gordian::sync::Mutex;
use gordian::sync::atomic::{AtomicUsize, Ordering::SeqCst};

/// The bug.
pub const SUBJECT: Subject = Subject {
    name: "epoch-stack",
    source: "Fraser, Practical lock-freedom, 2004, section 5.2.3",
    about: "a node is used again one epoch after it was popped",
    object: |buggy| stack(move || Stack::new(buggy), Stack::push, Stack::pop),
    ..Subject::USUAL
};

/// As many as calls at once.
const CALLERS: usize = 3;
/// Nobody is there.
const AWAY: usize = 0;

struct Stack {
    top: AtomicUsize,
    nodes: Nodes,
    epoch: AtomicUsize,
    /// The epochs in which calls began.
    callers: [AtomicUsize; CALLERS],
    /// Popped nodes, with the epochs in which they were.
    limbo: Mutex<Vec<(usize, usize)>>,
    buggy: bool,
}

impl Stack {
    fn new(buggy: bool) -> Stack {
        Stack {
            top: AtomicUsize::new(NIL),
            nodes: Nodes::new(),
            epoch: AtomicUsize::new(1),
            callers: [AWAY; CALLERS].map(AtomicUsize::new),
            limbo: Mutex::default(),
            buggy,
        }
    }

    /// Begins a call, in the epoch that is now.
    fn enter(&self) -> &AtomicUsize {
        let epoch = self.epoch.load(SeqCst);
        let caller = self.callers.iter().find(|caller| exchange(caller, AWAY, epoch));
        let caller = caller.expect("there are as many as calls at once");
        // It may have gone on before it was said.
        loop {
            let now = self.epoch.load(SeqCst);
            if now == caller.load(SeqCst) {
                return caller;
            }
            caller.store(now, SeqCst);
        }
    }

    /// Lets the epoch go on if everybody who is in a call has seen it.
    fn advance(&self) {
        let epoch = self.epoch.load(SeqCst);
        let seen = |caller: &AtomicUsize| [AWAY, epoch].contains(&caller.load(SeqCst));
        if self.callers.iter().all(seen) {
            exchange(&self.epoch, epoch, epoch + 1);
        }
    }

    /// A node that nobody looks at any more, or a new one.
    fn node(&self) -> usize {
        self.advance();
        let wait = if self.buggy { 1 } else { 2 };
        let mut limbo = self.limbo.lock().unwrap();
        let epoch = self.epoch.load(SeqCst);
        match limbo.iter().position(|&(_, popped)| popped + wait <= epoch) {
            Some(place) => limbo.swap_remove(place).0,
            None => self.nodes.fresh(0),
        }
    }

    fn push(&self, value: usize) {
        self.nodes.push(&self.top, self.node(), value);
    }

    fn pop(&self) -> Option<usize> {
        let caller = self.enter();
        let popped = loop {
            let top = self.top.load(SeqCst);
            if top == NIL {
                break None;
            }
            let next = self.nodes.next(top).load(SeqCst);
            if exchange(&self.top, top, next) {
                let value = self.nodes.value(top).load(SeqCst);
                self.limbo.lock().unwrap().push((top, self.epoch.load(SeqCst)));
                break Some(value);
            }
        };
        caller.store(AWAY, SeqCst);
        popped
    }
}
