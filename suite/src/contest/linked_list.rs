//! LinkedList, after ConTest's: two threads append to a list without synchronisation. Both find the same last node, and the node that one of them hangs
//! behind it is replaced by the other's.

use crate::Program;
use gordian::sync::Mutex;
use gordian::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use gordian::thread;

/// The bug.
pub const PROGRAM: Program = Program {
    name: "linked-list",
    source: "RankChecker (ISSTA 2013), table 1: LinkedList",
    about: "two nodes are hung behind the same last node",
    threads: 3,
    published: Some((1, 1, 2)),
    schedules: Some(23),
    body: linked_list,
    ..Program::USUAL
};

const NODES: usize = 5;

/// Node 0 is the head; a node whose successor is 0 is the last.
#[derive(Default)]
struct List {
    next: [AtomicUsize; NODES],
    lock: Mutex<()>,
}

impl List {
    fn append(&self, node: usize, buggy: bool) {
        let _guard = (!buggy).then(|| self.lock.lock().unwrap());
        let mut last = 0;
        loop {
            match self.next[last].load(SeqCst) {
                0 => break self.next[last].store(node, SeqCst),
                next => last = next,
            }
        }
    }

    fn len(&self) -> usize {
        let after = |&node: &usize| Some(self.next[node].load(SeqCst)).filter(|&n| n != 0);
        std::iter::successors(Some(0), after).count() - 1
    }
}

fn linked_list(buggy: bool) {
    let list = List::default();
    thread::scope(|s| {
        s.spawn(|| [1, 2].map(|node| list.append(node, buggy)));
        s.spawn(|| [3, 4].map(|node| list.append(node, buggy)));
    });
    assert_eq!(list.len(), NODES - 1, "a node was lost");
}
