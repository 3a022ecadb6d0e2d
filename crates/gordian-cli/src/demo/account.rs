//! The example: an account that must never be overdrawn.

use gordian::sync::Mutex;
use gordian::thread;
use std::sync::Arc;

pub struct Account {
    balance: Mutex<i64>,
}

impl Account {
    pub fn withdraw(&self, amount: i64) {
        if *self.balance.lock().unwrap() >= amount {
            *self.balance.lock().unwrap() -= amount;
        }
    }

    pub fn withdraw_fixed(&self, amount: i64) {
        let mut balance = self.balance.lock().unwrap();
        if *balance >= amount {
            *balance -= amount;
        }
    }
}

pub fn two_withdrawals(withdraw: fn(&Account, i64)) {
    let account = Arc::new(Account { balance: Mutex::new(100) });
    let other = Arc::clone(&account);
    let thread = thread::spawn(move || withdraw(&other, 60));
    withdraw(&account, 60);
    thread.join().unwrap();
    assert!(*account.balance.lock().unwrap() >= 0, "overdrawn");
}
