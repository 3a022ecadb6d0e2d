//! Clients as the CB-DPOR thesis has them (4.2, after Line-Up): three threads that make three calls each, drawn at random. When the threads have ended, the main one looks at what is left. The answers have to be
//! those of some order of the calls, made one after the other with each thread's own order kept. When calls began and ended in real time is not looked at:
//! executions that differ in nothing else would be judged differently.
//!
//! Which tests there are was decided without looking at how any search does on them. As in the thesis (6.2), three are drawn for each structure, and those in which any search finds the bug are the test cases.

use crate::Program;
use gordian::thread;
use std::collections::{BTreeSet, VecDeque};
use std::fmt::Debug;

/// What the drawn tests have in common.
pub(super) const TEST: Program = Program { threads: 4, proof: "preemptions:2", ..Program::USUAL };

/// What each of three threads calls.
pub(super) type Calls<C> = [[C; 3]; 3];

/// Numbers by chance (SplitMix64: Steele, Lea, Flood, OOPSLA 2014).
pub(super) struct Chance(u64);

impl Chance {
    /// A number from 0 up to another.
    pub(super) fn below(&mut self, end: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        ((z ^ (z >> 31)) % end as u64) as usize
    }
}

/// The calls of a test of a structure. Each is made by the closure, which knows which of the nine it is; each operation should be as likely as any other.
pub(super) fn draw<C>(structure: &str, number: u32, call: impl Fn(usize, &mut Chance) -> C) -> Calls<C> {
    // FNV-1a, so that each structure has tests of its own.
    let bytes = structure.bytes().chain(number.to_le_bytes());
    let hash = |hash: u64, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01B3);
    let mut chance = Chance(bytes.fold(0xCBF2_9CE4_8422_2325, hash));
    std::array::from_fn(|thread| std::array::from_fn(|place| call(3 * thread + place, &mut chance)))
}

/// What is called, on a queue.
#[derive(Clone, Copy, Debug)]
pub(super) enum QueueCall {
    /// All values are different.
    Enqueue(usize),
    Dequeue,
    IsEmpty,
}

/// What a queue answers.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) enum Answer {
    Done,
    Took(Option<usize>),
    Empty(bool),
}

/// Uses a queue with hazard pointers in a drawn test: each operation is told its thread, and to enqueue also a node that is not in use and a value.
pub(super) fn drawn_queue(
    structure: &str,
    number: u32,
    enqueue: impl Fn(usize, usize, usize) + Sync,
    dequeue: impl Fn(usize) -> Option<usize> + Sync,
    is_empty: impl Fn(usize) -> bool + Sync,
) {
    let calls = draw_queue(structure, number, 3);
    queue(&calls.each_ref().map(|calls| &calls[..]), |place, call| {
        let thread = thread_of(place);
        match call {
            QueueCall::Enqueue(value) => {
                enqueue(thread, place + 2, value);
                Answer::Done
            }
            QueueCall::Dequeue => Answer::Took(dequeue(thread)),
            QueueCall::IsEmpty => Answer::Empty(is_empty(thread)),
        }
    });
}

/// A drawn test of a queue, with so many of its three operations.
pub(super) fn draw_queue(structure: &str, number: u32, operations: usize) -> Calls<QueueCall> {
    draw(structure, number, |place, chance| match chance.below(operations) {
        0 => QueueCall::Enqueue(place + 1),
        1 => QueueCall::Dequeue,
        _ => QueueCall::IsEmpty,
    })
}

/// What is called, on a set of keys from 1 to 3.
#[derive(Clone, Copy, Debug)]
pub(super) enum SetCall {
    Insert(usize),
    Remove(usize),
    Contains(usize),
}

/// A drawn test of a set.
pub(super) fn draw_set(structure: &str, number: u32) -> Calls<SetCall> {
    draw(structure, number, |_, chance| {
        let operation = [SetCall::Insert, SetCall::Remove, SetCall::Contains][chance.below(3)];
        operation(1 + chance.below(3))
    })
}

/// Uses a queue that is empty at first. The first argument of each call says which of the nine it is; the main thread's are all the tenth.
pub(super) fn queue(calls: &[&[QueueCall]], perform: impl Fn(usize, QueueCall) -> Answer + Sync) {
    let mut histories = histories(calls, &perform);
    // What is left is taken out, ten values at most, up to the answer that there is no more.
    let mut last = Vec::new();
    while last.len() < 11 && last.last().is_none_or(|&(_, answer)| answer != Answer::Took(None)) {
        last.push((QueueCall::Dequeue, perform(MAIN, QueueCall::Dequeue)));
    }
    histories.push(last);
    check(&histories, VecDeque::new(), |queue: &mut VecDeque<usize>, call| match call {
        QueueCall::Enqueue(value) => {
            queue.push_back(value);
            Answer::Done
        }
        QueueCall::Dequeue => Answer::Took(queue.pop_front()),
        QueueCall::IsEmpty => Answer::Empty(queue.is_empty()),
    });
}

/// The keys of nodes, one for each of the nine calls in case that it inserts; before and behind them those of the head and the end.
pub(super) fn keys<const NODES: usize>(calls: &Calls<SetCall>) -> [usize; NODES] {
    let mut keys = [usize::MAX; NODES];
    keys[0] = 0;
    for (node, &call) in calls.iter().flatten().enumerate() {
        let (SetCall::Insert(key) | SetCall::Remove(key) | SetCall::Contains(key)) = call;
        keys[1 + node] = key;
    }
    keys
}

/// Uses a set that is empty at first. The first argument of each call says which of the nine it is.
pub(super) fn set(calls: &Calls<SetCall>, perform: impl Fn(usize, SetCall) -> bool + Sync) {
    let mut histories = histories(&calls.each_ref().map(|calls| &calls[..]), &perform);
    let look = |key| (SetCall::Contains(key), perform(MAIN, SetCall::Contains(key)));
    histories.push((1..=3).map(look).collect());
    let specification = |set: &mut BTreeSet<usize>, call| match call {
        SetCall::Insert(key) => set.insert(key),
        SetCall::Remove(key) => set.remove(&key),
        SetCall::Contains(key) => set.contains(&key),
    };
    check(&histories, BTreeSet::new(), specification);
}

/// Where the main thread's calls come in the order of threads.
const MAIN: usize = 9;

/// The thread that makes one of the calls.
pub(super) fn thread_of(place: usize) -> usize {
    place / 3
}

/// Lets threads make their calls, three each at most; gives what each thread called and was answered.
pub(super) fn histories<C: Copy + Send + Sync, R: Send>(
    calls: &[&[C]],
    perform: &(impl Fn(usize, C) -> R + Sync),
) -> Vec<Vec<(C, R)>> {
    thread::scope(|s| {
        let threads = calls.iter().enumerate().map(|(thread, &calls)| {
            s.spawn(move || {
                let calls = calls.iter().enumerate();
                calls.map(|(place, &call)| (call, perform(3 * thread + place, call))).collect()
            })
        });
        let threads: Vec<_> = threads.collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).collect()
    })
}

/// Fails if no order of the calls explains the answers. The calls of the last history come after all others.
pub(super) fn check<C: Copy + Debug, R: PartialEq + Debug, S: Clone>(
    histories: &[Vec<(C, R)>],
    start: S,
    specification: impl Fn(&mut S, C) -> R,
) {
    let rest: Vec<&[(C, R)]> = histories.iter().map(Vec::as_slice).collect();
    assert!(
        explained(rest, &start, &specification),
        "no order of the calls gives these answers: {histories:?}"
    );
}

fn explained<C: Copy, R: PartialEq, S: Clone>(
    rest: Vec<&[(C, R)]>,
    state: &S,
    specification: &impl Fn(&mut S, C) -> R,
) -> bool {
    let last = rest.len() - 1;
    let threads_ended = rest[..last].iter().all(|calls| calls.is_empty());
    let mut candidates = if threads_ended { last..last + 1 } else { 0..last };
    rest.iter().all(|calls| calls.is_empty())
        || candidates.any(|thread| {
            let Some(((call, answer), later)) = rest[thread].split_first() else { return false };
            let mut state = state.clone();
            let mut rest = rest.clone();
            rest[thread] = later;
            specification(&mut state, *call) == *answer && explained(rest, &state, specification)
        })
}
