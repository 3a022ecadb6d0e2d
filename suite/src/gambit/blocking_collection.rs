//! BlockingCollection, in the manner of GAMBIT's test: consumers wait for items until it is said that no more will come. That is noted outside the lock, so a consumer that has
//! looked and not yet begun to wait misses it.

use crate::{Program, Seconds};
use gordian::FailureKind;
use gordian::sync::atomic::{AtomicBool, Ordering::SeqCst};
use gordian::sync::{Condvar, Mutex};
use gordian::thread;

/// The bug.
pub const PROGRAM: Program = Program {
    name: "blocking-collection",
    source: "GAMBIT (PPoPP 2010), tables 1 and 2: BlockingColl",
    about: "a consumer begins to wait just after it was said that nothing more will come",
    threads: 3,
    kind: FailureKind::Deadlock,
    seconds: Some(Seconds { depth_first: None, chess: None, best_first: 72 }),
    body: blocking_collection,
    ..Program::USUAL
};

#[derive(Default)]
struct Collection {
    items: Mutex<Vec<u32>>,
    completed: AtomicBool,
    changed: Condvar,
}

impl Collection {
    fn add(&self, item: u32) {
        self.items.lock().unwrap().push(item);
        self.changed.notify_one();
    }

    fn complete(&self, buggy: bool) {
        let guard = (!buggy).then(|| self.items.lock().unwrap());
        self.completed.store(true, SeqCst);
        self.changed.notify_all();
        drop(guard);
    }

    fn take(&self) -> Option<u32> {
        let mut items = self.items.lock().unwrap();
        loop {
            if let Some(item) = items.pop() {
                return Some(item);
            }
            if self.completed.load(SeqCst) {
                return None;
            }
            items = self.changed.wait(items).unwrap();
        }
    }
}

fn blocking_collection(buggy: bool) {
    let collection = Collection::default();
    thread::scope(|s| {
        for _ in 0..2 {
            s.spawn(|| while collection.take().is_some() {});
        }
        collection.add(1);
        collection.complete(buggy);
    });
}
