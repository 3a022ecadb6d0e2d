// Two stages that talk both ways over channels with room for one message. Each sends two before it receives: both are full, and both wait.
// expect: deadlock
use std::sync::mpsc::sync_channel;
use std::thread;

const ROOM: usize = if cfg!(fixed) { 2 } else { 1 };

fn main() {
    let (requests, incoming) = sync_channel(ROOM);
    let (replies, answers) = sync_channel(ROOM);
    let server = thread::spawn(move || {
        for request in [incoming.recv().unwrap(), 0] {
            replies.send(request + 1).unwrap();
            replies.send(request + 2).unwrap();
        }
        incoming.iter().count()
    });
    for request in 0..3 {
        requests.send(request).unwrap();
    }
    let got = (0..4).map(|_| answers.recv().unwrap()).count();
    drop(requests);
    assert_eq!(got + server.join().unwrap(), 6);
}
