//! Histories made up at random, judged by the checker and by trying every permutation.
#![allow(missing_docs)]

use gordian_lin::{
    Answer, Calls, Criterion, Judge, Serial, Specification, Step, Test, is_explained_by_brute_force,
};
use gordian_model::Chance;
use std::collections::HashMap;
use std::hash::Hash;

/// A queue: call `2 * v` puts `v` in, an odd one takes out; answers are values plus one, or zero.
fn queue(state: &mut Vec<u32>, call: u32) -> u32 {
    if call.is_multiple_of(2) {
        state.push(call / 2);
        return 0;
    }
    if state.is_empty() { 0 } else { state.remove(0) + 1 }
}

/// A register: call `2 * v` writes `v`, an odd one reads.
fn register(state: &mut Vec<u32>, call: u32) -> u32 {
    if call.is_multiple_of(2) {
        *state = vec![call / 2];
        return 0;
    }
    state.first().map_or(0, |v| v + 1)
}

type Object = fn(&mut Vec<u32>, u32) -> u32;

type Numbering<S> = Box<dyn FnMut(&S, u32) -> u32 + Send>;

fn numbering<S: Hash + Eq + Clone + Send + 'static>() -> Numbering<S> {
    let mut numbers: HashMap<S, u32> = HashMap::new();
    Box::new(move |state, new| *numbers.entry(state.clone()).or_insert(new))
}

fn serial(object: Object, calls: Vec<u32>, equal: bool) -> Box<dyn Serial + Send> {
    let program = vec![0; calls.len()];
    let apply =
        move |state: &mut Vec<u32>, call: usize, _| Ok(Step::Returns(Answer(object(state, calls[call]))));
    Box::new(Specification::new(Vec::new(), program, Box::new(apply), equal.then(numbering)))
}

/// One call of each of `n` threads, with random beginnings and ends; the answers are those of a random order, of which some are changed.
fn draw(n: usize, object: Object, chance: &mut Chance) -> (Vec<u32>, Vec<Answer>, Vec<Calls>) {
    let calls: Vec<u32> = (0..n).map(|i| if chance.below(2) == 0 { 2 * i as u32 } else { 1 }).collect();
    let mut order: Vec<usize> = (0..n).collect();
    chance.shuffle(&mut order);
    let mut state = Vec::new();
    let mut answers = vec![Answer(0); n];
    for &call in &order {
        answers[call] = Answer(object(&mut state, calls[call]));
    }
    if chance.below(2) == 0 {
        let call = chance.below(n as u64) as usize;
        answers[call] = Answer(if calls[call] == 1 { chance.below(n as u64 + 1) as u32 } else { 0 });
    }
    let mut times = vec![(0, 0); n];
    for (place, &call) in order.iter().enumerate() {
        // Around the place in the order, and sometimes beside it.
        let at = 10 * place as u64 + 20 + if chance.below(6) == 0 { chance.below(25) } else { 0 };
        times[call] = (at - chance.below(20), at + 1 + chance.below(20));
    }
    let over = |call: usize| (0..n).filter(|&c| times[c].1 < times[call].0).fold(0, |set, c| set | 1 << c);
    (calls, answers, (0..n).map(over).collect())
}

fn judge(n: usize, criterion: Criterion, serial: Box<dyn Serial + Send>) -> Judge<'static> {
    let one = gordian_lin::Call { op: 0, arg: 0 };
    let test = Test { threads: vec![vec![one]; n], ..Test::default() };
    Judge::new(&test, criterion, vec![(1 << n) - 1], serial)
}

#[test]
fn the_checker_agrees_with_trying_every_permutation() {
    let mut chance = Chance::new(11);
    let mut counts = [0_u32; 2];
    for round in 0..6_000 {
        let object: Object = if round % 2 == 0 { queue } else { register };
        let n = 2 + chance.below(5) as usize;
        let (calls, answers, before) = draw(n, object, &mut chance);
        for (criterion, order) in [
            (Criterion::Linearizable, before.clone()),
            (Criterion::SequentiallyConsistent, vec![0; n]),
            (Criterion::QuiescentlyConsistent, quiet(&before)),
        ] {
            let truth =
                is_explained_by_brute_force(&answers, &order, &mut *serial(object, calls.clone(), false));
            counts[usize::from(truth)] += 1;
            for equal in [false, true] {
                let mut judge = judge(n, criterion, serial(object, calls.clone(), equal));
                let found = judge.explains(&answers, &before).unwrap();
                assert_eq!(found, truth, "{calls:?} {answers:?} {before:?} {criterion:?}");
            }
        }
    }
    assert!(counts.iter().all(|&c| c > 2_000), "{counts:?}");
}

/// The calls that are over whenever some call begins and all others have still to begin.
fn quiet(before: &[Calls]) -> Vec<Calls> {
    let all = (1 << before.len()) - 1;
    let is_quiet = |&set: &Calls| (0..before.len()).all(|c| set >> c & 1 == 1 || set & !before[c] == 0);
    let sets: Vec<Calls> = (0..=all).filter(is_quiet).collect();
    let over = |call: usize| sets.iter().filter(|&set| set >> call & 1 == 0).fold(0, |a, b| a | b);
    (0..before.len()).map(over).collect()
}

#[test]
fn twelve_calls_at_once_that_cannot_be_explained_end_soon() {
    // Eleven writes of different values and a read of a value that nobody wrote: every order has to be refuted. Of the orders there are
    // 479,001,600, of the states of a register twelve.
    let n = 12;
    let calls: Vec<u32> = (0..n).map(|i| if i == 5 { 1 } else { 2 * i }).collect();
    let answers: Vec<Answer> = (0..n).map(|i| Answer(if i == 5 { 77 } else { 0 })).collect();
    let mut judge = judge(n as usize, Criterion::Linearizable, serial(register, calls, true));
    assert_eq!(judge.explains(&answers, &vec![0; n as usize]), Ok(false));
    assert!(judge.looks() < 100_000, "{}", judge.looks());
}
