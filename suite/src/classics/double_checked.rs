//! Double-checked locking, after Bacon et al., "The double-checked locking is broken declaration" (2000). The instance is announced before its
//! fields are filled in, so one who looks without the lock may use it unfinished.

use crate::Program;
use gordian::sync::Mutex;
use gordian::sync::atomic::{AtomicBool, AtomicU32, Ordering::SeqCst};
use gordian::thread;

/// The bug.
pub const PROGRAM: Program = Program {
    name: "double-checked",
    source: "Bacon et al., The double-checked locking is broken declaration",
    about: "an instance is announced before it is finished",
    threads: 3,
    body: double_checked,
    ..Program::USUAL
};

#[derive(Default)]
struct Singleton {
    lock: Mutex<()>,
    made: AtomicBool,
    field: AtomicU32,
}

impl Singleton {
    fn field(&self, buggy: bool) -> u32 {
        if !self.made.load(SeqCst) {
            let _guard = self.lock.lock().unwrap();
            if !self.made.load(SeqCst) {
                if buggy {
                    self.made.store(true, SeqCst);
                    self.field.store(7, SeqCst);
                } else {
                    self.field.store(7, SeqCst);
                    self.made.store(true, SeqCst);
                }
            }
        }
        self.field.load(SeqCst)
    }
}

fn double_checked(buggy: bool) {
    let singleton = Singleton::default();
    thread::scope(|s| {
        for _ in 0..2 {
            s.spawn(|| assert_eq!(singleton.field(buggy), 7, "the instance is not finished"));
        }
    });
}
