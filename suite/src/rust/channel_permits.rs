//! A channel used as a semaphore: a message is a permit, taken by receiving and given back by sending. A thread that needs two takes them one by one; two such
//! threads hold one each and wait for ever.

use crate::Program;
use gordian::FailureKind;
use gordian::sync::Mutex;
use gordian::sync::mpsc::{Receiver, sync_channel};
use gordian::thread;

/// The bug.
pub const PROGRAM: Program = Program {
    name: "channel-permits",
    source: "std::sync::mpsc::sync_channel",
    about: "two threads that need two permits each hold one of the two",
    threads: 3,
    kind: FailureKind::Deadlock,
    body: channel_permits,
    ..Program::USUAL
};

fn channel_permits(buggy: bool) {
    let (give, take) = sync_channel(2);
    give.send(()).unwrap();
    give.send(()).unwrap();
    let take = Mutex::new(take);
    let both = |taking: &Mutex<Receiver<()>>| {
        if buggy {
            for _ in 0..2 {
                taking.lock().unwrap().recv().unwrap();
            }
        } else {
            // One at a time may wait for permits.
            let take = taking.lock().unwrap();
            take.recv().unwrap();
            take.recv().unwrap();
        }
    };
    let (take, both) = (&take, &both);
    thread::scope(|s| {
        for _ in 0..2 {
            let give = give.clone();
            s.spawn(move || {
                both(take);
                give.send(()).unwrap();
                give.send(()).unwrap();
            });
        }
    });
}
