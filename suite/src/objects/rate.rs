//! How many histories are judged in a second.

use gordian_bench::cpu_seconds;
use gordian_lin::{Answer, Call, Calls, Criterion, Judge, Specification, Step, Test};
use gordian_model::Chance;
use std::collections::{HashMap, HashSet};

const THREADS: usize = 3;
const EACH: usize = 3;
const CALLS: usize = THREADS * EACH;

/// What each call returned, and what was over when it began.
type History = (Vec<Answer>, Vec<Calls>);

/// A queue: operation 0 puts the number of the call in, operation 1 takes out; answers are numbers plus one, or zero.
fn queue(state: &mut Vec<u32>, call: usize, op: u16) -> u32 {
    if op == 0 {
        state.push(call as u32);
        return 0;
    }
    if state.is_empty() { 0 } else { state.remove(0) + 1 }
}

/// Calls that take effect in a random order and begin and end around that; sometimes an answer is wrong.
fn draw(ops: &[u16; CALLS], chance: &mut Chance) -> History {
    let mut next = [0; THREADS];
    let mut threads: Vec<usize> = (0..CALLS).map(|i| i / EACH).collect();
    chance.shuffle(&mut threads);
    let mut state = Vec::new();
    let mut answers = vec![Answer(0); CALLS];
    let mut times = [(0_u64, 0_u64); CALLS];
    let mut free = [0; THREADS];
    for (place, &thread) in threads.iter().enumerate() {
        let call = thread * EACH + next[thread];
        next[thread] += 1;
        answers[call] = Answer(queue(&mut state, call, ops[call]));
        let at = 100 * (place as u64 + 1);
        let begin = (at - chance.below(90)).max(free[thread]);
        free[thread] = at + 1 + chance.below(60);
        times[call] = (begin, free[thread]);
    }
    if chance.below(3) == 0 {
        let call = chance.below(CALLS as u64) as usize;
        if ops[call] == 1 {
            answers[call] = Answer(chance.below(CALLS as u64 + 1) as u32);
        }
    }
    let over =
        |call: usize| (0..CALLS).filter(|&c| times[c].1 < times[call].0).fold(0, |set, c| set | 1 << c);
    (answers, (0..CALLS).map(over).collect())
}

/// Judges histories of some tests that are all different; how many there were, how many are explained, and the CPU seconds.
pub fn measure(tests: usize, each: usize) -> (usize, usize, f64) {
    let mut chance = Chance::new(3);
    let (mut all, mut explained, mut seconds) = (0, 0, 0.0);
    for _ in 0..tests {
        let ops: [u16; CALLS] = std::array::from_fn(|_| chance.below(2) as u16);
        let threads =
            ops.chunks(EACH).map(|ops| ops.iter().map(|&op| Call { op, arg: 0 }).collect()).collect();
        let test = Test { threads, ..Test::default() };
        let histories: Vec<History> =
            (0..each).map(|_| draw(&ops, &mut chance)).collect::<HashSet<_>>().into_iter().collect();
        let apply = move |state: &mut Vec<u32>, call: usize, _| {
            Ok(Step::Returns(Answer(queue(state, call, ops[call]))))
        };
        let mut numbers: HashMap<Vec<u32>, u32> = HashMap::new();
        let number = move |state: &Vec<u32>, new| *numbers.entry(state.clone()).or_insert(new);
        let program = test.program_order();
        let serial = Specification::new(Vec::new(), program, Box::new(apply), Some(Box::new(number)));
        let mut judge = Judge::new(&test, Criterion::Linearizable, vec![(1 << CALLS) - 1], Box::new(serial));
        let start = cpu_seconds();
        for (answers, before) in &histories {
            explained += usize::from(judge.explains(answers, before).expect("a specification that is fit"));
        }
        seconds += cpu_seconds() - start;
        all += histories.len();
    }
    (all, explained, seconds)
}
