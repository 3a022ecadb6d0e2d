//! GatherPost2, in the manner of GAMBIT's test of the CCR: one thread puts items on a port, another takes them off. The port keeps a count beside its list, and
//! `enqueue` and `try_dequeue` change it outside the lock in two steps. GAMBIT found it soon when told these two methods.

use crate::{Program, Seconds};
use gordian::sync::Mutex;
use gordian::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use gordian::thread;
use std::collections::VecDeque;

/// The bug.
pub const PROGRAM: Program = Program {
    name: "gather-post2",
    source: "GAMBIT (PPoPP 2010), tables 1 and 2: GatherPost2",
    about: "a port loses count of its items",
    threads: 2,
    seconds: Some(Seconds { depth_first: None, chess: None, best_first: 15 }),
    body: gather_post2,
    ..Program::USUAL
};

#[derive(Default)]
struct Port {
    items: Mutex<VecDeque<u32>>,
    count: AtomicUsize,
    buggy: bool,
}

impl Port {
    fn enqueue(&self, item: u32) {
        self.items.lock().unwrap().push_back(item);
        if self.buggy {
            self.count.store(self.count.load(SeqCst) + 1, SeqCst);
        } else {
            self.count.fetch_add(1, SeqCst);
        }
    }

    fn try_dequeue(&self) -> Option<u32> {
        if self.count.load(SeqCst) == 0 {
            return None;
        }
        if self.buggy {
            self.count.store(self.count.load(SeqCst) - 1, SeqCst);
        } else {
            self.count.fetch_sub(1, SeqCst);
        }
        self.items.lock().unwrap().pop_front()
    }
}

fn gather_post2(buggy: bool) {
    let port = Port { buggy, ..Port::default() };
    thread::scope(|s| {
        s.spawn(|| (0..3).for_each(|item| port.enqueue(item)));
        for _ in 0..3 {
            port.try_dequeue();
        }
    });
    assert_eq!(port.count.load(SeqCst), port.items.lock().unwrap().len(), "the count is wrong");
}
