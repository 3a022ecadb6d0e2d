//! Michael and Scott's queue (PODC 1996), in two wrong versions.
//!
//! - Boost's: a node that is used again begins with a tag of 0 (chapter 5 of the CB-DPOR thesis). An enqueuer that saw it as the last node hangs its own behind it,
//!   although it is not in the queue.
//! - A dequeuer reads the value after it has moved the head; by then the node may be another's.

use super::fifo::{Bug, Queue};
use crate::Program;
use gordian::thread;

/// The tag is reset.
pub const BOOST: Program = Program {
    name: "boost-fifo",
    source: "CB-DPOR thesis, chapter 5 and table 6-1: boost fifo",
    about: "the tag of a node that is used again begins at 0, and a value is hung behind it while it is not in the queue",
    threads: 2,
    proof: "preemptions:2",
    body: |buggy| run(if buggy { Bug::Tag } else { Bug::None }),
    ..Program::USUAL
};

/// The value is read late.
pub const LATE: Program = Program {
    name: "ms-queue",
    source: "CB-DPOR thesis, table 6-1: cds msqueue",
    about: "a value is read after the node has left the queue",
    body: |buggy| run(if buggy { Bug::Late } else { Bug::None }),
    ..BOOST
};

fn run(bug: Bug) {
    let queue = Queue::new(bug);
    thread::scope(|s| {
        let mine = s.spawn(|| {
            queue.enqueue(10);
            let first = queue.dequeue();
            queue.enqueue(20);
            first
        });
        queue.enqueue(1);
        // Two were put in before this, and the other thread takes only one out.
        let own = queue.dequeue().expect("the queue is not empty");
        let other = mine.join().unwrap().expect("the queue is not empty");
        let last = queue.dequeue().expect("one is left");
        let mut all = [own, other, last];
        all.sort_unstable();
        assert_eq!(all, [1, 10, 20], "what came out is not what was put in");
    });
}
