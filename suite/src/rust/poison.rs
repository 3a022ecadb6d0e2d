//! Recovery from a poisoned mutex, after the documentation of `PoisonError::into_inner`. A thread panics halfway through a change; another takes the value as
//! it is instead of repairing it.

use crate::Program;
use gordian::sync::{Mutex, PoisonError};
use gordian::thread;

/// The bug.
pub const PROGRAM: Program = Program {
    name: "poison",
    source: "std::sync::PoisonError::into_inner",
    about: "a value that a panic left half changed is used as if nothing had happened",
    threads: 3,
    body: poison,
    ..Program::USUAL
};

/// Moves money; the sum stays 10.
fn transfer(accounts: &Mutex<[i32; 2]>, amount: i32) {
    let Ok(mut accounts) = accounts.lock() else { return };
    accounts[0] -= amount;
    assert!(accounts[0] >= 0, "not enough money");
    accounts[1] += amount;
}

fn poison(buggy: bool) {
    let accounts = Mutex::new([10, 0]);
    let audited = thread::scope(|s| {
        let rich = s.spawn(|| transfer(&accounts, 6));
        let poor = s.spawn(|| transfer(&accounts, 5));
        let audit = match accounts.lock() {
            Ok(accounts) => accounts[0] + accounts[1],
            Err(poisoned) => {
                let mut accounts = PoisonError::into_inner(poisoned);
                if !buggy {
                    accounts[0] = 10 - accounts[1];
                }
                accounts[0] + accounts[1]
            }
        };
        // That one of the two fails is as it should be.
        assert!(rich.join().is_err() || poor.join().is_err(), "there was money for only one");
        audit
    });
    assert_eq!(audited, 10, "money was lost");
}
