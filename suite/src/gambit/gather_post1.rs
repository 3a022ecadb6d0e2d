//! GatherPost1, in the manner of GAMBIT's test of the CCR: a handler is to run once when two messages are at a port. Each post counts itself and looks at the count in two
//! steps, so both see two messages and both run the handler.

use crate::{Program, Seconds};
use gordian::sync::atomic::{AtomicU32, Ordering::SeqCst};
use gordian::thread;

/// The bug.
pub const PROGRAM: Program = Program {
    name: "gather-post1",
    source: "GAMBIT (PPoPP 2010), tables 1 and 2: GatherPost1",
    about: "two posts both take themselves for the one that completes the messages",
    threads: 3,
    seconds: Some(Seconds { depth_first: Some(1540), chess: Some(314), best_first: 2 }),
    body: gather_post1,
    ..Program::USUAL
};

fn gather_post1(buggy: bool) {
    let (messages, handled) = (AtomicU32::new(0), AtomicU32::new(0));
    let post = || {
        let before = messages.fetch_add(1, SeqCst);
        let now = if buggy { messages.load(SeqCst) } else { before + 1 };
        if now == 2 {
            assert_eq!(handled.fetch_add(1, SeqCst), 0, "the handler runs twice");
        }
    };
    thread::scope(|s| {
        s.spawn(post);
        s.spawn(post);
    });
}
