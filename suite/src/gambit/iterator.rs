//! Iterator, in the manner of GAMBIT's test of the CCR: a task waits for a message at a port. It looks into the port and then leaves word that it waits; a message that
//! is posted in between lies in the port, and the task turns round for ever.

use crate::{Program, Seconds};
use gordian::FailureKind;
use gordian::sync::Mutex;
use gordian::sync::atomic::{AtomicBool, Ordering::SeqCst};
use gordian::thread;

/// The bug.
pub const PROGRAM: Program = Program {
    name: "iterator",
    source: "GAMBIT (PPoPP 2010), tables 1 and 2: Iterator",
    about: "a message is posted between a look into the port and the word that somebody waits",
    threads: 2,
    kind: FailureKind::Livelock,
    seconds: Some(Seconds { depth_first: Some(82), chess: Some(78), best_first: 3 }),
    body: iterator,
    ..Program::USUAL
};

#[derive(Default)]
struct Port {
    messages: Mutex<Vec<u32>>,
    waits: AtomicBool,
    woken: AtomicBool,
}

impl Port {
    fn post(&self, message: u32) {
        self.messages.lock().unwrap().push(message);
        if self.waits.load(SeqCst) {
            self.woken.store(true, SeqCst);
        }
    }

    fn receive(&self, buggy: bool) -> u32 {
        if !buggy {
            self.waits.store(true, SeqCst);
        }
        if let Some(message) = self.messages.lock().unwrap().pop() {
            return message;
        }
        self.waits.store(true, SeqCst);
        while !self.woken.load(SeqCst) {}
        self.messages.lock().unwrap().pop().expect("there is a message")
    }
}

fn iterator(buggy: bool) {
    let port = Port::default();
    thread::scope(|s| {
        s.spawn(|| port.post(7));
        assert_eq!(port.receive(buggy), 7);
    });
}
