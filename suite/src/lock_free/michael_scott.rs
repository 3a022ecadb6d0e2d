//! Michael and Scott's queue (PODC 1996), in two wrong versions.
//!
//! - Boost's: a node that is used again begins with a tag of 0 (chapter 5 of the CB-DPOR thesis). An enqueuer that saw it as the last node hangs its own behind it,
//!   although it is not in the queue.
//! - A dequeuer reads the value after it has moved the head; by then the node may be another's.

use super::client::{self, Calls, QueueCall, QueueCall::Dequeue, QueueCall::Enqueue};
use super::fifo::{Bug, Queue};
use crate::Program;

/// The tag is reset.
pub const BOOST: Program = Program {
    name: "boost-fifo",
    source: "CB-DPOR thesis, chapter 5 and table 6-1: boost fifo",
    about: "the tag of a node that is used again begins at 0, and a value is hung behind it while it is not in the queue",
    threads: 3,
    proof: "preemptions:2",
    body: |buggy| run(if buggy { Bug::Tag } else { Bug::None }, FIGURE),
    ..Program::USUAL
};

/// The value is read late.
pub const LATE: Program = Program {
    name: "ms-queue",
    source: "CB-DPOR thesis, table 6-1: cds msqueue",
    about: "a value is read after the node has left the queue",
    threads: 4,
    body: |buggy| run(if buggy { Bug::Late } else { Bug::None }, RANDOM),
    ..BOOST
};

/// The five calls of figure 5-2 of the thesis, by as few threads as can make them.
const FIGURE: Calls<QueueCall> = &[&[Enqueue(1234), Dequeue], &[Enqueue(1236), Dequeue, Enqueue(1235)]];

const RANDOM: Calls<QueueCall> =
    &[&[Dequeue, Dequeue, Dequeue], &[Dequeue, Enqueue(1), Dequeue], &[Enqueue(2), Enqueue(3), Enqueue(4)]];

fn run(bug: Bug, calls: Calls<QueueCall>) {
    let queue = Queue::new(bug);
    client::queue(calls, |value| queue.enqueue(value), || queue.dequeue());
}
