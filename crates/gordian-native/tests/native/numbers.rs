//! Numbers that threads of the kernel's happen to have make no difference.

use crate::compile::hooked;
use crate::search;

/// What the next thread of the kernel's is counted on from.
const LAST: &str = "/proc/sys/kernel/ns_last_pid";

/// Where the C library keeps the number of a thread is found out by looking for it. The upper halves of addresses are numbers that threads
/// can have: those of programs, and of libraries and stacks.
#[test]
fn threads_may_be_numbered_like_halves_of_addresses() {
    let Some(program) = hooked("racy.c", &["-DRELAXED"]) else { return };
    let file = std::path::PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("outcomes.numbers");
    for number in [0x5555, 0x7fff] {
        // The thread that is looked at is among the first ones of the program. Other tests take numbers, too.
        for before in 1..=12 {
            if let Err(error) = std::fs::write(LAST, (number - before).to_string()) {
                eprintln!("skipped: numbers of threads cannot be chosen here: {LAST}: {error}");
                return;
            }
            let found = search(&program, &["buffers", file.to_str().unwrap()], "exhaustive");
            let failure = found.failure.as_ref().map(|(failure, _)| &failure.message);
            assert_eq!((failure, found.complete), (None, true), "{before} before {number}");
        }
    }
    let _ = std::fs::remove_file(&file);
}
