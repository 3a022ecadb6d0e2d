//! Three threads on one number, after `lazy01_bad` of SCTBench: the third takes for granted that it is not the last.

use crate::Program;
use gordian::sync::Mutex;
use gordian::thread;

/// The bug.
pub const PROGRAM: Program = Program {
    name: "lazy",
    source: "SCTBench, CS.lazy01",
    about: "a thread does not expect both others to have come before it",
    threads: 4,
    body: lazy,
    ..Program::USUAL
};

fn lazy(buggy: bool) {
    let data = Mutex::new(0);
    thread::scope(|s| {
        s.spawn(|| *data.lock().unwrap() += 1);
        s.spawn(|| *data.lock().unwrap() += 2);
        s.spawn(|| {
            let most = if buggy { 2 } else { 3 };
            assert!(*data.lock().unwrap() <= most, "more than was expected");
        });
    });
}
