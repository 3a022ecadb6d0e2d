// Two workers share a queue. Each looks whether it is empty and then waits for a message, which the other may have taken.
// expect: deadlock
use std::thread;

fn main() {
    let (sender, receiver) = flume::unbounded();
    sender.send(1).unwrap();
    let work = || {
        let mut sum = 0;
        if cfg!(feature = "fixed") {
            while let Ok(n) = receiver.try_recv() {
                sum += n;
            }
        } else {
            while !receiver.is_empty() {
                sum += receiver.recv().unwrap();
            }
        }
        sum
    };
    let sum = thread::scope(|s| {
        let there = s.spawn(work);
        work() + there.join().unwrap()
    });
    assert_eq!(sum, 1);
    drop(sender);
}
