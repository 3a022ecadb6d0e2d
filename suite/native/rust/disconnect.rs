// The receiver takes an empty channel for a finished one: the sender may still be at work.
// expect: abnormal exit
use std::sync::mpsc::{TryRecvError, channel};
use std::thread;

fn main() {
    let (sender, receiver) = channel();
    let producer = thread::spawn(move || {
        sender.send(1).unwrap();
        sender.send(2).unwrap();
    });
    let mut sum = 0;
    if cfg!(fixed) {
        sum = receiver.iter().sum();
    } else {
        receiver.recv().map(|n| sum += n).unwrap();
        loop {
            match receiver.try_recv() {
                Ok(n) => sum += n,
                Err(TryRecvError::Empty | TryRecvError::Disconnected) => break,
            }
        }
    }
    // Only now, or the sender would find nobody there.
    producer.join().unwrap();
    assert_eq!(sum, 3);
}
