// Two threads meet on channels without room: each gives before it takes.
// expect: deadlock
use crossbeam::channel::bounded;
use crossbeam::select;
use std::thread;

fn main() {
    let (to_right, from_left) = bounded(0);
    let (to_left, from_right) = bounded(0);
    let right = thread::spawn(move || {
        if cfg!(feature = "fixed") {
            let got = from_left.recv().unwrap();
            to_left.send(got + 1).unwrap();
        } else {
            to_left.send(1).unwrap();
            from_left.recv().unwrap();
        }
    });
    select! {
        send(to_right, 1) -> sent => sent.unwrap(),
        default => to_right.send(2).unwrap(),
    }
    from_right.recv().unwrap();
    right.join().unwrap();
}
