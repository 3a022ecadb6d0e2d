//! Threads that are cancelled: where they may be and where not, and what they leave behind.

use crate::bugs::{is_clean, is_found};
use crate::compile::{compiled, hooked};
use gordian_model::FailureKind::*;

#[test]
fn what_a_cancelled_thread_leaves_behind_is_found() {
    let Some(program) = compiled("cancel.c", &[]) else { return };
    for (case, kind, says) in [
        ("locked", Deadlock, "main"),
        ("permit", Deadlock, "main cannot go on"),
        ("permit comes", Panic, "fixed || n == 1"),
        ("cancelled early", Panic, "fixed || result == PTHREAD_CANCELED"),
        ("state", Panic, "fixed || n == 1"),
        ("any time", Panic, "fixed || n != 1"),
        ("timed", Panic, "fixed || n != 0"),
    ] {
        is_found(&program, &[case], kind, says);
        is_clean(&program, &[case, "fixed"]);
    }
}

#[test]
fn threads_are_called_out_of_their_waits() {
    let Some(program) = compiled("cancel.c", &[]) else { return };
    for case in ["waiting", "semaphore", "joins", "signal", "c11", "sleeps", "ends first", "itself"] {
        is_clean(&program, &[case]);
    }
}

#[test]
fn a_request_orders_memory() {
    let Some(program) = hooked("cancel.c", &[]) else { return };
    is_found(&program, &["locked"], Deadlock, "main");
    for case in ["semaphore", "joins", "sleeps"] {
        is_clean(&program, &[case]);
    }
    is_clean(&program, &["locked", "fixed"]);
}
