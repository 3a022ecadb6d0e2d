//! A queue with a lock, after `queue_bad` of SCTBench. Whether there is something to take is asked in one critical section and it is taken
//! in another, so two consumers may both be told of the same element.

use crate::Program;
use gordian::sync::Mutex;
use gordian::thread;
use std::collections::VecDeque;

/// The bug.
pub const PROGRAM: Program = Program {
    name: "queue",
    source: "SCTBench, CS.queue",
    about: "a consumer takes from a queue that another has emptied since it looked",
    threads: 4,
    body: queue,
    ..Program::USUAL
};

fn take(queue: &Mutex<VecDeque<u32>>, buggy: bool) -> Option<u32> {
    if !buggy {
        return queue.lock().unwrap().pop_front();
    }
    if queue.lock().unwrap().is_empty() {
        return None;
    }
    let value = queue.lock().unwrap().pop_front();
    assert!(value.is_some(), "the queue is empty");
    value
}

fn queue(buggy: bool) {
    let queue = Mutex::new(VecDeque::new());
    thread::scope(|s| {
        s.spawn(|| {
            for value in 0..3 {
                queue.lock().unwrap().push_back(value);
            }
        });
        for _ in 0..2 {
            s.spawn(|| {
                let taken: Vec<u32> = (0..2).filter_map(|_| take(&queue, buggy)).collect();
                assert!(taken.is_sorted(), "first in, first out");
            });
        }
    });
}
