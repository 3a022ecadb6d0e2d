// Scoped threads each find the largest of their part and write it down if it is larger than what is there: looked at first, written later.
// expect: abnormal exit
use std::sync::atomic::{AtomicU32, Ordering::SeqCst};
use std::thread;

fn main() {
    let numbers = [3, 7, 5, 1];
    let largest = AtomicU32::new(0);
    thread::scope(|s| {
        for part in numbers.chunks(2) {
            let largest = &largest;
            s.spawn(move || {
                let mine = part.iter().copied().max().unwrap();
                if cfg!(fixed) {
                    largest.fetch_max(mine, SeqCst);
                } else if mine > largest.load(SeqCst) {
                    largest.store(mine, SeqCst);
                }
            });
        }
    });
    assert_eq!(largest.into_inner(), 7);
}
