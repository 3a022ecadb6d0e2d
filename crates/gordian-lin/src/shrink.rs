//! Making a failing test small.

use crate::test::{Call, Test};

/// Tests that are a little smaller: without a thread, without a call, with an earlier argument; the largest differences first.
pub fn smaller(test: &Test) -> Vec<Test> {
    let mut tests = Vec::new();
    let mut add = |change: &dyn Fn(&mut Test)| {
        let mut smaller = test.clone();
        change(&mut smaller);
        smaller.threads.retain(|calls| !calls.is_empty());
        tests.push(smaller);
    };
    if test.threads.len() > 1 {
        for thread in 0..test.threads.len() {
            add(&|t| drop(t.threads.remove(thread)));
        }
    }
    for list in 0..test.threads.len() + 2 {
        if calls(&mut test.clone(), list).len() > 1 {
            add(&|t| calls(t, list).clear());
        }
    }
    for list in 0..test.threads.len() + 2 {
        for call in (0..calls(&mut test.clone(), list).len()).rev() {
            add(&|t| _ = calls(t, list).remove(call));
        }
    }
    for list in 0..test.threads.len() + 2 {
        for call in 0..calls(&mut test.clone(), list).len() {
            for arg in 0..calls(&mut test.clone(), list)[call].arg {
                add(&|t| calls(t, list)[call].arg = arg);
            }
        }
    }
    tests.retain(|t| !t.threads.is_empty());
    tests
}

/// The calls that come last, first, or of a thread.
fn calls(test: &mut Test, list: usize) -> &mut Vec<Call> {
    match list {
        0 => &mut test.after,
        1 => &mut test.before,
        thread => &mut test.threads[thread - 2],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_smaller_test_is_smaller() {
        let call = |arg| Call { op: 0, arg };
        let test = Test {
            before: vec![call(0)],
            threads: vec![vec![call(1), call(2)], vec![call(0)]],
            after: vec![call(0), call(0)],
        };
        let size = |t: &Test| (t.len(), t.calls().map(|c| usize::from(c.arg)).sum::<usize>());
        let smaller = smaller(&test);
        assert!(smaller.iter().all(|t| size(t) < size(&test)), "{smaller:#?}");
        assert!(smaller.iter().any(|t| t.threads.len() == 1));
        assert!(smaller.iter().any(|t| t.after.is_empty()));
        assert!(smaller.iter().any(|t| t.len() == test.len()));
    }
}
