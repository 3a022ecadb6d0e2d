//! What is printed may go to a program that has seen enough and ends, such as `head`.

use std::panic::{PanicHookInfo, set_hook, take_hook};
use std::process::exit;

/// The status of a program that is ended because nobody reads what it prints: 128 and the number of the signal.
const NOBODY_READS: i32 = 128 + 13;

/// From now on the program ends, without a word, when nobody reads what it prints. (Rust's programs are not ended by the signal, and its
/// macros panic instead.)
pub fn end_when_nobody_reads() {
    let before = take_hook();
    set_hook(Box::new(move |panic| {
        if nobody_reads(panic) {
            exit(NOBODY_READS);
        }
        before(panic);
    }));
}

fn nobody_reads(panic: &PanicHookInfo<'_>) -> bool {
    let message = panic.payload_as_str().unwrap_or_default();
    message.starts_with("failed printing to stdout") && message.contains("Broken pipe")
}
