//! Barrier2, in the manner of GAMBIT's tests of .NET's barrier: a participant leaves while others wait. Who comes reads the number of participants and then counts itself; if
//! one leaves in between, nobody is the last, and the phase is never finished.

use crate::{Program, Seconds};
use gordian::sync::Mutex;
use gordian::thread;

/// The bug.
pub const PROGRAM: Program = Program {
    name: "barrier2",
    source: "GAMBIT (PPoPP 2010), tables 1 and 2: Barrier2",
    about: "a participant leaves a barrier between two looks at how many there are",
    threads: 3,
    seconds: Some(Seconds { depth_first: Some(844), chess: Some(143), best_first: 1 }),
    body: barrier2,
    ..Program::USUAL
};

#[derive(Default)]
struct Barrier {
    participants: usize,
    arrived: usize,
    finished: u32,
}

fn arrive(barrier: &Mutex<Barrier>, buggy: bool) {
    let mut inside = barrier.lock().unwrap();
    let participants = inside.participants;
    if buggy {
        drop(inside);
        inside = barrier.lock().unwrap();
    }
    inside.arrived += 1;
    if inside.arrived == participants {
        inside.finished += 1;
    }
}

fn leave(barrier: &Mutex<Barrier>) {
    let mut inside = barrier.lock().unwrap();
    inside.participants -= 1;
    if inside.arrived == inside.participants {
        inside.finished += 1;
    }
}

fn barrier2(buggy: bool) {
    let barrier = Mutex::new(Barrier { participants: 2, ..Barrier::default() });
    thread::scope(|s| {
        s.spawn(|| arrive(&barrier, buggy));
        s.spawn(|| leave(&barrier));
    });
    assert_eq!(barrier.lock().unwrap().finished, 1, "the phase was finished once");
}
