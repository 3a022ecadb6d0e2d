//! Programs with a bug each, amid threads that do other things: what strategies are compared on.

use gordian::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use gordian::sync::{Arc, Mutex};
use gordian::thread::{self, JoinHandle};

/// A program with a bug.
pub struct Buggy {
    /// A word for it.
    pub name: &'static str,
    /// What goes wrong, and what it takes.
    pub about: &'static str,
    /// The program.
    pub body: fn(),
}

/// The programs.
pub const BUGGY: [Buggy; 5] = [
    Buggy { name: "counter", about: "an update is lost: 1 preemption, at 1 variable", body: counter },
    Buggy { name: "deadlock", about: "locks in three orders: 2 preemptions, at 2 variables", body: deadlock },
    Buggy {
        name: "stack",
        about: "a free list whose head is the same again: 1 preemption, at 1 variable",
        body: stack,
    },
    Buggy {
        name: "flicker",
        about: "a value seen twice changed in between, and back: 2 preemptions",
        body: flicker,
    },
    Buggy {
        name: "both",
        about: "two values change, each while it is looked at: 2 preemptions, 3 threads",
        body: both,
    },
];

fn join(threads: Vec<JoinHandle<()>>) {
    threads.into_iter().for_each(|t| t.join().unwrap());
}

/// Threads that have nothing to do with the bug.
fn noise(threads: &mut Vec<JoinHandle<()>>, count: usize, steps: usize) {
    let noise = Arc::new(AtomicUsize::new(0));
    for _ in 0..count {
        let noise = noise.clone();
        threads.push(thread::spawn(move || {
            for _ in 0..steps {
                noise.fetch_add(1, SeqCst);
            }
        }));
    }
}

fn counter() {
    let count = Arc::new(AtomicUsize::new(0));
    let mut threads = Vec::new();
    for _ in 0..2 {
        let count = count.clone();
        threads.push(thread::spawn(move || {
            let seen = count.load(SeqCst);
            count.store(seen + 1, SeqCst);
        }));
    }
    noise(&mut threads, 4, 5);
    join(threads);
    assert_eq!(count.load(SeqCst), 2);
}

fn deadlock() {
    let locks: Arc<[Mutex<u32>; 3]> = Arc::new(std::array::from_fn(|_| Mutex::new(0)));
    let mut threads = Vec::new();
    for i in 0..3 {
        let locks = locks.clone();
        threads.push(thread::spawn(move || {
            let mut first = locks[i].lock().unwrap();
            let second = locks[(i + 1) % 3].lock().unwrap();
            *first += *second;
        }));
    }
    noise(&mut threads, 3, 4);
    join(threads);
}

/// A stack of numbered nodes; `next[i]` is the node below node `i`, and `head` the topmost; 0 is none.
struct Stack {
    head: AtomicUsize,
    next: [AtomicUsize; 4],
    taken: [AtomicUsize; 4],
}

impl Stack {
    fn pop(&self) -> Option<usize> {
        loop {
            let top = self.head.load(SeqCst);
            if top == 0 {
                return None;
            }
            let below = self.next[top].load(SeqCst);
            if self.head.compare_exchange(top, below, SeqCst, SeqCst).is_ok() {
                assert_eq!(self.taken[top].swap(1, SeqCst), 0, "node {top} was taken twice");
                return Some(top);
            }
        }
    }

    fn push(&self, node: usize) {
        self.taken[node].store(0, SeqCst);
        loop {
            let top = self.head.load(SeqCst);
            self.next[node].store(top, SeqCst);
            if self.head.compare_exchange(top, node, SeqCst, SeqCst).is_ok() {
                return;
            }
        }
    }
}

fn stack() {
    let stack = Arc::new(Stack {
        head: AtomicUsize::new(1),
        next: [0, 2, 3, 0].map(AtomicUsize::new),
        taken: [0; 4].map(AtomicUsize::new),
    });
    let mut threads = Vec::new();
    let mine = stack.clone();
    threads.push(thread::spawn(move || {
        mine.pop();
        mine.pop();
    }));
    threads.push(thread::spawn(move || {
        let first = stack.pop();
        stack.pop();
        if let Some(first) = first {
            stack.push(first);
        }
    }));
    noise(&mut threads, 2, 4);
    join(threads);
}

fn flicker() {
    let value = Arc::new(AtomicUsize::new(0));
    let mine = value.clone();
    let mut threads = vec![
        thread::spawn(move || {
            let first = mine.load(SeqCst);
            let second = mine.load(SeqCst);
            assert_eq!(first, second, "it changed");
        }),
        thread::spawn(move || {
            value.store(1, SeqCst);
            value.store(0, SeqCst);
        }),
    ];
    noise(&mut threads, 3, 5);
    join(threads);
}

fn both() {
    let values = Arc::new([AtomicUsize::new(0), AtomicUsize::new(0)]);
    let mine = values.clone();
    let mut threads = vec![thread::spawn(move || {
        let seen = [0, 0, 1, 1].map(|i: usize| mine[i].load(SeqCst));
        assert!(seen[0] == seen[1] || seen[2] == seen[3], "both changed");
    })];
    for i in 0..2 {
        let values = values.clone();
        threads.push(thread::spawn(move || {
            values[i].fetch_add(1, SeqCst);
        }));
    }
    noise(&mut threads, 3, 5);
    join(threads);
}
