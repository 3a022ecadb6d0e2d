//! Publication with `Relaxed`, after Boehm and Adve, "Foundations of the C++ concurrency memory model" (PLDI 2008). The flag says that the value is there, but orders
//! nothing: the value is read while, as far as the program has said, it may still be written.
#![allow(unsafe_code)]

use crate::Program;
use gordian::FailureKind;
use gordian::cell::Cell;
use gordian::sync::atomic::{AtomicBool, Ordering};
use gordian::thread;

/// The bug.
pub const PROGRAM: Program = Program {
    name: "publication",
    source: "Boehm, Adve (PLDI 2008)",
    about: "a relaxed flag announces a value without ordering it",
    threads: 2,
    kind: FailureKind::DataRace,
    body: publication,
    ..Program::USUAL
};

struct Slot {
    value: Cell<u32>,
    ready: AtomicBool,
}

// SAFETY: the value is written before `ready` is set and read only after it was seen set. (That this is no promise the buggy version keeps is
// the point; executions are carried out by one thread of the machine, so nothing breaks.)
unsafe impl Sync for Slot {}

fn publication(buggy: bool) {
    let slot = Slot { value: Cell::new(0), ready: AtomicBool::new(false) };
    let slot = &slot;
    thread::scope(|s| {
        s.spawn(move || {
            slot.value.set(42);
            slot.ready.store(true, if buggy { Ordering::Relaxed } else { Ordering::Release });
        });
        if slot.ready.load(Ordering::Acquire) {
            assert_eq!(slot.value.get(), 42);
        }
    });
}
