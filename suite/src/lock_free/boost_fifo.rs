//! Boost's version of Michael and Scott's queue (PODC 1996). A node that is used again begins with a tag of 0 (chapter 5 of the CB-DPOR thesis). An enqueuer that saw it as the last node hangs its own behind it,
//! although it is not in the queue.

use super::client::{self, Answer, QueueCall, QueueCall::Dequeue, QueueCall::Enqueue};
use super::fifo::{Bug, Queue};
use crate::Program;

/// The five calls of figure 5-2 of the thesis, by as few threads as can make them.
pub const FIGURE: Program = Program {
    name: "boost-fifo",
    source: "CB-DPOR thesis, chapter 5 and table 6-1: boost fifo",
    about: "the tag of a node that is used again begins at 0, and a value is hung behind it while it is not in the queue",
    threads: 3,
    proof: "preemptions:2",
    body: |buggy| {
        run(buggy, &[&[Enqueue(1234), Dequeue], &[Enqueue(1236), Dequeue, Enqueue(1235)]]);
    },
    ..Program::USUAL
};

/// A drawn test. (That a queue is empty can be asked of Boost's, but is not said to hold when other threads use it.)
pub const fn program<const DRAW: u32>(name: &'static str) -> Program {
    Program {
        name,
        threads: 4,
        body: |buggy| {
            run(buggy, &client::draw_queue("boost-fifo", DRAW, 2).each_ref().map(|calls| &calls[..]));
        },
        ..FIGURE
    }
}

fn run(buggy: bool, calls: &[&[QueueCall]]) {
    let queue = Queue::new(if buggy { Bug::Tag } else { Bug::None });
    client::queue(calls, |_, call| match call {
        Enqueue(value) => {
            queue.enqueue(value);
            Answer::Done
        }
        Dequeue => Answer::Took(queue.dequeue()),
        QueueCall::IsEmpty => unreachable!("is not drawn"),
    });
}
