//! When calls of an execution began and ended, and executions of the same class in which they do so otherwise.

use crate::adversary::each;
use crate::record::Record;
use crate::test::Calls;
use gordian_model::{Planned, Trace};

/// What was over when each call began, in the execution itself: a call begins right before its first step and is over right after its last.
pub(crate) fn as_it_happened(
    trace: &Trace,
    record: &Record,
    program: &[Calls],
    returned: Calls,
) -> Vec<Calls> {
    // Steps are at odd moments, so that a call without any has one of its own, between two.
    let extent = |call: usize| {
        let span = record.spans[call].expect("it returned");
        let (start, end) = (span.start as usize, span.end.expect("it returned") as usize);
        let mine = |&i: &usize| trace.steps[i].thread == span.thread;
        let steps = start..end.min(trace.len());
        let (first, last) = (steps.clone().find(mine), steps.clone().rfind(mine));
        first.zip(last).map_or((2 * start, 2 * start), |(first, last)| (2 * first + 1, 2 * last + 1))
    };
    let extents: Vec<_> = (0..program.len())
        .map(|call| if returned >> call & 1 == 1 { extent(call) } else { (0, usize::MAX) })
        .collect();
    (0..program.len())
        .map(|call| {
            let over = each(returned & !(1 << call)).filter(|&other| extents[other].1 < extents[call].0);
            over.fold(program[call], |set, other| set | 1 << other)
        })
        .collect()
}

/// What was over at the last moment, before each call began, when none was under way.
pub(crate) fn quiet(before: &[Calls], members: Calls) -> Vec<Calls> {
    // A set of calls is over at a quiet moment if every other call begins after all of them.
    let is_quiet = |set: Calls| each(members & !set).all(|call| set & !before[call] == 0);
    let sets: Vec<Calls> =
        each(members).map(|call| before[call] & members).filter(|&s| is_quiet(s)).collect();
    let largest = |call: usize| {
        let held = sets.iter().filter(|&&set| set >> call & 1 == 0);
        held.copied().max_by_key(|set| set.count_ones()).unwrap_or(0)
    };
    (0..before.len()).map(|call| if members >> call & 1 == 1 { largest(call) } else { 0 }).collect()
}

/// Choices that repeat a trace in the order in which calls end in an execution of its class that cannot be explained.
pub(crate) fn reordered(trace: &Trace, record: &Record, ends: &[usize]) -> Vec<Planned> {
    let mut order = gordian_search::order::Order::default();
    let mut races = Vec::new();
    for _ in 0..trace.len() {
        order.push(&trace.steps, &mut races);
    }
    let mut placed = vec![false; trace.len()];
    let mut choices = Vec::with_capacity(trace.len());
    let mut place = |i: usize, choices: &mut Vec<Planned>| {
        if !std::mem::replace(&mut placed[i], true) {
            choices.push(trace.steps[i].planned());
        }
    };
    for &call in ends {
        let span = record.spans[call].expect("it returned");
        let end = (span.end.expect("it returned") as usize).min(trace.len());
        let mine = |&i: &usize| trace.steps[i].thread == span.thread;
        let Some(last) = (span.start as usize..end).rfind(mine) else { continue };
        for i in (0..=last).filter(|&i| order.before(i, last)) {
            place(i, &mut choices);
        }
    }
    for i in 0..trace.len() {
        place(i, &mut choices);
    }
    choices
}
