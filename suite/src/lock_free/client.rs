//! Clients as the CB-DPOR thesis has them (4.2, after Line-Up): three threads that make three calls each, drawn at random; of the tests drawn for a structure, the first in which `auto`
//! finds its bug with every seed, and not much later than other searches do. When the threads have ended, the main one looks at what is left. The answers have to be
//! those of some order of the calls, made one after the other with each thread's own order kept. When calls began and ended in real time is not looked at:
//! executions that differ in nothing else would be judged differently.

use gordian::thread;
use std::collections::{BTreeSet, VecDeque};
use std::fmt::Debug;

/// What each of up to three threads calls, three times at most.
pub(super) type Calls<C> = &'static [&'static [C]];

#[derive(Clone, Copy, Debug)]
pub(super) enum QueueCall {
    /// All values are different.
    Enqueue(usize),
    Dequeue,
}

#[derive(Clone, Copy, Debug)]
pub(super) enum SetCall {
    Insert(usize),
    Remove(usize),
    Contains(usize),
}

/// Uses a queue that is empty at first.
pub(super) fn queue(
    calls: Calls<QueueCall>,
    enqueue: impl Fn(usize) + Sync,
    dequeue: impl Fn() -> Option<usize> + Sync,
) {
    let perform = |_, call| match call {
        QueueCall::Enqueue(value) => {
            enqueue(value);
            None
        }
        QueueCall::Dequeue => dequeue(),
    };
    let mut histories = histories(calls, &perform);
    histories.push(drain(dequeue));
    check_queue(&histories);
}

/// Takes out what is left, nine values at most, up to the answer that there is no more.
fn drain(dequeue: impl Fn() -> Option<usize>) -> Vec<(QueueCall, Option<usize>)> {
    let left = (0..10).map_while(|_| dequeue());
    left.map(Some).chain([None]).map(|answer| (QueueCall::Dequeue, answer)).collect()
}

/// Fails if no order of the calls on a queue, empty at first, explains the answers.
fn check_queue(histories: &[Vec<(QueueCall, Option<usize>)>]) {
    check(histories, VecDeque::new(), |queue: &mut VecDeque<usize>, call| match call {
        QueueCall::Enqueue(value) => {
            queue.push_back(value);
            None
        }
        QueueCall::Dequeue => queue.pop_front(),
    });
}

/// The keys of nodes, one for each of the nine calls in case that it inserts; before and behind them those of the head and the end.
pub(super) fn keys<const NODES: usize>(calls: Calls<SetCall>) -> [usize; NODES] {
    let mut keys = [usize::MAX; NODES];
    keys[0] = 0;
    for (thread, calls) in calls.iter().enumerate() {
        for (place, &call) in calls.iter().enumerate() {
            let (SetCall::Insert(key) | SetCall::Remove(key) | SetCall::Contains(key)) = call;
            keys[1 + 3 * thread + place] = key;
        }
    }
    keys
}

/// Uses a set of keys from 1 to 3 that is empty at first. The first argument of each call says which of the nine it is.
pub(super) fn set(calls: Calls<SetCall>, perform: impl Fn(usize, SetCall) -> bool + Sync) {
    let mut histories = histories(calls, &perform);
    let look = |key| (SetCall::Contains(key), perform(9, SetCall::Contains(key)));
    histories.push((1..=3).map(look).collect());
    let specification = |set: &mut BTreeSet<usize>, call| match call {
        SetCall::Insert(key) => set.insert(key),
        SetCall::Remove(key) => set.remove(&key),
        SetCall::Contains(key) => set.contains(&key),
    };
    check(&histories, BTreeSet::new(), specification);
}

/// Lets threads make their calls; gives what each thread called and was answered.
pub(super) fn histories<C: Copy + Send + Sync, R: Send>(
    calls: Calls<C>,
    perform: &(impl Fn(usize, C) -> R + Sync),
) -> Vec<Vec<(C, R)>> {
    thread::scope(|s| {
        let threads = calls.iter().enumerate().map(|(thread, calls)| {
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
