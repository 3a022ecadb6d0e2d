// RUSTSEC-2021-0093, crossbeam-deque 0.8.0. A thread steals a batch of tasks while their owner pops so many that the buffer shrinks, and pushes another: the thief goes on
// with the old buffer, takes a task that has been popped, and the new one is lost.
// expect: abnormal exit
use crossbeam_deque::{Steal, Worker};
use std::thread;

fn main() {
    let (owner, thief) = (Worker::new_lifo(), Worker::new_lifo());
    // A buffer for 128 tasks with 32 left in it: with one less it shrinks.
    (0..65).for_each(|task| owner.push(task));
    while owner.len() > 32 {
        owner.pop();
    }
    let stealer = owner.stealer();
    let stealing = thread::spawn(move || {
        let stolen = stealer.steal_batch(&thief);
        assert!(!matches!(stolen, Steal::Empty));
        std::iter::from_fn(|| thief.pop()).collect::<Vec<u32>>()
    });
    let mut done: Vec<u32> = (0..17).filter_map(|_| owner.pop()).collect();
    owner.push(32);
    done.extend(stealing.join().unwrap());
    done.extend(std::iter::from_fn(|| owner.pop()));
    done.sort();
    assert_eq!(done, (0..33).collect::<Vec<u32>>());
}
