//! The JDK's synchronised HashSet and TreeSet, with 200 threads. Every method locks its set, but to add all of one set to another goes through it element by element, and the
//! lock is free between two of them: another thread changes the set that is gone through, and the iterator notices.

use crate::Program;
use gordian::sync::Mutex;
use gordian::thread;
use std::collections::BTreeSet;

const SET: Program = Program {
    threads: 200,
    published: Some((1, 1, 2)),
    schedules: Some(813),
    remark: "not known: with 200 threads it takes longer than 20 minutes to find out",
    proof: "pct:2",
    ..Program::USUAL
};

/// The bug in a set of buckets.
pub const HASH_SET: Program = Program {
    name: "hash-set",
    source: "RankChecker (ISSTA 2013), table 1: HashSet of JDK 1.4.2",
    about: "a hashed set is changed while another thread goes through it",
    body: run::<HashSet>,
    ..SET
};

/// The bug in a sorted set.
pub const TREE_SET: Program = Program {
    name: "tree-set",
    source: "RankChecker (ISSTA 2013), table 1: TreeSet of JDK 1.4.2",
    about: "a sorted set is changed while another thread goes through it",
    body: run::<TreeSet>,
    ..SET
};

/// A set that counts its changes.
trait Set: Default + Send {
    fn add(&mut self, element: u32);
    fn changes(&self) -> u32;
    /// The element after this one, in the order of the set; none after the last.
    fn after(&self, element: Option<u32>) -> Option<u32>;
}

#[derive(Default)]
struct HashSet {
    buckets: [Vec<u32>; 8],
    changes: u32,
}

impl Set for HashSet {
    fn add(&mut self, element: u32) {
        let bucket = &mut self.buckets[element as usize % 8];
        if !bucket.contains(&element) {
            bucket.push(element);
            self.changes += 1;
        }
    }

    fn changes(&self) -> u32 {
        self.changes
    }

    fn after(&self, element: Option<u32>) -> Option<u32> {
        let mut all = self.buckets.iter().flatten().copied();
        if element.is_some() {
            all.find(|&e| Some(e) == element);
        }
        all.next()
    }
}

#[derive(Default)]
struct TreeSet {
    tree: BTreeSet<u32>,
    changes: u32,
}

impl Set for TreeSet {
    fn add(&mut self, element: u32) {
        self.changes += u32::from(self.tree.insert(element));
    }

    fn changes(&self) -> u32 {
        self.changes
    }

    fn after(&self, element: Option<u32>) -> Option<u32> {
        self.tree.range(element.map_or(0, |e| e + 1)..).next().copied()
    }
}

/// What adding all of a set to another reads from it.
fn all<S: Set>(set: &Mutex<S>, buggy: bool) -> Vec<u32> {
    let mut inside = set.lock().unwrap();
    let begun = inside.changes();
    let mut elements: Vec<u32> = Vec::new();
    while let Some(next) = inside.after(elements.last().copied()) {
        elements.push(next);
        if buggy {
            drop(inside);
            inside = set.lock().unwrap();
        }
        assert_eq!(inside.changes(), begun, "the set was changed by another thread");
    }
    elements
}

fn run<S: Set>(buggy: bool) {
    let mut set = S::default();
    (0..2).for_each(|element| set.add(element));
    let (from, to) = (Mutex::new(set), Mutex::new(S::default()));
    let (from, to) = (&from, &to);
    thread::scope(|s| {
        s.spawn(move || {
            let elements = all(from, buggy);
            elements.into_iter().for_each(|element| to.lock().unwrap().add(element));
        });
        for element in 0..198 {
            s.spawn(move || from.lock().unwrap().add(element));
        }
    });
}
