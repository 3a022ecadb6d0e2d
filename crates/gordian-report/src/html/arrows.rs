//! Arrows between the lanes: for each step, the steps of other threads without which it would have gone otherwise.
//!
//! These are what a person asks for ("which write did this load see?"), not all pairs that are ordered: what a thread did
//! itself is its lane, and what follows from other arrows is not drawn.

use gordian_model::{Access, Act, Names, ObjectId, OpKind, Step, ThreadId, Trace};
use std::collections::HashMap;

/// Why a step follows another: in the words of the later step, and in those of the earlier one.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Why {
    Value,
    Lock,
    Held,
    Message,
    Room,
    Gone,
    Permit,
    Notify,
    Barrier,
    Token,
    Count,
    Ended,
    Spin,
    Spawn,
    Join,
}

impl Why {
    /// In the order of their numbers.
    pub(super) const ALL: [(Why, &str, &str); 15] = [
        (Why::Value, "sees what was written by", "is seen by"),
        (Why::Lock, "takes what was given back by", "gives to"),
        (Why::Held, "finds it taken by", "is found by"),
        (Why::Message, "gets the message of", "sends to"),
        (Why::Room, "uses the room made by", "makes room for"),
        (Why::Gone, "finds the other end dropped by", "is found gone by"),
        (Why::Permit, "takes the permit of", "gives a permit to"),
        (Why::Notify, "is woken by", "wakes"),
        (Why::Barrier, "leaves after the arrival of", "lets go"),
        (Why::Token, "takes the token of", "gives its token to"),
        (Why::Count, "counts after", "is counted before"),
        (Why::Ended, "finds ended the thread of", "is the end that is found by"),
        (Why::Spin, "goes on because of", "ends the wait of"),
        (Why::Spawn, "comes after the spawn, which follows", "is followed by the spawn of"),
        (Why::Join, "comes after a join of the thread that ended with", "is the end that is joined before"),
    ];
}

/// From a step to a later one of another thread; numbers from zero.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Arrow {
    pub(super) from: u32,
    pub(super) to: u32,
    pub(super) why: Why,
}

/// The steps that touched an object, as far as later ones may have to do with them.
#[derive(Default)]
struct Past {
    write: Option<u32>,
    /// The last exclusive hold that was given back, and the shares given back since.
    freed: Option<u32>,
    unshared: Vec<u32>,
    /// Who holds it, and since when.
    holds: Vec<(ThreadId, u32)>,
    /// Messages, permits, room: by number.
    put: HashMap<u16, u32>,
    notified: HashMap<u16, u32>,
    arrived: HashMap<u16, Vec<u32>>,
    closed: Option<u32>,
    shut: Option<u32>,
    token: Option<u32>,
    counted: Option<u32>,
    exit: Option<u32>,
}

pub(super) fn arrows(trace: &Trace, names: &Names) -> Vec<Arrow> {
    let mut pasts: HashMap<ObjectId, Past> = HashMap::new();
    let mut first: HashMap<ThreadId, u32> = HashMap::new();
    let mut arrows: Vec<Arrow> = Vec::new();
    for (i, step) in trace.steps.iter().enumerate() {
        let i = i as u32;
        let begins = *first.entry(step.thread).or_insert(i) == i;
        let mut found: Vec<(u32, Why)> = Vec::new();
        for access in &step.accesses {
            let past = pasts.entry(access.object).or_default();
            look_back(past, step, access, trace, &mut found);
            take_note(past, step, access, i);
        }
        found.extend(step.woken_by.map(|at| (at, Why::Spin)));
        for &at in &step.after {
            let parent = trace.steps.get(at as usize).map(|s| s.thread);
            let is_spawn = begins && parent.is_some() && parent == names.parent(step.thread);
            found.push((at, if is_spawn { Why::Spawn } else { Why::Join }));
        }
        let start = arrows.len();
        for (from, why) in found {
            let other = trace.steps.get(from as usize).is_some_and(|s| s.thread != step.thread);
            if from < i && other && arrows[start..].iter().all(|a| a.from != from) {
                arrows.push(Arrow { from, to: i, why });
            }
        }
    }
    arrows
}

/// Which earlier steps on the object this access depends on.
fn look_back(past: &Past, step: &Step, access: &Access, trace: &Trace, found: &mut Vec<(u32, Why)>) {
    use Act::*;
    let is_channel =
        trace.object(access.object).is_some_and(|o| o.kind == gordian_model::ObjectKind::Channel);
    let mut add = |why: Why, from: Option<u32>| found.extend(from.map(|at| (at, why)));
    match access.act {
        // Who stands ready at a rendezvous is of no interest; what a store replaces is not seen.
        Read | Write if is_channel || step.kind == OpKind::Store => {}
        Read | Write => add(Why::Value, past.write),
        Take | TryTake => {
            add(Why::Lock, past.freed);
            past.unshared.iter().for_each(|&at| add(Why::Lock, Some(at)));
        }
        Share | TryShare | Saw => add(Why::Lock, past.freed),
        Probe | ProbeShare if past.holds.is_empty() => add(Why::Lock, past.freed),
        Probe | ProbeShare => past.holds.iter().for_each(|&(_, at)| add(Why::Held, Some(at))),
        Get | TryGet => {
            let why = match (is_channel, step.kind) {
                (true, OpKind::Send | OpKind::TrySend) => Why::Room,
                (true, _) => Why::Message,
                (false, _) => Why::Permit,
            };
            add(why, past.put.get(&access.seq).copied());
        }
        Closed | Empty => add(Why::Gone, past.closed),
        Refused | RefusedFull => add(Why::Gone, past.shut),
        Woken | WokenTimed => add(Why::Notify, past.notified.get(&access.seq).copied()),
        Leave => {
            let why = if is_channel { Why::Message } else { Why::Barrier };
            past.arrived.get(&access.seq).into_iter().flatten().for_each(|&at| add(why, Some(at)));
        }
        Park | ParkTimed => add(Why::Token, past.token),
        Down | CountRead | CountWrite => add(Why::Count, past.counted),
        IsFinished => add(Why::Ended, past.exit),
        _ => {}
    }
}

fn take_note(past: &mut Past, step: &Step, access: &Access, i: u32) {
    use Act::*;
    match access.act {
        Write => past.write = Some(i),
        Take | TryTake => {
            past.holds = vec![(step.thread, i)];
            past.unshared.clear();
        }
        Share | TryShare => past.holds.push((step.thread, i)),
        Free => {
            past.holds.clear();
            past.freed = Some(i);
        }
        Unshare => {
            if let Some(k) = past.holds.iter().position(|h| h.0 == step.thread) {
                past.holds.swap_remove(k);
            }
            past.unshared.push(i);
        }
        Put => drop(past.put.insert(access.seq, i)),
        Notify => drop(past.notified.insert(access.seq, i)),
        Arrive | ArriveLast => past.arrived.entry(access.seq).or_default().push(i),
        Close => past.closed = Some(i),
        Shut => past.shut = Some(i),
        Unpark | UnparkAgain => past.token = Some(i),
        Count | Down | CountWrite => past.counted = Some(i),
        Exit => past.exit = Some(i),
        _ => {}
    }
}
