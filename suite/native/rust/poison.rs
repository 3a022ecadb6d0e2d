// A thread that panics with a half-made change leaves its lock poisoned, and who comes next ignores that.
// expect: abnormal exit
use std::sync::{Mutex, PoisonError};
use std::thread;

/// The sum of both is always 10.
static ACCOUNTS: Mutex<(i32, i32)> = Mutex::new((10, 0));

fn transfer(amount: i32) {
    let mut accounts = ACCOUNTS.lock().unwrap_or_else(PoisonError::into_inner);
    assert_eq!(accounts.0 + accounts.1, 10, "money was lost");
    if cfg!(fixed) && accounts.0 < amount {
        return;
    }
    accounts.0 -= amount;
    let left = u32::try_from(accounts.0);
    if left.is_ok() {
        accounts.1 += amount;
    } else if !cfg!(fixed) {
        // As a library does that is handed a negative number.
        std::panic::resume_unwind(Box::new("negative"));
    }
}

fn main() {
    let a = thread::spawn(|| transfer(8));
    let b = thread::spawn(|| transfer(5));
    let _ = (a.join(), b.join());
    let accounts = ACCOUNTS.lock().unwrap_or_else(PoisonError::into_inner);
    assert_eq!(accounts.0 + accounts.1, 10, "money was lost");
}
