//! Why an execution fails: two conflicting steps such that the test passes when they come in the other order.
//!
//! Each pair is put in the other order as reversing a race does it: up to the earlier step as it was, then what leads to the later
//! one, the later one, the earlier one, and the rest by the default schedule.

use crate::explore::Target;
use crate::minimise::Effort;
use crate::order::{Order, Race};
use gordian_model::{Decisive, End, Later, ObjectId, OpKind, Plan, Planned, Policy, ThreadId, Trace};
use std::collections::BTreeMap;
use std::time::Instant;

/// Looks for two conflicting steps whose order decides; gives them, and how many pairs could be put in the other order. The
/// plan says which behaviours are tried, and the limits of one execution.
pub fn decisive(
    target: &mut dyn Target,
    trace: &Trace,
    plan: &Plan,
    effort: Effort,
) -> (Option<Decisive>, u32) {
    let mut plan = Plan {
        sleep: Vec::new(),
        deviations: Vec::new(),
        policy: Policy::default(),
        replay: false,
        // Taking down an execution that is not at its end is more than some destructors bear.
        lenient: true,
        ..plan.clone()
    };
    let mut order = Order::default();
    let mut races = Vec::new();
    for _ in 0..trace.len() {
        order.push(&trace.steps, &mut races);
    }
    let start = Instant::now();
    let (mut executions, mut steps) = (0, 0);
    let mut pairs: Vec<(Decisive, bool)> =
        waiting(trace, &order).chain(latest(races)).map(|pair| (pair, false)).collect();
    // What changes least is tried first.
    let mut found = None;
    'search: for at_once in [true, false] {
        for (pair, reversed) in &mut pairs {
            if executions >= effort.executions || steps >= effort.steps || start.elapsed() >= effort.time {
                break 'search;
            }
            plan.prefix = moved(trace, &order, pair);
            if at_once {
                let earlier = trace.steps[pair.earlier as usize].planned();
                plan.prefix.push(Planned { outcome: 0, ..earlier });
            }
            let tried = target.run(&plan);
            executions += 1;
            steps += tried.len() as u64;
            let went = tried.steps.iter().map(|s| s.thread);
            let as_planned = plan.prefix.iter().map(|p| p.thread).eq(went.take(plan.prefix.len()));
            let as_planned = as_planned && same_choices(trace, tried);
            *reversed |= as_planned;
            if as_planned && tried.end == End::Complete {
                found = Some(Decisive { at_once, ..*pair });
                break 'search;
            }
        }
    }
    (found, pairs.iter().filter(|pair| pair.1).count() as u32)
}

/// Does every thread choose as it did? If not, that may be why the test passes or fails, and not the order.
fn same_choices(trace: &Trace, tried: &Trace) -> bool {
    let choices = |trace: &Trace| {
        let mut of: BTreeMap<ThreadId, Vec<u32>> = BTreeMap::new();
        for step in trace.steps.iter().filter(|step| step.kind == OpKind::Choose) {
            of.entry(step.thread).or_default().push(step.outcome);
        }
        of
    };
    let (then, now) = (choices(trace), choices(tried));
    let same = |(thread, now): (&ThreadId, &Vec<u32>)| {
        then.get(thread).is_none_or(|then| then.iter().zip(now).all(|(then, now)| then == now))
    };
    now.iter().all(same)
}

/// What stands in the way of threads that cannot go on.
fn waiting<'a>(trace: &'a Trace, order: &'a Order) -> impl Iterator<Item = Decisive> + 'a {
    let pending = trace.aftermath.iter().flat_map(|aftermath| &aftermath.pending).filter(|p| p.stuck);
    pending.flat_map(move |p| {
        let at = |object: ObjectId| object != ObjectId::NONE && (object == p.object || object == p.other);
        let last = order.last_of(p.thread);
        let earlier = (0..trace.len()).rev().filter(move |&k| {
            let step = &trace.steps[k];
            step.thread != p.thread
                && step.accesses.iter().any(|a| at(a.object) && !a.act.is_read())
                && last.is_none_or(|last| !order.before(k, last))
        });
        earlier.map(|k| Decisive { earlier: k as u32, later: Later::Waiting(p.thread), at_once: true })
    })
}

/// The races, those nearest to the failure first.
fn latest(mut races: Vec<Race>) -> impl Iterator<Item = Decisive> {
    races.sort_unstable_by_key(|&(earlier, later)| (later, earlier));
    races.into_iter().rev().map(|(earlier, later)| Decisive {
        earlier: earlier as u32,
        later: Later::Step(later as u32),
        at_once: true,
    })
}

/// The later one where the earlier one was.
fn moved(trace: &Trace, order: &Order, pair: &Decisive) -> Vec<Planned> {
    let earlier = pair.earlier as usize;
    let (until, last) = match pair.later {
        Later::Step(later) => {
            let step = trace.steps[later as usize].planned();
            (later as usize, Some(Planned { outcome: 0, ..step }))
        }
        Later::Waiting(thread) => {
            let pending = trace.aftermath.iter().flat_map(|a| &a.pending).find(|p| p.thread == thread);
            let expected = pending.map(|p| (p.kind, p.site));
            (trace.len(), Some(Planned { thread, outcome: 0, expected }))
        }
    };
    let between = (earlier + 1..until).filter(|&k| !order.before(earlier, k));
    let steps = (0..earlier).chain(between).map(|k| trace.steps[k].planned());
    steps.chain(last).collect()
}
