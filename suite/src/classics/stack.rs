//! A stack with a lock, after `stack_bad` of SCTBench. A flag says that something was pushed, and nobody takes it back: whoever pops goes by
//! the flag and not by the stack.

use crate::Program;
use gordian::sync::Mutex;
use gordian::sync::atomic::{AtomicBool, Ordering::SeqCst};
use gordian::thread;

/// The bug.
pub const PROGRAM: Program = Program {
    name: "stack",
    source: "SCTBench, CS.stack",
    about: "a flag says that there is something to pop, although it was popped already",
    threads: 3,
    body: stack,
    ..Program::USUAL
};

fn stack(buggy: bool) {
    let stack = Mutex::new(Vec::new());
    let filled = AtomicBool::new(false);
    thread::scope(|s| {
        s.spawn(|| {
            for value in 0..3 {
                stack.lock().unwrap().push(value);
                filled.store(true, SeqCst);
            }
        });
        s.spawn(|| {
            for _ in 0..3 {
                if !filled.load(SeqCst) {
                    continue;
                }
                let mut stack = stack.lock().unwrap();
                if buggy || !stack.is_empty() {
                    stack.pop().expect("the stack is not empty");
                }
            }
        });
    });
}
