// RUSTSEC-2021-0124, tokio 1.13.0. The receiver closes the channel and looks whether a message is there; the sender, which finds it closed, takes the message back at the
// same time.
// expect: data race
use std::thread;
use tokio::sync::oneshot;

fn main() {
    let (sender, mut receiver) = oneshot::channel();
    let sending = thread::spawn(move || sender.send(String::from("a message")).is_ok());
    receiver.close();
    let received = receiver.try_recv().is_ok();
    assert_eq!(sending.join().unwrap(), received);
}
