//! Vyukov's bounded queue for many producers and consumers: each place of a ring has a number that says whose turn it is. Two mistakes:
//!
//! - The number is changed before the value is there, and a consumer takes what was there before.
//! - A consumer who finds that it is not its turn says that the queue is empty, which is how the queue was published. Whoever has the place may have come first and not be done, while another, after it, is done: then
//!   there is something in the queue. Waiting instead of saying so makes it linearizable.

use super::{Checked, Subject};
use gordian::hint;
use gordian::lin::Object;
use gordian::sync::atomic::{AtomicUsize, Ordering::SeqCst};

/// The number comes first.
pub const EARLY: Subject = Subject {
    name: "mpmc-early",
    source: "Vyukov, Bounded MPMC queue, 2011",
    about: "a place is handed over before the value is in it",
    object: |buggy| ring(if buggy { Bug::Early } else { Bug::None }),
    ..Subject::USUAL
};

/// It says that it is empty.
pub const EMPTY: Subject = Subject {
    name: "mpmc-empty",
    source: "Vyukov, Bounded MPMC queue, 2011: its answer \"empty\"",
    about: "the queue is said to be empty although a value is in it",
    object: |buggy| ring(if buggy { Bug::Empty } else { Bug::None }),
    ..Subject::USUAL
};

#[derive(Clone, Copy, PartialEq)]
enum Bug {
    None,
    Early,
    Empty,
}

const PLACES: usize = 4;

fn ring(bug: Bug) -> Box<dyn Checked> {
    let object = Object::new(move || Ring::new(bug))
        .op("push", 1..=9, |ring: &Ring, value| ring.push(value))
        .op("pop", [()], |ring, ()| ring.pop());
    Box::new(object)
}

struct Ring {
    turns: [AtomicUsize; PLACES],
    values: [AtomicUsize; PLACES],
    head: AtomicUsize,
    tail: AtomicUsize,
    bug: Bug,
}

impl Ring {
    fn new(bug: Bug) -> Ring {
        Ring {
            turns: std::array::from_fn(AtomicUsize::new),
            values: [0; PLACES].map(AtomicUsize::new),
            head: AtomicUsize::new(0),
            tail: AtomicUsize::new(0),
            bug,
        }
    }

    /// Takes the next number when its turn has come; nothing, if it has not come and nobody waits for it.
    fn number(&self, from: &AtomicUsize, turn: usize, waits: bool) -> Option<usize> {
        loop {
            let number = from.load(SeqCst);
            let now = self.turns[number % PLACES].load(SeqCst);
            if now == number + turn {
                if from.compare_exchange(number, number + 1, SeqCst, SeqCst).is_ok() {
                    return Some(number);
                }
            } else if now < number + turn {
                if !waits {
                    return None;
                }
                hint::spin_loop();
            }
        }
    }

    fn push(&self, value: usize) {
        let number = self.number(&self.tail, 0, true).expect("it waits");
        let place = number % PLACES;
        if self.bug == Bug::Early {
            self.turns[place].store(number + 1, SeqCst);
            self.values[place].store(value, SeqCst);
        } else {
            self.values[place].store(value, SeqCst);
            self.turns[place].store(number + 1, SeqCst);
        }
    }

    fn pop(&self) -> Option<usize> {
        let number = self.number(&self.head, 1, self.bug != Bug::Empty)?;
        let place = number % PLACES;
        let value = self.values[place].load(SeqCst);
        self.turns[place].store(number + PLACES, SeqCst);
        Some(value)
    }
}
