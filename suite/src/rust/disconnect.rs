//! The end of a channel, after `std::sync::mpsc::Receiver::try_recv`. A consumer that finds the channel empty asks whether the producer is done and leaves; a
//! message that was sent between the two is never received. Only `Disconnected` says that nothing will come.

use crate::Program;
use gordian::sync::atomic::{AtomicBool, Ordering::SeqCst};
use gordian::sync::mpsc::{TryRecvError, channel};
use gordian::thread;

/// The bug.
pub const PROGRAM: Program = Program {
    name: "disconnect",
    source: "std::sync::mpsc::Receiver::try_recv",
    about: "a consumer leaves when the producer is done, though a message came since it looked",
    threads: 2,
    body: disconnect,
    ..Program::USUAL
};

fn disconnect(buggy: bool) {
    let (sender, receiver) = channel();
    let done = AtomicBool::new(false);
    thread::scope(|s| {
        s.spawn(|| {
            let sender = sender;
            sender.send(1).unwrap();
            sender.send(2).unwrap();
            drop(sender);
            done.store(true, SeqCst);
        });
        let mut sum = 0;
        loop {
            match receiver.try_recv() {
                Ok(value) => sum += value,
                Err(TryRecvError::Disconnected) => break,
                Err(TryRecvError::Empty) if buggy && done.load(SeqCst) => break,
                Err(TryRecvError::Empty) => thread::yield_now(),
            }
        }
        assert_eq!(sum, 3, "a message was not received");
    });
}
