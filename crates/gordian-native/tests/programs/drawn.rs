//! Two threads that make calls which the first argument, a seed, draws: on atomics, and on what std has of locks, channels and waiting.
//! What they saw is stored at the end, so that the last step tells the outcome.

use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use std::sync::{Condvar, Mutex, OnceLock, RwLock, mpsc};
use std::thread;

static ATOMIC: AtomicUsize = AtomicUsize::new(0);
static LOCK: Mutex<usize> = Mutex::new(0);
static CHANGED: Condvar = Condvar::new();
static SHARED: RwLock<usize> = RwLock::new(0);
static ONCE: OnceLock<usize> = OnceLock::new();
static OUTCOME: AtomicUsize = AtomicUsize::new(0);

/// The next number of a sequence.
fn next(state: &mut usize) -> usize {
    *state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
    *state >> 33
}

/// Makes one call; what it saw.
fn call(which: usize, me: usize, sender: &mpsc::Sender<usize>, receiver: Option<&mpsc::Receiver<usize>>) -> usize {
    match which {
        0 => ATOMIC.load(SeqCst),
        1 => {
            ATOMIC.store(me, SeqCst);
            0
        }
        2 => ATOMIC.fetch_add(10, SeqCst),
        3 => {
            let mut value = LOCK.lock().unwrap();
            *value = *value * 3 + me;
            *value
        }
        4 => LOCK.try_lock().map_or(99, |value| *value),
        5 => *SHARED.read().unwrap(),
        6 => {
            let mut value = SHARED.write().unwrap();
            *value = *value * 3 + me;
            *value
        }
        7 => *ONCE.get_or_init(|| me),
        8 => {
            sender.send(me).unwrap();
            0
        }
        9 => receiver.map_or(0, |receiver| receiver.try_recv().unwrap_or(77)),
        10 => {
            *LOCK.lock().unwrap() += 100;
            CHANGED.notify_all();
            0
        }
        _ => {
            let mut value = LOCK.lock().unwrap();
            while *value < 100 {
                value = CHANGED.wait(value).unwrap();
            }
            *value
        }
    }
}

fn main() {
    let mut state = std::env::args().nth(1).expect("a seed").parse().expect("a number");
    let (sender, receiver) = mpsc::channel();
    let mut drawn = |kinds| [(); 2].map(|()| next(&mut state) % kinds);
    // Only one of the two waits, and is told.
    let (mine, theirs) = (drawn(12), drawn(11));
    let their_sender = sender.clone();
    let other = thread::spawn(move || {
        let seen = theirs.map(|which| call(which, 2, &their_sender, None));
        if mine.contains(&11) {
            call(10, 2, &their_sender, None);
        }
        seen
    });
    let here = mine.map(|which| call(which, 1, &sender, Some(&receiver)));
    let there = other.join().unwrap();
    let all = here.into_iter().chain(there).fold(7, |mix: usize, seen| mix.wrapping_mul(1_000_003).wrapping_add(seen));
    OUTCOME.store(all, SeqCst);
}
