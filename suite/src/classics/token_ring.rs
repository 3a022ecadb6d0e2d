//! Four threads that pass a value on, after `token_ring_bad` of SCTBench. Each takes it from the one before under the lock, but nothing
//! makes them take turns in the order of the ring.

use crate::Program;
use gordian::sync::{Mutex, Semaphore};
use gordian::thread;

/// The bug.
pub const PROGRAM: Program = Program {
    name: "token-ring",
    source: "SCTBench, CS.token_ring",
    about: "a thread passes a value on before it has received it",
    threads: 5,
    body: token_ring,
    ..Program::USUAL
};

fn token_ring(buggy: bool) {
    let ring = Mutex::new([0; 4]);
    let turns: [Semaphore; 4] = std::array::from_fn(|i| Semaphore::new(usize::from(i == 0)));
    let (ring, turns) = (&ring, &turns);
    thread::scope(|s| {
        for i in 0..4 {
            s.spawn(move || {
                if !buggy {
                    turns[i].acquire();
                }
                let mut values = ring.lock().unwrap();
                values[i] = if i == 0 { 1 } else { values[i - 1] };
                drop(values);
                turns[(i + 1) % 4].release();
            });
        }
    });
    assert_eq!(*ring.lock().unwrap(), [1; 4], "the token did not come round");
}
