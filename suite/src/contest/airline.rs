//! AirlineTickets, after ConTest's: ten agents sell a ticket each, and the last to be started closes the sale. An agent that comes later finds it closed, though there
//! is a seat left for its passenger.

use crate::Program;
use gordian::sync::Mutex;
use gordian::thread;

/// The bug.
pub const PROGRAM: Program = Program {
    name: "airline",
    source: "RankChecker (ISSTA 2013), table 1: AirLineTickets",
    about: "the sale is closed by an agent that takes itself for the last",
    threads: 11,
    published: Some((0, 0, 2)),
    schedules: Some(2),
    proof: "pct:2",
    body: airline,
    ..Program::USUAL
};

const AGENTS: u32 = 10;

#[derive(Default)]
struct Sale {
    sold: u32,
    closed: bool,
}

fn airline(buggy: bool) {
    let sale = Mutex::new(Sale::default());
    let sale = &sale;
    thread::scope(|s| {
        for agent in 1..=AGENTS {
            s.spawn(move || {
                let mut sale = sale.lock().unwrap();
                assert!(!sale.closed, "a passenger was sent away");
                sale.sold += 1;
                sale.closed = if buggy { agent == AGENTS } else { sale.sold == AGENTS };
            });
        }
    });
}
