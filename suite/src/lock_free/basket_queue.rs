//! The basket queue of Hoffman, Shalev, Shavit (OPODIS 2007). Enqueuers that lose the race for the last place put their nodes in front of the winner's, into the same
//! basket. Here a loser forgets to hang the winner behind its own node, and the winner's value is lost.

use crate::Program;
use gordian::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use gordian::thread;

/// The bug.
pub const PROGRAM: Program = Program {
    name: "basket-queue",
    source: "CB-DPOR thesis, table 6-1: cds basketqueue",
    about: "an enqueuer that comes second replaces the node of the first",
    threads: 3,
    body: basket_queue,
    ..Program::USUAL
};

const NODES: usize = 4;
const NIL: usize = 0;

struct Queue {
    tail: AtomicUsize,
    next: [AtomicUsize; NODES],
}

fn exchange(place: &AtomicUsize, from: usize, to: usize) -> bool {
    place.compare_exchange(from, to, SeqCst, SeqCst).is_ok()
}

impl Queue {
    fn enqueue(&self, node: usize, buggy: bool) {
        loop {
            let tail = self.tail.load(SeqCst);
            let next = self.next[tail].load(SeqCst);
            if next != NIL {
                exchange(&self.tail, tail, next);
                continue;
            }
            self.next[node].store(NIL, SeqCst);
            if exchange(&self.next[tail], NIL, node) {
                exchange(&self.tail, tail, node);
                return;
            }
            // Somebody else was faster: join the basket, as long as it is the last.
            while self.tail.load(SeqCst) == tail {
                let first = self.next[tail].load(SeqCst);
                if !buggy {
                    self.next[node].store(first, SeqCst);
                }
                if exchange(&self.next[tail], first, node) {
                    return;
                }
            }
        }
    }
}

fn basket_queue(buggy: bool) {
    let queue = Queue { tail: AtomicUsize::new(1), next: [NIL; NODES].map(AtomicUsize::new) };
    thread::scope(|s| {
        s.spawn(|| queue.enqueue(2, buggy));
        s.spawn(|| queue.enqueue(3, buggy));
    });
    let after = |&node: &usize| Some(queue.next[node].load(SeqCst)).filter(|&n| n != NIL);
    let nodes = std::iter::successors(Some(1), after).count() - 1;
    assert_eq!(nodes, 2, "a value was lost");
}
