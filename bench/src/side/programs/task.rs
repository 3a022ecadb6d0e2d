//! A task that waits for signals from threads, and is woken by them.

use super::kit::future::block_on;
use super::kit::sync::Mutex;
use super::kit::sync::atomic::{AtomicBool, Ordering::SeqCst};
use super::kit::thread;
use super::mix;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, Waker};

struct Signal {
    given: AtomicBool,
    waker: Mutex<Option<Waker>>,
}

impl Signal {
    fn give(&self) {
        self.given.store(true, SeqCst);
        let waker = self.waker.lock().unwrap().take();
        if let Some(waker) = waker {
            waker.wake();
        }
    }
}

/// Gives back whether the signal was there when it was first looked at.
struct Wait {
    signal: Arc<Signal>,
    first: Option<bool>,
    /// The bug: the signal may come between the look and the waker.
    trusting: bool,
}

impl Future for Wait {
    type Output = bool;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<bool> {
        let given = self.signal.given.load(SeqCst);
        let first = *self.first.get_or_insert(given);
        if given {
            return Poll::Ready(first);
        }
        *self.signal.waker.lock().unwrap() = Some(context.waker().clone());
        if !self.trusting && self.signal.given.load(SeqCst) {
            return Poll::Ready(first);
        }
        Poll::Pending
    }
}

fn signals(threads: usize, trusting: bool) -> u64 {
    let signals: Vec<_> = (0..threads)
        .map(|_| Arc::new(Signal { given: AtomicBool::new(false), waker: Mutex::new(None) }))
        .collect();
    let handles: Vec<_> = signals
        .iter()
        .map(|signal| {
            let signal = Arc::clone(signal);
            thread::spawn(move || signal.give())
        })
        .collect();
    let seen = block_on(async move {
        let mut all = 0;
        for signal in signals {
            let wait = Wait { signal: Arc::clone(&signal), first: None, trusting };
            all = mix(all, u64::from(wait.await));
            // A waker that is left behind would be a leak.
            signal.waker.lock().unwrap().take();
        }
        all
    });
    handles.into_iter().for_each(|handle| handle.join().unwrap());
    seen
}

pub(super) fn program(threads: usize, _: usize) -> u64 {
    signals(threads, false)
}

pub(super) fn buggy(threads: usize, _: usize) -> u64 {
    signals(threads, true)
}
