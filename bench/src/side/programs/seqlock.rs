//! A sequence lock: one writer, and readers that read again when it has written meanwhile.

use super::kit::hint::spin_loop;
use super::kit::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use super::{crew, mix, outcome};
use std::sync::Arc;

struct Pair {
    turn: AtomicUsize,
    left: AtomicUsize,
    right: AtomicUsize,
}

impl Pair {
    fn write(&self, value: usize) {
        self.turn.fetch_add(1, SeqCst);
        self.left.store(value, SeqCst);
        self.right.store(value, SeqCst);
        self.turn.fetch_add(1, SeqCst);
    }

    /// `anyhow`: the bug, that a write under way is no reason to wait.
    fn read(&self, anyhow: bool) -> (usize, usize) {
        loop {
            let turn = self.turn.load(SeqCst);
            if turn.is_multiple_of(2) || anyhow {
                let pair = (self.left.load(SeqCst), self.right.load(SeqCst));
                if self.turn.load(SeqCst) == turn {
                    return pair;
                }
            }
            spin_loop();
        }
    }
}

fn observe(threads: usize, writes: usize, anyhow: bool) -> u64 {
    let [turn, left, right] = [(); 3].map(|()| AtomicUsize::new(0));
    let pair = Arc::new(Pair { turn, left, right });
    outcome(crew(threads, move |me| {
        if me == 0 {
            (1..=writes).for_each(|value| pair.write(value));
            return 0;
        }
        let (left, right) = pair.read(anyhow);
        assert_eq!(left, right, "half of a write was seen");
        mix(left as u64, right as u64)
    }))
}

pub(super) fn program(threads: usize, writes: usize) -> u64 {
    observe(threads, writes, false)
}

pub(super) fn buggy(threads: usize, writes: usize) -> u64 {
    observe(threads, writes, true)
}
