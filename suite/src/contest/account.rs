//! Account, after ConTest's: two threads transfer money between two accounts in opposite directions. Each holds the lock of the account it takes from, and changes the other
//! one without its lock, so an update is lost.

use crate::Program;
use gordian::sync::Mutex;
use gordian::sync::atomic::{AtomicI32, Ordering::SeqCst};
use gordian::thread;

/// The bug.
pub const PROGRAM: Program = Program {
    name: "account-transfer",
    source: "RankChecker (ISSTA 2013), table 1: Account",
    about: "an account is changed under the lock of another",
    threads: 3,
    published: Some((1, 1, 2)),
    schedules: Some(19),
    body: account,
    ..Program::USUAL
};

struct Account {
    balance: AtomicI32,
    lock: Mutex<()>,
}

impl Account {
    fn add(&self, amount: i32) {
        let balance = self.balance.load(SeqCst);
        self.balance.store(balance + amount, SeqCst);
    }
}

fn transfer(from: &Account, to: &Account, amount: i32, buggy: bool) {
    let guard = from.lock.lock().unwrap();
    from.add(-amount);
    if buggy {
        return to.add(amount);
    }
    drop(guard);
    let _guard = to.lock.lock().unwrap();
    to.add(amount);
}

fn account(buggy: bool) {
    let [a, b] = [100, 100].map(|balance| Account { balance: AtomicI32::new(balance), lock: Mutex::new(()) });
    thread::scope(|s| {
        s.spawn(|| transfer(&a, &b, 10, buggy));
        s.spawn(|| transfer(&b, &a, 20, buggy));
    });
    assert_eq!(a.balance.load(SeqCst) + b.balance.load(SeqCst), 200, "money was lost or made");
}
