//! Dining philosophers (Dijkstra), two to seven of them as in SCTBench's `din_phil_sat`. Each takes the fork to the left and then waits for
//! the one to the right; if all have taken one, all wait. One preemption is enough
//! if they come in the right order, each finding the fork to the right in the hand of the one before.

use crate::Program;
use gordian::FailureKind;
use gordian::sync::Mutex;
use gordian::thread;

/// The bug, with so many philosophers.
pub const fn program<const N: usize>(name: &'static str) -> Program {
    Program {
        name,
        source: "SCTBench, CS.din_phil",
        about: "everybody holds one fork and waits for another",
        threads: N + 1,
        kind: FailureKind::Deadlock,
        body: dine::<N>,
        ..Program::USUAL
    }
}

fn dine<const N: usize>(buggy: bool) {
    let forks: [Mutex<u32>; N] = std::array::from_fn(|_| Mutex::new(0));
    let forks = &forks;
    thread::scope(|s| {
        for i in 0..N {
            s.spawn(move || {
                // One who reaches for the other side first breaks the circle.
                let reversed = !buggy && i + 1 == N;
                let (left, right) = if reversed { ((i + 1) % N, i) } else { (i, (i + 1) % N) };
                let mut first = forks[left].lock().unwrap();
                let mut second = forks[right].lock().unwrap();
                *first += 1;
                *second += 1;
            });
        }
    });
}
