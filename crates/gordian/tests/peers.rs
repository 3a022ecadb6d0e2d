//! The programs on which loom and shuttle were measured, with the number of classes that each has, and the things
//! that go wrong elsewhere.

mod common;

use common::{Seen, search};
use gordian::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use gordian::sync::{Mutex, mpsc};
use gordian::{Checker, thread};
use std::fmt::Debug;
use std::sync::Arc;

fn together<T: Send + 'static>(threads: impl IntoIterator<Item = thread::JoinHandle<T>>) -> Vec<T> {
    let threads: Vec<_> = threads.into_iter().collect();
    threads.into_iter().map(|t| t.join().unwrap()).collect()
}

/// The exhaustive search carries out each class once and shows what brute force shows.
fn has_classes<T: Ord + Debug + Send + 'static>(
    classes: u64,
    body: impl Fn() -> T + Send + Sync + Copy + 'static,
) {
    let all = search("dfs", body);
    let optimal = once_each(classes, body);
    assert!(all.report.complete());
    assert_eq!(all.classes.len() as u64, classes);
    assert!(all.outcomes.keys().eq(optimal.outcomes.keys()), "{:?} and {:?}", all.outcomes, optimal.outcomes);
}

fn once_each<T: Ord + Debug + Send + 'static>(
    classes: u64,
    body: impl Fn() -> T + Send + Sync + Copy + 'static,
) -> Seen<T> {
    let optimal = search("exhaustive", body);
    assert!(optimal.report.failure().is_none(), "{}", optimal.report);
    assert_eq!((optimal.report.executions(), optimal.report.blocked()), (classes, 0));
    assert_eq!(optimal.classes.len() as u64, classes);
    optimal
}

#[test]
fn a_two_threads_lock_a_mutex_twice() {
    has_classes(6, || {
        let mutex = Arc::new(Mutex::new(0));
        together((0..2).map(|_| {
            let mutex = mutex.clone();
            thread::spawn(move || [0; 2].map(|_| std::mem::replace(&mut *mutex.lock().unwrap(), 1)))
        }))
    });
}

#[test]
fn b_three_threads_add_to_one_atomic_twice() {
    has_classes(90, || {
        let atomic = Arc::new(AtomicUsize::new(0));
        together((0..3).map(|_| {
            let atomic = atomic.clone();
            thread::spawn(move || [0; 2].map(|_| atomic.fetch_add(1, SeqCst)))
        }))
    });
}

#[test]
fn c_three_threads_add_to_their_own_atomics() {
    has_classes(1, || {
        together((0..3).map(|_| {
            let atomic = AtomicUsize::new(0);
            thread::spawn(move || [0; 3].map(|_| atomic.fetch_add(1, SeqCst)))
        }))
    });
}

#[test]
fn d_store_buffering_gives_no_false_alarm() {
    has_classes(3, || {
        let both = Arc::new([AtomicUsize::new(0), AtomicUsize::new(0)]);
        let read = together((0..2).map(|i| {
            let both = both.clone();
            thread::spawn(move || {
                both[i].store(1, SeqCst);
                both[1 - i].load(SeqCst)
            })
        }));
        assert_ne!(read, [0, 0]);
        read
    });
}

/// A Treiber stack whose nodes are numbered from one; links are written before a node is published.
struct Treiber {
    head: AtomicUsize,
    next: [std::sync::atomic::AtomicUsize; 3],
}

impl Treiber {
    fn push(&self, node: usize) {
        loop {
            let head = self.head.load(SeqCst);
            self.next[node].store(head, SeqCst);
            if self.head.compare_exchange(head, node, SeqCst, SeqCst).is_ok() {
                return;
            }
        }
    }

    fn pop(&self) -> usize {
        loop {
            let head = self.head.load(SeqCst);
            let next = self.next[head].load(SeqCst);
            if head == 0 || self.head.compare_exchange(head, next, SeqCst, SeqCst).is_ok() {
                return head;
            }
        }
    }
}

#[test]
fn e_a_treiber_stack() {
    has_classes(E_CLASSES, || {
        let stack = Arc::new(Treiber { head: AtomicUsize::new(0), next: Default::default() });
        together((1..3).map(|node| {
            let stack = stack.clone();
            thread::spawn(move || {
                stack.push(node);
                stack.pop()
            })
        }))
    });
}

/// Counted by brute force with fingerprints.
const E_CLASSES: u64 = 46;

/// A Michael-Scott queue whose nodes are numbered from one; node 0 is "none", node 1 the first dummy.
struct MichaelScott {
    head: AtomicUsize,
    tail: AtomicUsize,
    next: [AtomicUsize; 4],
}

impl MichaelScott {
    fn enqueue(&self, node: usize) {
        loop {
            let tail = self.tail.load(SeqCst);
            let next = self.next[tail].load(SeqCst);
            if next != 0 {
                let _ = self.tail.compare_exchange(tail, next, SeqCst, SeqCst);
            } else if self.next[tail].compare_exchange(0, node, SeqCst, SeqCst).is_ok() {
                let _ = self.tail.compare_exchange(tail, node, SeqCst, SeqCst);
                return;
            }
        }
    }

    fn dequeue(&self) -> usize {
        loop {
            let head = self.head.load(SeqCst);
            let tail = self.tail.load(SeqCst);
            let next = self.next[head].load(SeqCst);
            if next == 0 {
                return 0;
            }
            if head == tail {
                let _ = self.tail.compare_exchange(tail, next, SeqCst, SeqCst);
            } else if self.head.compare_exchange(head, next, SeqCst, SeqCst).is_ok() {
                return next;
            }
        }
    }
}

fn michael_scott() -> Vec<usize> {
    let queue = Arc::new(MichaelScott {
        head: AtomicUsize::new(1),
        tail: AtomicUsize::new(1),
        next: [0; 4].map(AtomicUsize::new),
    });
    together((1..4).map(|thread| {
        let queue = queue.clone();
        thread::spawn(move || {
            if thread == 1 {
                return queue.dequeue();
            }
            queue.enqueue(thread);
            thread
        })
    }))
}

#[test]
fn f_a_michael_scott_queue() {
    let optimal = once_each(F_CLASSES, michael_scott);
    // Brute force would take too long; sleep sets alone show every class at least once, and need no races.
    let sleep = search("dfs:sleep", michael_scott);
    assert!(sleep.classes.keys().eq(optimal.classes.keys()));
    assert!(sleep.outcomes.keys().eq(optimal.outcomes.keys()));
}

/// Counted with sleep sets and fingerprints.
const F_CLASSES: u64 = 128;

#[test]
fn g_two_producers_and_a_consumer() {
    has_classes(6, || {
        let (sender, receiver) = mpsc::channel();
        let producers: Vec<_> = (0..2)
            .map(|p| {
                let sender = sender.clone();
                thread::spawn(move || (0..2).for_each(|n| sender.send(2 * p + n).unwrap()))
            })
            .collect();
        let received = [0; 4].map(|_| receiver.recv().unwrap());
        together(producers);
        received
    });
}

#[test]
fn h_three_philosophers_with_ordered_forks() {
    has_classes(6, || {
        let forks = Arc::new([Mutex::new(0), Mutex::new(0), Mutex::new(0)]);
        together((0..3).map(|p| {
            let forks = forks.clone();
            thread::spawn(move || {
                let (low, high) = (p.min((p + 1) % 3), p.max((p + 1) % 3));
                let mut first = forks[low].lock().unwrap();
                let mut second = forks[high].lock().unwrap();
                *first += 1;
                *second += 1;
                (*first, *second)
            })
        }))
    });
}

#[test]
fn i_three_threads_load_and_store() {
    has_classes(36, || {
        let atomic = Arc::new(AtomicUsize::new(0));
        together((0..3).map(|_| {
            let atomic = atomic.clone();
            thread::spawn(move || {
                let seen = atomic.load(SeqCst);
                atomic.store(seen + 1, SeqCst);
                seen
            })
        }))
    });
}

#[test]
fn five_hundred_threads_are_one_execution() {
    let report = Checker::new().stack_size(64 * 1024).run(|| {
        together((0..500).map(|_| {
            let mine = AtomicUsize::new(0);
            thread::spawn(move || mine.fetch_add(1, SeqCst))
        }));
    });
    assert_eq!((report.executions(), report.complete()), (1, true), "{report}");
}

#[test]
fn ten_executions_are_ten() {
    let report = Checker::new().executions(10).run(|| {
        let atomic = Arc::new(AtomicUsize::new(0));
        together((0..4).map(|_| {
            let atomic = atomic.clone();
            thread::spawn(move || atomic.fetch_add(1, SeqCst))
        }));
    });
    assert_eq!((report.executions(), report.complete()), (10, false));
}

#[test]
fn a_spin_loop_has_two_executions() {
    let report = Checker::new().run(|| {
        let flag = Arc::new(AtomicUsize::new(0));
        let other = flag.clone();
        let waits = thread::spawn(move || while other.load(SeqCst) == 0 {});
        flag.store(1, SeqCst);
        waits.join().unwrap();
    });
    assert_eq!((report.executions(), report.complete()), (2, true), "{report}");
}

#[test]
fn a_loop_that_counts_to_forty_has_forty_one() {
    let report = Checker::new().search("exhaustive").run(|| {
        let flag = Arc::new(AtomicUsize::new(0));
        let other = flag.clone();
        let counts = thread::spawn(move || (0..40).any(|_| other.load(SeqCst) == 1));
        flag.store(1, SeqCst);
        counts.join().unwrap();
    });
    assert_eq!((report.executions(), report.complete()), (41, true), "{report}");
}

#[test]
fn a_load_sees_a_store_that_comes_after_another_load() {
    let seen = search("exhaustive", || {
        let x = Arc::new(AtomicUsize::new(0));
        let other = x.clone();
        let writer = thread::spawn(move || {
            other.load(SeqCst);
            other.store(1, SeqCst);
        });
        let read = x.load(SeqCst);
        writer.join().unwrap();
        read
    });
    assert!(seen.outcomes.keys().eq(&[0, 1]), "{:?}", seen.outcomes);
}
