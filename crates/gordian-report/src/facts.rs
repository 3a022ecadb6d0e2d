//! What follows from a trace about each of its steps: where a value came from, what a write left, who holds a lock, and whether
//! the step can matter to another thread.

use gordian_model::{Access, Act, ObjectId, OpKind, Relation, Rmw, Step, ThreadId, Trace};
use std::collections::{BTreeMap, BTreeSet};

/// A lock, and who has it.
type Held = BTreeMap<ObjectId, Vec<ThreadId>>;

/// What is known about the steps of a trace.
pub(crate) struct Facts {
    /// For each step on an atomic, the one that wrote the value it met; `None` if that is the first.
    pub(crate) from: Vec<Option<usize>>,
    /// The value that a write left, if it can be known.
    pub(crate) new: Vec<Option<u64>>,
    /// Can its order with a step of another thread matter, or is something else remarkable about it?
    pub(crate) matters: Vec<bool>,
    /// Who holds what before each step that a switch leads to, and at the end.
    held: BTreeMap<usize, Held>,
    /// For each step the next one of the same thread.
    next: Vec<Option<usize>>,
}

impl Facts {
    pub(crate) fn new(trace: &Trace) -> Facts {
        let (from, new) = values(trace);
        let mut next = vec![None; trace.len()];
        let mut last: BTreeMap<ThreadId, usize> = BTreeMap::new();
        for (i, step) in trace.steps.iter().enumerate() {
            if let Some(before) = last.insert(step.thread, i) {
                next[before] = Some(i);
            }
        }
        Facts { from, new, matters: matters(trace), held: held(trace), next }
    }

    /// The next step of the thread of a step.
    pub(crate) fn next(&self, step: usize) -> Option<usize> {
        self.next[step]
    }

    /// Who holds a lock before a step, other than the thread itself; the number of steps stands for the end.
    pub(crate) fn holders(&self, step: usize, lock: ObjectId, but: ThreadId) -> Vec<ThreadId> {
        let held = self.held.range(..=step).next_back().and_then(|(_, held)| held.get(&lock));
        held.into_iter().flatten().copied().filter(|&t| t != but).collect()
    }
}

/// Does the step work on a value?
pub(crate) fn is_memory(kind: OpKind) -> bool {
    use OpKind::*;
    matches!(kind, Load | Store | CompareExchange | CompareExchangeWeak) || kind.rmw().is_some()
}

fn wrote(step: &Step) -> bool {
    step.accesses.iter().any(|a| a.object == step.object && a.act == Act::Write)
}

fn values(trace: &Trace) -> (Vec<Option<usize>>, Vec<Option<u64>>) {
    let mut writer: BTreeMap<ObjectId, usize> = BTreeMap::new();
    let (mut from, mut new) = (vec![None; trace.len()], vec![None; trace.len()]);
    for (i, step) in trace.steps.iter().enumerate().filter(|(_, s)| is_memory(s.kind)) {
        let before = writer.get(&step.object).copied();
        from[i] = before;
        if let Some(before) = before {
            // What the next step meets is what this one left.
            new[before] = left(&trace.steps[before], Some(step.value));
        }
        if wrote(step) {
            writer.insert(step.object, i);
        }
    }
    for (object, last) in writer {
        let value = trace.aftermath.as_ref().and_then(|a| *a.values.get(object.index())?);
        new[last] = left(&trace.steps[last], value);
    }
    (from, new)
}

/// What a write left, given what was found afterwards. Exclusive access may have changed that behind everybody's back, so
/// where it can be calculated it has to agree.
fn left(step: &Step, found: Option<u64>) -> Option<u64> {
    let fits =
        |rmw: Rmw, found: u64| [1, 2, 4, 8].iter().any(|&b| rmw.apply(step.value, step.arg, b) == found);
    match (step.kind, step.kind.rmw()) {
        (OpKind::Store, _) | (_, Some(Rmw::Swap)) => Some(step.arg),
        (_, Some(rmw)) => found.filter(|&found| fits(rmw, found)),
        _ => found,
    }
}

/// More different touches of one object than this are not compared with each other.
const MOST: usize = 512;

fn matters(trace: &Trace) -> Vec<bool> {
    let mut touches: BTreeMap<ObjectId, BTreeSet<(ThreadId, u16, u8)>> = BTreeMap::new();
    let mut acts: Vec<Act> = Vec::new();
    let mut number = |act: Act| match acts.iter().position(|&a| a == act) {
        Some(n) => n as u8,
        None => {
            acts.push(act);
            (acts.len() - 1) as u8
        }
    };
    for step in &trace.steps {
        for access in &step.accesses {
            let touch = (step.thread, access.seq, number(access.act));
            touches.entry(access.object).or_default().insert(touch);
        }
    }
    let conflicts = |thread: ThreadId, access: &Access| {
        let touches = &touches[&access.object];
        touches.len() > MOST
            || touches.iter().filter(|t| t.0 != thread).any(|&(_, seq, act)| {
                let act = acts[act as usize];
                access.act.relation(access.seq, act, seq) != Relation::Commute
                    || act.relation(seq, access.act, access.seq) != Relation::Commute
            })
    };
    let remarkable = |step: &Step| {
        step.outcomes > 1
            || (step.kind.is_timed() && !step.ok)
            || step.accesses.iter().any(|access| conflicts(step.thread, access))
    };
    let mut matters: Vec<bool> = trace.steps.iter().map(remarkable).collect();
    // Nothing comes after it, so it may have led straight to the failure.
    matters.iter_mut().last().into_iter().for_each(|last| *last = true);
    matters
}

fn held(trace: &Trace) -> BTreeMap<usize, Held> {
    let mut now = Held::new();
    let mut all = BTreeMap::new();
    for (i, step) in trace.steps.iter().enumerate() {
        let mut changed = false;
        for access in &step.accesses {
            match access.act {
                Act::Take | Act::TryTake | Act::Share | Act::TryShare => {
                    now.entry(access.object).or_default().push(step.thread);
                    changed = true;
                }
                Act::Free | Act::Unshare => {
                    if let Some(held) = now.get_mut(&access.object)
                        && let Some(k) = held.iter().position(|&t| t == step.thread)
                    {
                        held.remove(k);
                        changed = true;
                    }
                }
                _ => {}
            }
        }
        if changed {
            all.insert(i + 1, now.clone());
        }
    }
    all
}
