//! Piper, after ConTest's airline reservations: four agents put passengers into seats, and four others ask how many are taken. An agent finds a free seat under the lock
//! and fills it when it has the lock again; another has filled it meanwhile.

use crate::Program;
use gordian::sync::Mutex;
use gordian::thread;

/// The bug.
pub const PROGRAM: Program = Program {
    name: "piper",
    source: "RankChecker (ISSTA 2013), table 1: Piper",
    about: "two agents put their passengers into the same seat",
    threads: 9,
    published: Some((1, 1, 2)),
    schedules: Some(64),
    proof: "pct:3",
    body: piper,
    ..Program::USUAL
};

const AGENTS: usize = 4;

type Seats = [Option<usize>; AGENTS];

fn fill(seats: &Mutex<Seats>, passenger: usize, buggy: bool) {
    let mut taken = seats.lock().unwrap();
    let Some(free) = taken.iter().position(Option::is_none) else { return };
    if buggy {
        drop(taken);
        taken = seats.lock().unwrap();
    }
    assert_eq!(taken[free].replace(passenger), None, "the seat is taken");
}

fn piper(buggy: bool) {
    let seats = Mutex::new([None; AGENTS]);
    let seats = &seats;
    thread::scope(|s| {
        for agent in 0..AGENTS {
            s.spawn(move || fill(seats, agent, buggy));
            s.spawn(move || assert!(seats.lock().unwrap().iter().flatten().count() <= AGENTS));
        }
    });
}
