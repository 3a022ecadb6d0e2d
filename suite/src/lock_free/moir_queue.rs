//! Moir's variant of Michael and Scott's queue (Doherty et al., FORTE 2004): the head is moved without looking at the tail first. The tail may then be behind it and has to be moved
//! too, which is forgotten here: it refers to a node that was freed, and what is hung behind that when it is used again is not in the queue.

use super::fifo::{Bug, Queue};
use crate::Program;
use gordian::thread;

/// The bug.
pub const PROGRAM: Program = Program {
    name: "moir-queue",
    source: "CB-DPOR thesis, table 6-1: cds moirqueue",
    about: "the head overtakes the tail, which then refers to a free node",
    threads: 2,
    proof: "preemptions:2",
    body: moir_queue,
    ..Program::USUAL
};

fn moir_queue(buggy: bool) {
    let queue = Queue::new(if buggy { Bug::Tail } else { Bug::Moir });
    let taken = thread::scope(|s| {
        s.spawn(|| queue.enqueue(1));
        let taken = queue.dequeue();
        queue.enqueue(2);
        taken
    });
    let mut all: Vec<usize> = taken.into_iter().chain(std::iter::from_fn(|| queue.dequeue())).collect();
    all.sort_unstable();
    assert_eq!(all, [1, 2], "what came out is not what was put in");
}
