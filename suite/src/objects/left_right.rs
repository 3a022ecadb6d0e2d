//! Left-right (Ramalhete, Correia, 2015): there are two copies, readers use the one and a writer changes the other, lets readers change over, and changes the first when nobody reads it any more. If it does not wait for them, they see
//! it half changed.

use super::{Checked, Subject};
use gordian::hint;
use gordian::lin::Object;
use gordian::sync::Mutex;
use gordian::sync::atomic::{AtomicUsize, Ordering::SeqCst};

/// The bug.
pub const SUBJECT: Subject = Subject {
    name: "left-right",
    source: "Ramalhete, Correia, Left-Right: a concurrency control technique with wait-free population oblivious reads, 2015",
    about: "the second copy is changed while somebody reads it",
    object: left_right,
    ..Subject::USUAL
};

fn left_right(buggy: bool) -> Box<dyn Checked> {
    let object = Object::new(move || Pair::new(buggy)).op("write", 1..=3, Pair::write).op(
        "read",
        [()],
        |pair: &Pair, ()| pair.read(),
    );
    Box::new(object)
}

struct Pair {
    /// Two copies of two words.
    copies: [[AtomicUsize; 2]; 2],
    /// The copy that is read.
    side: AtomicUsize,
    readers: [AtomicUsize; 2],
    /// Which of the two counts readers that begin now.
    version: AtomicUsize,
    writer: Mutex<()>,
    buggy: bool,
}

impl Pair {
    fn new(buggy: bool) -> Pair {
        Pair {
            copies: std::array::from_fn(|_| [0, 0].map(AtomicUsize::new)),
            side: AtomicUsize::new(0),
            readers: [0, 0].map(AtomicUsize::new),
            version: AtomicUsize::new(0),
            writer: Mutex::new(()),
            buggy,
        }
    }

    fn read(&self) -> (usize, usize) {
        let version = self.version.load(SeqCst);
        self.readers[version].fetch_add(1, SeqCst);
        let [first, second] = &self.copies[self.side.load(SeqCst)];
        let seen = (first.load(SeqCst), second.load(SeqCst));
        self.readers[version].fetch_sub(1, SeqCst);
        seen
    }

    fn change(&self, copy: usize, value: usize) {
        self.copies[copy].iter().for_each(|word| word.store(value, SeqCst));
    }

    fn wait(&self, version: usize) {
        while self.readers[version].load(SeqCst) > 0 {
            hint::spin_loop();
        }
    }

    fn write(&self, value: usize) {
        let _alone = self.writer.lock().unwrap();
        let side = self.side.load(SeqCst);
        self.change(1 - side, value);
        self.side.store(1 - side, SeqCst);
        if !self.buggy {
            let version = self.version.load(SeqCst);
            self.wait(1 - version);
            self.version.store(1 - version, SeqCst);
            self.wait(version);
        }
        self.change(side, value);
    }
}
