//! A sequence lock (Linux; Boehm, MSPC 2012): a number is odd while somebody writes, and whoever reads looks at it before and after. If it looks only before, it may see the one half of a value and the other of the next.

use super::{Checked, Subject};
use gordian::hint;
use gordian::lin::Object;
use gordian::sync::Mutex;
use gordian::sync::atomic::{AtomicUsize, Ordering::SeqCst};

/// The bug.
pub const SUBJECT: Subject = Subject {
    name: "sequence-lock",
    source: "Boehm, Can seqlocks get along with programming language memory models?, MSPC 2012",
    about: "the number is not looked at after the value was read",
    object: sequence_lock,
    ..Subject::USUAL
};

fn sequence_lock(buggy: bool) -> Box<dyn Checked> {
    let object = Object::new(Lock::default).op("write", 1..=3, Lock::write).op(
        "read",
        [()],
        move |lock: &Lock, ()| lock.read(buggy),
    );
    Box::new(object)
}

#[derive(Default)]
struct Lock {
    number: AtomicUsize,
    words: [AtomicUsize; 2],
    writer: Mutex<()>,
}

impl Lock {
    fn write(&self, value: usize) {
        let _alone = self.writer.lock().unwrap();
        let number = self.number.load(SeqCst);
        self.number.store(number + 1, SeqCst);
        self.words.iter().for_each(|word| word.store(value, SeqCst));
        self.number.store(number + 2, SeqCst);
    }

    fn read(&self, buggy: bool) -> (usize, usize) {
        loop {
            let before = self.number.load(SeqCst);
            if before.is_multiple_of(2) {
                let seen = (self.words[0].load(SeqCst), self.words[1].load(SeqCst));
                if buggy || self.number.load(SeqCst) == before {
                    return seen;
                }
            }
            hint::spin_loop();
        }
    }
}
