//! Producer-consumer, after ConTest's: three of each share a buffer, with a place for each pair. A consumer
//! takes without waiting, as if its producer had always been faster.

use crate::Program;
use gordian::sync::{Condvar, Mutex};
use gordian::thread;

/// The bug.
pub const PROGRAM: Program = Program {
    name: "producer-consumer",
    source: "RankChecker (ISSTA 2013), table 1: Producer Consumer",
    about: "a consumer does not wait for something to be there",
    threads: 7,
    published: Some((0, 0, 2)),
    schedules: Some(1),
    proof: "pct:3",
    body: producer_consumer,
    ..Program::USUAL
};

fn producer_consumer(buggy: bool) {
    let (buffer, filled) = (Mutex::new([None; 3]), Condvar::new());
    let (buffer, filled) = (&buffer, &filled);
    thread::scope(|s| {
        for place in 0..3 {
            s.spawn(move || {
                buffer.lock().unwrap()[place] = Some(place);
                filled.notify_all();
            });
            s.spawn(move || {
                let mut items = buffer.lock().unwrap();
                while !buggy && items[place].is_none() {
                    items = filled.wait(items).unwrap();
                }
                items[place].take().expect("it was produced")
            });
        }
    });
}
