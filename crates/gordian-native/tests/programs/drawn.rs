//! Threads of std that make the calls which the first argument, a seed, draws. The last store is of what they saw.

use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Condvar, Mutex, OnceLock, RwLock};
use std::thread;

include!("drawn_calls.rs");

static OUTCOME: AtomicUsize = AtomicUsize::new(0);

fn main() {
    let seed = std::env::args().nth(1).expect("a seed").parse().expect("a number");
    OUTCOME.store(outcome(seed), SeqCst);
}
