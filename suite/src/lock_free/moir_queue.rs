//! Moir's variant of Michael and Scott's queue (Doherty et al., FORTE 2004): the head is moved without looking at the tail first. The tail may then be behind it and has to be moved
//! too, which is forgotten here: it refers to a node that was freed, and what is hung behind that when it is used again is not in the queue.

use super::client::{self, Calls, QueueCall, QueueCall::Dequeue, QueueCall::Enqueue};
use super::fifo::{Bug, Queue};
use crate::Program;

/// The bug.
pub const PROGRAM: Program = Program {
    name: "moir-queue",
    source: "CB-DPOR thesis, table 6-1: cds moirqueue",
    about: "the head overtakes the tail, which then refers to a free node",
    threads: 4,
    proof: "preemptions:2",
    body: moir_queue,
    ..Program::USUAL
};

const CALLS: Calls<QueueCall> =
    &[&[Dequeue, Dequeue, Enqueue(1)], &[Dequeue, Dequeue, Enqueue(2)], &[Dequeue, Dequeue, Enqueue(3)]];

fn moir_queue(buggy: bool) {
    let queue = Queue::new(if buggy { Bug::Tail } else { Bug::Moir });
    client::queue(CALLS, |value| queue.enqueue(value), || queue.dequeue());
}
