//! Programs whose reports are compared with snapshots: in a file of their own, so that line numbers stay.

use gordian::cell::UnsafeCell;
use gordian::sync::atomic::{AtomicBool, AtomicPtr, AtomicUsize, Ordering::*};
use gordian::sync::{Condvar, Mutex, mpsc};
use gordian::thread;
use std::sync::Arc;

/// Two threads that add one each, without holding on to what they read.
pub fn lost_update() {
    let count = Arc::new(AtomicUsize::new(0));
    let other = Arc::clone(&count);
    let thread = thread::spawn(move || {
        let seen = other.load(SeqCst);
        other.store(seen + 1, SeqCst);
    });
    let seen = count.load(SeqCst);
    count.store(seen + 1, SeqCst);
    thread.join().unwrap();
    assert_eq!(count.load(SeqCst), 2);
}

/// Two locks, taken in two orders.
pub fn lock_order() {
    let left = Arc::new(Mutex::new(0));
    let right = Arc::new(Mutex::new(0));
    let (l, r) = (Arc::clone(&left), Arc::clone(&right));
    let thread = thread::spawn(move || {
        let _right = r.lock().unwrap();
        let _left = l.lock().unwrap();
    });
    {
        let _left = left.lock().unwrap();
        let _right = right.lock().unwrap();
    }
    thread.join().unwrap();
}

/// Looks whether it is ready before it waits, but not under the lock.
pub fn lost_wakeup() {
    struct Gate {
        ready: AtomicBool,
        lock: Mutex<()>,
        opened: Condvar,
    }
    let gate = Arc::new(Gate { ready: AtomicBool::new(false), lock: Mutex::new(()), opened: Condvar::new() });
    let other = Arc::clone(&gate);
    let thread = thread::spawn(move || {
        other.ready.store(true, SeqCst);
        other.opened.notify_one();
    });
    if !gate.ready.load(SeqCst) {
        let guard = gate.lock.lock().unwrap();
        drop(gate.opened.wait(guard));
    }
    thread.join().unwrap();
}

/// Two flags, and each thread waits for the other to take its flag down.
pub fn polite_flags() {
    let flags = Arc::new([AtomicBool::new(false), AtomicBool::new(false)]);
    let other = Arc::clone(&flags);
    let thread = thread::spawn(move || {
        other[1].store(true, SeqCst);
        while other[0].load(SeqCst) {}
        other[1].store(false, SeqCst);
    });
    flags[0].store(true, SeqCst);
    while flags[1].load(SeqCst) {}
    flags[0].store(false, SeqCst);
    thread.join().unwrap();
}

/// Publishes a value with an ordering that publishes nothing.
pub fn relaxed_publication() {
    let shared = Arc::new(Shared { value: UnsafeCell::new(0), ready: AtomicBool::new(false) });
    let other = Arc::clone(&shared);
    let thread = thread::spawn(move || {
        other.value.with_mut(|value| assert!(!value.is_null()));
        other.ready.store(true, Relaxed);
    });
    if shared.ready.load(Relaxed) {
        shared.value.with(|value| assert!(!value.is_null()));
    }
    thread.join().unwrap();
}

struct Shared {
    value: UnsafeCell<i32>,
    ready: AtomicBool,
}

#[allow(unsafe_code)]
// SAFETY: the value is never touched, only said to be; that this is a data race is the point.
unsafe impl Sync for Shared {}

/// One path forgets a reference.
pub fn forgotten() {
    let message = gordian::sync::Arc::new("hello");
    let taken = Arc::new(AtomicBool::new(false));
    let other = (message.clone(), Arc::clone(&taken));
    let thread = thread::spawn(move || {
        if other.1.swap(true, SeqCst) {
            std::mem::forget(other.0);
        }
    });
    taken.swap(true, SeqCst);
    thread.join().unwrap();
}

/// A loop that counts its rounds.
pub fn endless() {
    let stop = Arc::new(AtomicBool::new(false));
    let other = Arc::clone(&stop);
    let rounds = Arc::new(AtomicUsize::new(0));
    let mine = Arc::clone(&rounds);
    thread::spawn(move || other.store(true, SeqCst));
    while !stop.load(SeqCst) || mine.load(SeqCst) > 0 {
        rounds.fetch_add(1, SeqCst);
    }
}

/// Does something else the second time.
pub fn remembers() {
    static CALLS: std::sync::atomic::AtomicUsize = std::sync::atomic::AtomicUsize::new(0);
    let flag = Arc::new(AtomicBool::new(false));
    let other = Arc::clone(&flag);
    let thread = thread::spawn(move || other.store(true, SeqCst));
    if CALLS.fetch_add(1, SeqCst) == 0 {
        flag.store(true, SeqCst);
    }
    flag.load(SeqCst);
    thread.join().unwrap();
}

/// Uses up its stack.
pub fn bottomless() {
    fn deeper(n: u64) -> u64 {
        let here = std::hint::black_box([n; 64]);
        if n == 0 { 0 } else { deeper(n - 1) + here[63] }
    }
    let thread = thread::spawn(|| {
        AtomicUsize::new(0).load(SeqCst);
        deeper(std::hint::black_box(1_000_000))
    });
    let _ = thread.join();
}

/// Never comes where it should.
pub fn uncovered() {
    let count = AtomicUsize::new(0);
    if count.load(SeqCst) > 0 {
        gordian::cover!("positive");
    }
}

/// A bank in which money is counted while it moves, with much else going on.
pub fn counted_too_soon() {
    struct Bank {
        first: Mutex<i32>,
        second: Mutex<i32>,
        log: AtomicUsize,
    }
    let bank = Arc::new(Bank { first: Mutex::new(50), second: Mutex::new(50), log: AtomicUsize::new(0) });
    let moving = Arc::clone(&bank);
    let mover = thread::spawn(move || {
        for _ in 0..3 {
            moving.log.fetch_add(1, SeqCst);
        }
        *moving.first.lock().unwrap() -= 10;
        *moving.second.lock().unwrap() += 10;
    });
    let bystander = thread::spawn(|| {
        let own = AtomicUsize::new(0);
        own.store(1, SeqCst);
        own.store(2, SeqCst);
    });
    let counting = Arc::clone(&bank);
    let counter = thread::spawn(move || {
        let first = counting.first.lock().unwrap();
        let second = counting.second.lock().unwrap();
        assert_eq!(*first + *second, 100);
    });
    mover.join().unwrap();
    bystander.join().unwrap();
    counter.join().unwrap();
}

/// Waits in a loop that pauses, on a channel, and for a reference count that is not there.
pub fn handed_over() {
    let (sender, receiver) = mpsc::channel();
    let turn = Arc::new(AtomicUsize::new(0));
    let other = Arc::clone(&turn);
    let thread = thread::spawn(move || {
        while other.load(SeqCst) == 0 {
            thread::yield_now();
        }
        let expected = other.compare_exchange(1, 2, SeqCst, SeqCst);
        sender.send(expected.is_ok()).unwrap();
    });
    turn.store(1, SeqCst);
    turn.fetch_add(2, SeqCst);
    assert!(receiver.recv().unwrap(), "not in turn");
    thread.join().unwrap();
}

/// A stack whose head may be the same again and yet another.
pub fn pointers() {
    let (a, b) = (Box::into_raw(Box::new(1)), Box::into_raw(Box::new(2)));
    let head = Arc::new(AtomicPtr::new(std::ptr::null_mut::<i32>()));
    let other = Arc::clone(&head);
    let addresses = (a as usize, b as usize);
    let thread = thread::spawn(move || other.store(addresses.0 as *mut i32, SeqCst));
    head.swap(addresses.1 as *mut i32, SeqCst);
    thread.join().unwrap();
    let last = head.load(SeqCst) as usize;
    #[allow(unsafe_code)]
    // SAFETY: both come from a box and are given back once.
    unsafe {
        drop((Box::from_raw(a), Box::from_raw(b)));
    }
    assert!(last == addresses.0, "overwritten");
}

/// Two threads that add one each, twice.
pub fn counted() {
    let count = Arc::new(AtomicUsize::new(0));
    let other = Arc::clone(&count);
    let thread = thread::spawn(move || {
        other.fetch_add(1, SeqCst);
        other.fetch_add(1, SeqCst);
    });
    count.fetch_add(1, SeqCst);
    count.fetch_add(1, SeqCst);
    thread.join().unwrap();
    assert_eq!(count.load(SeqCst), 4);
}

/// Looks under a lock, again and again.
pub fn waits_politely() {
    let ready = Arc::new(Mutex::new(false));
    let other = Arc::clone(&ready);
    let thread = thread::spawn(move || {
        while !*other.lock().unwrap() {
            thread::yield_now();
        }
    });
    *ready.lock().unwrap() = true;
    thread.join().unwrap();
}

/// A service that is not ours. It stores a value, or answers that it is busy; it does the same from any thread.
#[derive(Default)]
pub struct Store {
    value: Mutex<Option<u32>>,
}

impl Store {
    /// Stores the value, if there is none. Every answer that the real one may give is tried.
    pub fn put(&self, new: u32) -> Result<(), &'static str> {
        let mut value = self.value.lock().unwrap();
        let done = gordian::choose(2) == 0;
        if done && value.is_none() {
            *value = Some(new);
        }
        if done { Ok(()) } else { Err("busy") }
    }
}

/// Somebody who does not look at what the service answers.
pub fn careless() {
    let store = Arc::new(Store::default());
    let other = Arc::clone(&store);
    let thread = thread::spawn(move || {
        let _ = other.put(1);
    });
    let _ = store.put(2);
    thread.join().unwrap();
    assert!(store.value.lock().unwrap().is_some(), "nothing was stored");
}

/// Two threads that do much on their own, and share one value that they read and write in two steps.
pub fn much_on_their_own() {
    let count = Arc::new(AtomicUsize::new(0));
    let work = |count: &AtomicUsize| {
        let seen = count.load(SeqCst);
        let own = AtomicUsize::new(0);
        for _ in 0..20 {
            own.fetch_add(1, SeqCst);
        }
        count.store(seen + 1, SeqCst);
    };
    let other = Arc::clone(&count);
    let thread = thread::spawn(move || work(&other));
    work(&count);
    thread.join().unwrap();
    assert_eq!(count.load(SeqCst), 2);
}

/// Looks at what a lock guards when somebody else has had it in between.
pub fn held_by_another() {
    let total = Arc::new((Mutex::new(0), AtomicUsize::new(0)));
    let add = |total: &(Mutex<u32>, AtomicUsize)| {
        let mut sum = total.0.lock().unwrap();
        let seen = total.1.load(SeqCst);
        *sum += 1;
        drop(sum);
        total.1.store(seen + 1, SeqCst);
    };
    let spawn = || {
        let total = Arc::clone(&total);
        thread::spawn(move || add(&total))
    };
    let threads = [spawn(), spawn()];
    while total.1.load(SeqCst) == 0 {}
    let sum = total.0.lock().unwrap();
    drop(sum);
    for thread in threads {
        thread.join().unwrap();
    }
    assert_eq!(total.1.load(SeqCst), 2);
}

/// Uses nothing of Gordian's.
pub fn not_under_control() {
    let count = Arc::new(std::sync::Mutex::new(0));
    let other = Arc::clone(&count);
    let thread = std::thread::spawn(move || *other.lock().unwrap() += 1);
    *count.lock().unwrap() += 1;
    thread.join().unwrap();
}

/// A counter that is incremented in two steps, and its operations.
pub fn two_step_counter() -> gordian::lin::Object<AtomicUsize> {
    gordian::lin::Object::new(|| AtomicUsize::new(0))
        .op("increment", [()], |count, ()| {
            let seen = count.load(SeqCst);
            count.store(seen + 1, SeqCst);
            seen + 1
        })
        .op("get", [()], |count, ()| count.load(SeqCst))
}

/// A queue that waits for something to take out. Whoever puts in wakes somebody only if the queue was empty, although several may wait.
pub fn forgetful_queue() -> gordian::lin::Object<(Mutex<Vec<u32>>, Condvar)> {
    gordian::lin::Object::new(|| (Mutex::new(Vec::new()), Condvar::new()))
        .op("put", 1..=3, |(items, condvar), item| {
            let mut items = items.lock().unwrap();
            items.push(item);
            if items.len() == 1 {
                condvar.notify_one();
            }
        })
        .op("take", [()], |(items, condvar), ()| {
            let mut items = items.lock().unwrap();
            while items.is_empty() {
                items = condvar.wait(items).unwrap();
            }
            items.remove(0)
        })
}
