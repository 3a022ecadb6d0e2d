//! A bounded queue for many producers and consumers: slots with sequence numbers (Vyukov). It does not wait: a full queue
//! takes nothing, an empty one gives nothing.

use super::kit::hint::spin_loop;
use super::kit::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use super::{crew, mix, outcome};
use std::sync::Arc;

const CAPACITY: usize = 2;

struct Slot {
    turn: AtomicUsize,
    value: AtomicUsize,
}

struct Queue {
    slots: [Slot; CAPACITY],
    head: AtomicUsize,
    tail: AtomicUsize,
    /// The bug: a slot is handed over before it is filled.
    early: bool,
}

impl Queue {
    fn new(early: bool) -> Queue {
        Queue {
            slots: std::array::from_fn(|i| Slot { turn: AtomicUsize::new(i), value: AtomicUsize::new(0) }),
            head: AtomicUsize::new(0),
            tail: AtomicUsize::new(0),
            early,
        }
    }

    fn push(&self, value: usize) -> bool {
        loop {
            let tail = self.tail.load(SeqCst);
            let slot = &self.slots[tail % CAPACITY];
            let turn = slot.turn.load(SeqCst);
            if turn < tail {
                return false;
            }
            if turn > tail {
                spin_loop();
            } else if self.tail.compare_exchange(tail, tail + 1, SeqCst, SeqCst).is_ok() {
                if self.early {
                    slot.turn.store(tail + 1, SeqCst);
                    slot.value.store(value, SeqCst);
                } else {
                    slot.value.store(value, SeqCst);
                    slot.turn.store(tail + 1, SeqCst);
                }
                return true;
            }
        }
    }

    fn pop(&self) -> Option<usize> {
        loop {
            let head = self.head.load(SeqCst);
            let slot = &self.slots[head % CAPACITY];
            let turn = slot.turn.load(SeqCst);
            if turn < head + 1 {
                return None;
            }
            if turn > head + 1 {
                spin_loop();
            } else if self.head.compare_exchange(head, head + 1, SeqCst, SeqCst).is_ok() {
                let value = slot.value.load(SeqCst);
                slot.turn.store(head + CAPACITY, SeqCst);
                return Some(value);
            }
        }
    }
}

/// Half of the threads put in, the others take out; an odd one puts in.
fn exchange(threads: usize, ops: usize, early: bool) -> u64 {
    let queue = Arc::new(Queue::new(early));
    outcome(crew(threads, move |me| {
        (0..ops).fold(0, |all, op| {
            let done = if me % 2 == 0 {
                u64::from(queue.push(me * ops + op + 1))
            } else {
                let taken = queue.pop();
                assert_ne!(taken, Some(0), "a slot was taken before it was filled");
                taken.unwrap_or(0) as u64
            };
            mix(all, done)
        })
    }))
}

pub(super) fn program(threads: usize, ops: usize) -> u64 {
    exchange(threads, ops, false)
}

pub(super) fn buggy(threads: usize, ops: usize) -> u64 {
    exchange(threads, ops, true)
}
