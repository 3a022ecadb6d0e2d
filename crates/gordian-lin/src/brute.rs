//! The definition itself, for tests: all permutations.

use crate::serial::{Answer, Node, Reply, Serial};
use crate::test::Calls;

/// Is there a permutation of all calls in which each comes after those `before` it and returns its answer? Tries every one.
pub fn is_explained_by_brute_force(answers: &[Answer], before: &[Calls], serial: &mut dyn Serial) -> bool {
    let mut calls: Vec<usize> = (0..answers.len()).collect();
    permutations(&mut calls, 0, &mut |order| {
        let mut done: Calls = 0;
        let mut at = Node::default();
        order.iter().all(|&call| {
            let fits = before[call] & !done == 0
                && match serial.call(at, call) {
                    Ok(Reply::Answered(answer, node)) => {
                        at = node;
                        answer == answers[call]
                    }
                    _ => false,
                };
            done |= 1 << call;
            fits
        })
    })
}

fn permutations(calls: &mut Vec<usize>, from: usize, fits: &mut dyn FnMut(&[usize]) -> bool) -> bool {
    if from == calls.len() {
        return fits(calls);
    }
    (from..calls.len()).any(|i| {
        calls.swap(from, i);
        let found = permutations(calls, from + 1, fits);
        calls.swap(from, i);
        found
    })
}
