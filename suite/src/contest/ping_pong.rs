//! PingPong, after ConTest's: 16 players look whether the ball is there and then hit it, while the referee takes it away; a player in between hits
//! nothing.

use crate::Program;
use gordian::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use gordian::thread;

/// The bug.
pub const PROGRAM: Program = Program {
    name: "ping-pong",
    source: "RankChecker (ISSTA 2013), table 1: PingPong",
    about: "the ball is taken away after a player has looked and before it hits",
    threads: 18,
    published: Some((1, 1, 2)),
    schedules: Some(234),
    proof: "pct:2",
    body: ping_pong,
    ..Program::USUAL
};

const PLAYERS: usize = 16;
/// The reference to the ball, once it is taken away.
const NOTHING: usize = 0;

fn ping_pong(buggy: bool) {
    let balls = [None, Some(AtomicUsize::new(0))];
    let ball = AtomicUsize::new(1);
    thread::scope(|s| {
        for _ in 0..PLAYERS {
            s.spawn(|| {
                let seen = ball.load(SeqCst);
                if seen == NOTHING {
                    return;
                }
                let used = if buggy { ball.load(SeqCst) } else { seen };
                balls[used].as_ref().expect("there is a ball").fetch_add(1, SeqCst);
            });
        }
        s.spawn(|| ball.store(NOTHING, SeqCst));
    });
}
