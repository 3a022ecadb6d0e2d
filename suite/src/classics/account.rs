//! An account, after `account_bad` of SCTBench. A third thread audits the balance once both others are done, with a formula that takes
//! the deposit for another withdrawal; it is right as long as the audit comes too early to compare.

use crate::Program;
use gordian::sync::Mutex;
use gordian::thread;

/// The bug.
pub const PROGRAM: Program = Program {
    name: "account",
    source: "SCTBench, CS.account",
    about: "an audit is wrong, but only if it comes after both the deposit and the withdrawal",
    threads: 4,
    body: account,
    ..Program::USUAL
};

struct Account {
    balance: i32,
    deposited: bool,
    withdrawn: bool,
}

fn account(buggy: bool) {
    let account = Mutex::new(Account { balance: 10, deposited: false, withdrawn: false });
    thread::scope(|s| {
        s.spawn(|| {
            let mut account = account.lock().unwrap();
            account.balance += 3;
            account.deposited = true;
        });
        s.spawn(|| {
            let mut account = account.lock().unwrap();
            account.balance -= 4;
            account.withdrawn = true;
        });
        s.spawn(|| {
            let account = account.lock().unwrap();
            if account.deposited && account.withdrawn {
                let expected = if buggy { 10 - 3 - 4 } else { 10 + 3 - 4 };
                assert_eq!(account.balance, expected, "the balance is not what was paid in and out");
            }
        });
    });
}
