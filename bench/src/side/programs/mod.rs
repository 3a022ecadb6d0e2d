//! The programs, written once and compiled against each library: this folder is a module of each file in `libraries/`, and
//! `kit` is what that library offers in place of std. All orderings are SeqCst, so that what is right is not a matter of the
//! memory model: sequential consistency. `Arc` is std's in all of them, which spares loom the steps that its own would add. A program gives back the values it read, mixed into a number: its outcome.

use super::kit;

mod barrier;
mod buffer;
mod bugs;
mod channel;
mod counters;
mod deque;
mod hazard;
mod litmus;
mod mpmc;
mod philosophers;
mod queue;
mod rwlock;
mod seqlock;
mod spin;
mod stack;
mod task;
mod ticket;

use crate::side::outcome::mix;
use kit::sync::atomic::AtomicUsize;
use kit::thread;

/// A program of a size: how many threads, and how much each does.
pub(crate) type Body = fn(usize, usize) -> u64;

/// The program of a name.
pub(crate) fn find(name: &str) -> Option<Body> {
    Some(match name {
        "a" => counters::locked,
        "b" => counters::shared,
        "c" => counters::own,
        "d" => litmus::store_buffering,
        "e" => stack::program,
        "f" => queue::program,
        "g" => channel::program,
        "hangup" => channel::hangup,
        "h" => philosophers::program,
        "i" => counters::torn,
        "peek" => litmus::peek,
        "try-lock" => litmus::try_lock,
        "mpmc" => mpmc::program,
        "rwlock" => rwlock::program,
        "buffer" => buffer::program,
        "spin" => spin::program,
        "swap" => spin::swap,
        "ticket" => ticket::program,
        "seqlock" => seqlock::program,
        "deque" => deque::program,
        "hazard" => hazard::program,
        "task" => task::program,
        "barrier" => barrier::program,
        "leader" => barrier::leader,
        "bug-buffer" => buffer::buggy,
        "bug-spin" => spin::buggy,
        "bug-ticket" => ticket::buggy,
        "bug-seqlock" => seqlock::buggy,
        "bug-deque" => deque::buggy,
        "bug-hazard" => hazard::buggy,
        "bug-mpmc" => mpmc::buggy,
        "bug-task" => task::buggy,
        "bug-philosophers" => philosophers::buggy,
        "bug-rwlock" => rwlock::buggy,
        "bug-counter" => bugs::counter,
        "bug-flicker" => bugs::flicker,
        "bug-both" => bugs::both,
        "bug-channel" => channel::buggy,
        "bug-lazy" => bugs::lazy,
        _ => return None,
    })
}

/// Starts so many threads, waits for them, and gives back what each returned.
fn crew(threads: usize, work: impl Fn(usize) -> u64 + Clone + Send + 'static) -> Vec<u64> {
    let handles: Vec<_> = (0..threads)
        .map(|me| {
            let work = work.clone();
            thread::spawn(move || work(me))
        })
        .collect();
    handles.into_iter().map(|handle| handle.join().unwrap()).collect()
}

fn outcome(values: Vec<u64>) -> u64 {
    values.into_iter().fold(0, mix)
}

fn zeroes(count: usize) -> Vec<AtomicUsize> {
    (0..count).map(|_| AtomicUsize::new(0)).collect()
}
