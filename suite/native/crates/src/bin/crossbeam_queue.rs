// Whether a bounded queue has room is asked first, and the answer is relied on later.
// expect: abnormal exit
use crossbeam::queue::ArrayQueue;
use crossbeam::thread;

fn main() {
    let queue = ArrayQueue::new(1);
    let put = |item: u32| {
        if cfg!(feature = "fixed") {
            let _full = queue.push(item);
        } else if !queue.is_full() {
            queue.push(item).expect("there was room");
        }
    };
    thread::scope(|s| {
        s.spawn(|_| put(1));
        s.spawn(|_| put(2));
    })
    .unwrap();
    assert!(queue.pop().is_some());
}
