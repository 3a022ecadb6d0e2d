// RUSTSEC-2025-0024, crossbeam-channel 0.5.12 to 0.5.14. Two threads send the first messages while the receiver is dropped: the block that one of them is putting
// in place is freed twice.
// expect: double free, use after free
use std::thread;

fn main() {
    let (sender, receiver) = crossbeam_channel::unbounded();
    thread::scope(|s| {
        for message in 0..2 {
            let sender = sender.clone();
            s.spawn(move || sender.send(message));
        }
        drop((sender, receiver));
    });
}
