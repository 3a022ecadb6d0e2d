//! Which steps get a row: stretches of steps that do not matter become one, and so do rounds of a loop.

use crate::facts::Facts;
use gordian_model::{OpKind, Step, Trace};

/// What a row shows.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Item {
    /// A step.
    Step(usize),
    /// A lock that is taken and given back at once: two steps.
    Pair(usize),
    /// Steps of one thread, from the first up to but without the last number, that do not matter.
    Stretch(usize, usize),
    /// Steps that go round as those just before them did: where they begin, how many each round has, and how many rounds.
    Rounds(usize, usize, usize),
}

/// Every step.
pub(crate) fn all(trace: &Trace) -> Vec<Item> {
    (0..trace.len()).map(Item::Step).collect()
}

/// The longest round that is looked for.
const LONGEST: usize = 16;
/// Rounds that read other values each time are folded when there are so many.
const MANY: usize = 8;

/// Steps that matter, and the rest in few rows.
pub(crate) fn fold(trace: &Trace, facts: &Facts) -> Vec<Item> {
    let mut items = Vec::new();
    let mut at = 0;
    while at < trace.len() {
        if let Some((length, rounds)) = looping(trace, facts, at) {
            let first = at + length;
            items.extend((at..first).map(Item::Step));
            items.push(Item::Rounds(first, length, rounds - 1));
            at = first + length * (rounds - 1);
        } else {
            // Up to where the next loop begins.
            let until = (at + 1..trace.len()).find(|&i| looping(trace, facts, i).is_some());
            let until = until.unwrap_or(trace.len());
            stretches(trace, facts, at, until, &mut items);
            at = until;
        }
    }
    items
}

/// The loop that begins at a step, if it has a step that matters, or if the execution ended in it. Any other is a stretch like
/// those without a loop.
fn looping(trace: &Trace, facts: &Facts, at: usize) -> Option<(usize, usize)> {
    rounds(&trace.steps[at..]).filter(|&(length, rounds)| {
        facts.matters[at..at + length].contains(&true) || at + length * (rounds + 1) > trace.len()
    })
}

/// Adds the steps from `start` up to `end`.
fn stretches(trace: &Trace, facts: &Facts, start: usize, end: usize, items: &mut Vec<Item>) {
    let mut at = start;
    while at < end {
        let thread = trace.steps[at].thread;
        let idle = |i: &usize| !facts.matters[*i] && trace.steps[*i].thread == thread;
        let stop = at + (at..end).take_while(idle).count();
        if at + 1 < end && is_pair(&trace.steps[at], &trace.steps[at + 1]) && stop - at <= 2 {
            items.push(Item::Pair(at));
            at += 2;
        } else if stop - at > 1 {
            items.push(Item::Stretch(at, stop));
            at = stop;
        } else {
            items.push(Item::Step(at));
            at += 1;
        }
    }
}

/// Does the second step give back what the first has taken?
fn is_pair(first: &Step, second: &Step) -> bool {
    use OpKind::*;
    let kinds = matches!(
        (first.kind, second.kind),
        (Lock, Unlock) | (ReadLock, ReadUnlock) | (WriteLock, WriteUnlock)
    );
    kinds && first.thread == second.thread && first.object == second.object
}

/// The shortest round that the steps begin with, and how often it is gone.
fn rounds(steps: &[Step]) -> Option<(usize, usize)> {
    let alike = |a: &Step, b: &Step| {
        (a.thread, a.kind, a.site, a.object, a.ok) == (b.thread, b.kind, b.site, b.object, b.ok)
    };
    for length in 1..=LONGEST.min(steps.len() / 2) {
        let count = |same: &dyn Fn(&Step, &Step) -> bool| {
            let more = (length..steps.len()).take_while(|&i| same(&steps[i], &steps[i - length])).count();
            1 + more / length
        };
        let exact = count(&|a, b| alike(a, b) && a.value == b.value && a.arg == b.arg);
        let enough = |n: usize| (n - 1) * length >= 2 && n >= 3;
        if enough(exact) {
            return Some((length, exact));
        }
        let roughly = count(&alike);
        if roughly >= MANY {
            return Some((length, roughly));
        }
    }
    None
}
