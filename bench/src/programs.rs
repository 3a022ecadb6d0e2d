//! Programs a to i: small tests of the kind that people write, which other tools have been measured on.

use gordian::sync::atomic::{AtomicPtr, AtomicUsize, Ordering::SeqCst};
use gordian::sync::{Arc, Mutex, mpsc};
use gordian::thread;
use std::ptr::null_mut;

/// A program, with its letter and what it does.
pub struct Program {
    /// The letter.
    pub name: &'static str,
    /// What it does.
    pub about: &'static str,
    /// The program.
    pub body: fn(),
    /// Can it be searched to the end without any reduction in a moment?
    pub small: bool,
}

/// The programs.
pub const PROGRAMS: [Program; 9] = [
    Program { name: "a", about: "2 threads lock a mutex and increment, twice", body: a, small: true },
    Program { name: "b", about: "3 threads fetch_add one atomic, twice", body: b, small: true },
    Program { name: "c", about: "3 threads fetch_add their own atomic, 3 times", body: c, small: true },
    Program { name: "d", about: "store buffering, SeqCst", body: d, small: true },
    Program { name: "e", about: "Treiber stack, 2 threads push and pop", body: e, small: true },
    Program { name: "f", about: "Michael-Scott queue, 2 enqueue, 1 dequeues", body: f, small: false },
    Program { name: "g", about: "mpsc, 2 producers send 2 each", body: g, small: true },
    Program { name: "h", about: "3 philosophers, ordered forks", body: h, small: false },
    Program { name: "i", about: "3 threads load and store", body: i, small: true },
];

fn all<const N: usize>(threads: [thread::JoinHandle<()>; N]) {
    for thread in threads {
        thread.join().unwrap();
    }
}

fn a() {
    let count = Arc::new(Mutex::new(0));
    all::<2>(std::array::from_fn(|_| {
        let count = Arc::clone(&count);
        thread::spawn(move || {
            for _ in 0..2 {
                *count.lock().unwrap() += 1;
            }
        })
    }));
}

fn b() {
    let count = Arc::new(AtomicUsize::new(0));
    all::<3>(std::array::from_fn(|_| {
        let count = Arc::clone(&count);
        thread::spawn(move || {
            for _ in 0..2 {
                count.fetch_add(1, SeqCst);
            }
        })
    }));
}

fn c() {
    all::<3>(std::array::from_fn(|_| {
        let count = AtomicUsize::new(0);
        thread::spawn(move || {
            for _ in 0..3 {
                count.fetch_add(1, SeqCst);
            }
        })
    }));
}

fn d() {
    let flags = Arc::new([AtomicUsize::new(0), AtomicUsize::new(0)]);
    all::<2>(std::array::from_fn(|me| {
        let flags = Arc::clone(&flags);
        thread::spawn(move || {
            flags[me].store(1, SeqCst);
            flags[1 - me].load(SeqCst);
        })
    }));
}

struct Node {
    value: usize,
    next: AtomicPtr<Node>,
}

impl Node {
    fn new(value: usize) -> *mut Node {
        Box::into_raw(Box::new(Node { value, next: AtomicPtr::new(null_mut()) }))
    }
}

/// A Treiber stack whose nodes live as long as it.
struct Stack {
    head: AtomicPtr<Node>,
    nodes: std::sync::Mutex<Vec<usize>>,
}

#[allow(unsafe_code)]
impl Stack {
    fn keep(&self, node: *mut Node) -> *mut Node {
        self.nodes.lock().unwrap().push(node as usize);
        node
    }

    fn push(&self, value: usize) {
        let node = self.keep(Node::new(value));
        loop {
            let head = self.head.load(SeqCst);
            // SAFETY: nodes live as long as the stack.
            unsafe { (*node).next.store(head, SeqCst) };
            if self.head.compare_exchange(head, node, SeqCst, SeqCst).is_ok() {
                return;
            }
        }
    }

    fn pop(&self) -> Option<usize> {
        loop {
            let head = self.head.load(SeqCst);
            if head.is_null() {
                return None;
            }
            // SAFETY: nodes live as long as the stack.
            let next = unsafe { (*head).next.load(SeqCst) };
            if self.head.compare_exchange(head, next, SeqCst, SeqCst).is_ok() {
                // SAFETY: as above.
                return Some(unsafe { (*head).value });
            }
        }
    }
}

#[allow(unsafe_code)]
fn free(nodes: &std::sync::Mutex<Vec<usize>>) {
    for &node in nodes.lock().unwrap().iter() {
        // SAFETY: every node came from a box, is in the list once, and nobody uses the structure any more.
        drop(unsafe { Box::from_raw(node as *mut Node) });
    }
}

impl Drop for Stack {
    fn drop(&mut self) {
        free(&self.nodes);
    }
}

fn e() {
    let stack = Arc::new(Stack { head: AtomicPtr::new(null_mut()), nodes: std::sync::Mutex::default() });
    all::<2>(std::array::from_fn(|me| {
        let stack = Arc::clone(&stack);
        thread::spawn(move || {
            stack.push(me);
            stack.pop();
        })
    }));
}

/// A Michael-Scott queue whose nodes live as long as it.
struct Queue {
    head: AtomicPtr<Node>,
    tail: AtomicPtr<Node>,
    nodes: std::sync::Mutex<Vec<usize>>,
}

#[allow(unsafe_code)]
impl Queue {
    fn new() -> Queue {
        let dummy = Node::new(0);
        let nodes = std::sync::Mutex::new(vec![dummy as usize]);
        Queue { head: AtomicPtr::new(dummy), tail: AtomicPtr::new(dummy), nodes }
    }

    fn enqueue(&self, value: usize) {
        let node = Node::new(value);
        self.nodes.lock().unwrap().push(node as usize);
        loop {
            let tail = self.tail.load(SeqCst);
            // SAFETY: nodes live as long as the queue.
            let next = unsafe { &(*tail).next };
            let after = next.load(SeqCst);
            if !after.is_null() {
                let _ = self.tail.compare_exchange(tail, after, SeqCst, SeqCst);
            } else if next.compare_exchange(null_mut(), node, SeqCst, SeqCst).is_ok() {
                let _ = self.tail.compare_exchange(tail, node, SeqCst, SeqCst);
                return;
            }
        }
    }

    fn dequeue(&self) -> Option<usize> {
        loop {
            let head = self.head.load(SeqCst);
            let tail = self.tail.load(SeqCst);
            // SAFETY: nodes live as long as the queue.
            let next = unsafe { (*head).next.load(SeqCst) };
            if next.is_null() {
                return None;
            }
            if head == tail {
                let _ = self.tail.compare_exchange(tail, next, SeqCst, SeqCst);
            } else if self.head.compare_exchange(head, next, SeqCst, SeqCst).is_ok() {
                // SAFETY: as above.
                return Some(unsafe { (*next).value });
            }
        }
    }
}

impl Drop for Queue {
    fn drop(&mut self) {
        free(&self.nodes);
    }
}

fn f() {
    let queue = Arc::new(Queue::new());
    all::<3>(std::array::from_fn(|me| {
        let queue = Arc::clone(&queue);
        thread::spawn(move || {
            if me < 2 {
                queue.enqueue(me);
            } else {
                queue.dequeue();
            }
        })
    }));
}

fn g() {
    let (sender, receiver) = mpsc::channel();
    let producers: [_; 2] = std::array::from_fn(|me| {
        let sender = sender.clone();
        thread::spawn(move || {
            sender.send(me).unwrap();
            sender.send(me).unwrap();
        })
    });
    drop(sender);
    assert_eq!(receiver.iter().count(), 4);
    all(producers);
}

fn h() {
    let forks: Arc<[Mutex<()>; 3]> = Arc::new(std::array::from_fn(|_| Mutex::new(())));
    all::<3>(std::array::from_fn(|me| {
        let forks = Arc::clone(&forks);
        thread::spawn(move || {
            let (first, second) = (me.min((me + 1) % 3), me.max((me + 1) % 3));
            let _first = forks[first].lock().unwrap();
            let _second = forks[second].lock().unwrap();
        })
    }));
}

fn i() {
    let count = Arc::new(AtomicUsize::new(0));
    all::<3>(std::array::from_fn(|_| {
        let count = Arc::clone(&count);
        thread::spawn(move || {
            let seen = count.load(SeqCst);
            count.store(seen + 1, SeqCst);
        })
    }));
}

/// Sixteen readers and a writer: 65,536 classes.
pub fn readers() {
    let value = Arc::new(AtomicUsize::new(0));
    let writer = Arc::clone(&value);
    let writer = thread::spawn(move || writer.store(42, SeqCst));
    let readers: [_; 16] = std::array::from_fn(|_| {
        let value = Arc::clone(&value);
        thread::spawn(move || {
            value.load(SeqCst);
        })
    });
    all(readers);
    writer.join().unwrap();
}

/// big0 of the oracles: 69,112 classes.
pub fn big() {
    let memory = Arc::new([const { AtomicUsize::new(0) }; 4]);
    let reader = |places: &'static [usize]| {
        let memory = Arc::clone(&memory);
        thread::spawn(move || {
            for &place in places {
                memory[place].load(SeqCst);
            }
        })
    };
    let writer = |places: [usize; 2]| {
        let memory = Arc::clone(&memory);
        thread::spawn(move || {
            for value in 1..=3 {
                for place in places {
                    memory[place].store(value, SeqCst);
                }
            }
        })
    };
    let threads = [reader(&[0, 1, 2, 3, 0, 1, 2]), reader(&[0, 1, 2]), writer([0, 1]), writer([2, 3])];
    all(threads);
}
