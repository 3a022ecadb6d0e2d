//! Wakeup trees: the beginnings of executions that still have to be tried from a node.
//!
//! Abdulla, Aronis, Jonsson, Sagonas, "Optimal dynamic partial order reduction", POPL 2014, section 6. A branch is a step;
//! its children are the steps that may follow it, in the order in which they are tried.
//!
//! Steps in a tree come from other executions than the one that is being looked at, which may number objects
//! differently. But a thread that has done the same does the same next, so the object of a branch is that of the thread's next step
//! in the execution at hand, if the steps of that thread above the branch are in it. If not, an object
//! is recognised by where it was created; two from one place may or may not be the same, and are taken to be:
//! that costs at worst an execution that turns out to be superfluous, and never loses one.

use crate::order::Order;
use gordian_model::{
    Access, Accesses, ObjectId, OpKind, Planned, Relation, SiteId, Sleeper, Step, ThreadId, Trace, dependent,
};
use std::cell::Cell;

/// A step to be taken, and what may follow it.
#[derive(Debug)]
pub(super) struct Branch {
    pub(super) planned: Planned,
    pub(super) accesses: Accesses,
    /// The objects of its op as that execution numbered them.
    op: (ObjectId, ObjectId),
    /// Objects with smaller numbers have the same number in all executions that come here.
    known: u32,
    /// Where they were created.
    sites: (SiteId, SiteId),
    /// It may have several outcomes.
    pub(super) varies: bool,
    /// What it touches was not seen but foreseen, and may be less.
    foreseen: bool,
    pub(super) children: Vec<Branch>,
}

/// A sequence of steps of a trace, taken at a node of it.
pub(super) struct Sequence<'a> {
    pub(super) trace: &'a Trace,
    pub(super) order: &'a Order,
    /// The steps, by number; what has been found in the tree is taken out.
    pub(super) steps: Vec<usize>,
    /// The step at the end, which closes the race or has another outcome now, and what it will touch.
    pub(super) last: usize,
    pub(super) last_outcome: u32,
    pub(super) last_accesses: Accesses,
    /// The number of the step at the node, and of the objects known there.
    pub(super) node: usize,
    pub(super) objects: u32,
    /// The branches walked into: the thread, and its step here, if it is one of the sequence.
    pub(super) walked: Vec<(ThreadId, Option<usize>)>,
    /// Set when the tree may get a sequence that is covered: because a step that would cover it has other outcomes, or
    /// because two objects from one place may or may not be the same.
    pub(super) inexact: &'a Cell<bool>,
}

/// A mark that the number of an object is really the place where it was created.
const YOUNG: u32 = 1 << 30;

impl Sequence<'_> {
    fn accesses(&self, step: usize) -> &Accesses {
        if step == self.last { &self.last_accesses } else { &self.trace.steps[step].accesses }
    }

    fn outcome(&self, step: usize) -> u32 {
        if step == self.last { self.last_outcome } else { self.trace.steps[step].outcome }
    }

    /// Does step `a` of the sequence happen before step `b` of it? The last step may have waited for steps that are left
    /// out (the unlock of a lock that is now taken later), so only what is in the sequence counts for it.
    fn before(&self, a: usize, b: usize) -> bool {
        if b != self.last {
            return self.order.before(a, b);
        }
        let last = &self.trace.steps[b];
        self.steps.iter().filter(|&&s| s != b && self.order.before(a, s)).any(|&s| {
            let step = &self.trace.steps[s];
            step.thread == last.thread
                || last.after.contains(&(s as u32))
                || last.woken_by == Some(s as u32)
                || dependent(&step.accesses, &self.last_accesses)
        })
    }

    /// Is it covered by steps that sleep? Steps with several outcomes cover it together, if all of them sleep.
    pub(super) fn is_covered_by(&self, sleep: &[Sleeper]) -> bool {
        sleep.iter().any(|s| {
            if s.outcomes == 1 || self.steps.iter().any(|&k| self.trace.steps[k].thread == s.thread) {
                return self.may_begin_with(s.into()).is_some();
            }
            let together = sleep.iter().filter(|t| {
                let alone = Tried { varies: false, ..Tried::from(*t) };
                t.thread == s.thread && self.may_begin_with(alone).is_some()
            });
            together.count() == s.outcomes as usize
        })
    }

    /// Could the step go first without changing anything? Either it is the first of its thread in the sequence and has
    /// nothing before it, or its thread is not in the sequence and what it does is independent of all of it. A step that
    /// might have had another outcome can only be the former: what follows from the other is not covered by it.
    fn may_begin_with(&self, tried: Tried<'_>) -> Option<Found> {
        match self.steps.iter().position(|&s| self.trace.steps[s].thread == tried.thread) {
            Some(at) => {
                let step = self.steps[at];
                let first = self.outcome(step) == tried.outcome
                    && self.steps[..at].iter().all(|&s| !self.before(s, step));
                first.then_some(Found::At(at))
            }
            None => {
                let independent = self.steps.iter().all(|&s| !self.dependent(tried, self.accesses(s)));
                if independent && tried.varies {
                    // It covers only what follows from this outcome.
                    self.inexact.set(true);
                    return None;
                }
                independent.then_some(Found::Elsewhere)
            }
        }
    }

    fn dependent(&self, tried: Tried<'_>, here: &[Access]) -> bool {
        let same = |tree: ObjectId, here: ObjectId| {
            if tree.as_life().is_none() && tree.0 & YOUNG != 0 {
                let same = here.as_life().is_none()
                    && here.0 >= tried.known
                    && self.created(here).0 == tree.0 & !YOUNG;
                self.inexact.set(self.inexact.get() || same);
                same
            } else {
                tree == here
            }
        };
        tried.accesses.iter().any(|a| {
            here.iter().any(|b| {
                same(a.object, b.object)
                    && (a.act.relation(a.seq, b.act, b.seq) != Relation::Commute
                        || b.act.relation(b.seq, a.act, a.seq) != Relation::Commute)
            })
        })
    }

    fn branch(&self, step: usize) -> Branch {
        let Step { thread, kind, site, outcomes, object, other, .. } = self.trace.steps[step];
        let outcome = self.outcome(step);
        Branch {
            planned: Planned { thread, outcome, expected: Some((kind, site)) },
            accesses: Accesses::from_slice(self.accesses(step)),
            op: (object, other),
            known: self.objects,
            sites: (self.created(object), self.created(other)),
            foreseen: step == self.last
                && self.last_accesses != self.trace.steps[step].accesses
                && !matches!(kind, OpKind::CompareExchange | OpKind::CompareExchangeWeak),
            varies: outcomes > 1 || (step == self.last && may_vary(kind)),
            children: Vec::new(),
        }
    }

    /// What the branch touches, in the numbers of this execution.
    fn translated(&self, branch: &Branch) -> Accesses {
        let mut accesses = Accesses::from_slice(&branch.accesses);
        let is_young = |o: ObjectId| o.as_life().is_none() && o.0 >= branch.known;
        if !accesses.iter().any(|a| is_young(a.object)) {
            return accesses;
        }
        let thread = branch.planned.thread;
        let above = self.walked.iter().rfind(|w| w.0 == thread);
        let here = match above {
            None => self.next_of(thread, self.node),
            Some(&(_, Some(step))) => self.next_of(thread, step + 1),
            Some((_, None)) => None,
        };
        let here = here.filter(|s| branch.planned.expected == Some((s.kind, s.site)));
        for access in accesses.iter_mut().filter(|a| is_young(a.object)) {
            // A channel takes up several numbers in a row.
            access.object = match here {
                Some(step) if access.object == branch.op.1 => step.other,
                Some(step) => ObjectId(step.object.0 + (access.object.0 - branch.op.0.0)),
                None if access.object == branch.op.1 => ObjectId(YOUNG | branch.sites.1.0),
                None => ObjectId(YOUNG | branch.sites.0.0),
            };
        }
        accesses
    }

    fn created(&self, object: ObjectId) -> SiteId {
        self.trace.object(object).map_or(SiteId::UNKNOWN, |info| info.site)
    }

    fn next_of(&self, thread: ThreadId, from: usize) -> Option<&Step> {
        self.trace.steps[from..].iter().find(|s| s.thread == thread)
    }
}

/// Does the number of outcomes depend on what happened before?
fn may_vary(kind: OpKind) -> bool {
    matches!(kind, OpKind::CompareExchangeWeak | OpKind::NotifyOne | OpKind::IsLeader)
}

/// A step of another execution.
#[derive(Clone, Copy)]
pub(super) struct Tried<'a> {
    thread: ThreadId,
    outcome: u32,
    accesses: &'a [Access],
    /// Objects with smaller numbers are the same in both executions.
    known: u32,
    varies: bool,
}

impl<'a> From<&'a Sleeper> for Tried<'a> {
    fn from(s: &'a Sleeper) -> Tried<'a> {
        Tried {
            thread: s.thread,
            outcome: s.outcome,
            accesses: &s.accesses,
            known: 0,
            varies: s.outcomes > 1,
        }
    }
}

impl Branch {
    fn tried<'a>(&self, accesses: &'a Accesses) -> Tried<'a> {
        let Planned { thread, outcome, .. } = self.planned;
        Tried { thread, outcome, accesses, known: self.known, varies: self.varies }
    }
}

/// Where a step that may go first was found.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Found {
    /// At this place of the sequence.
    At(usize),
    /// Not in the sequence.
    Elsewhere,
}

impl Branch {
    /// Might the step depend on one that sleeps at the node of the tree?
    fn may_depend_on(&self, sleeper: &Sleeper) -> bool {
        let is_young = |o: ObjectId| o.as_life().is_none() && o.0 >= self.known;
        self.accesses.iter().any(|a| {
            sleeper.accesses.iter().any(|b| {
                (a.object == b.object || (is_young(a.object) && is_young(b.object)))
                    && (a.act.relation(a.seq, b.act, b.seq) != Relation::Commute
                        || b.act.relation(b.seq, a.act, a.seq) != Relation::Commute)
            })
        })
    }
}

/// Is what begins with these branches covered by steps that sleep? Not by one of several outcomes, only by all of them.
fn is_covered<'a>(path: &[&Branch], sleep: impl Iterator<Item = &'a Sleeper> + Clone) -> bool {
    let independent = |s: &Sleeper| path.iter().all(|b| b.planned.thread != s.thread && !b.may_depend_on(s));
    sleep.clone().any(|s| {
        independent(s)
            && sleep.clone().filter(|t| t.thread == s.thread && independent(t)).count() == s.outcomes as usize
    })
}

/// Takes away the beginning of the tree that is covered by steps that have been tried meanwhile. What a branch touches is
/// foreseen when it is put in, and what it was thought to conflict with may turn out to commute with it.
pub(super) fn prune(tree: &mut Vec<Branch>, sleep: &[Sleeper]) {
    tree.retain(|branch| {
        let mut path = vec![branch];
        while let [only] = &path[path.len() - 1].children[..] {
            path.push(only);
        }
        !(path[path.len() - 1].children.is_empty() && is_covered(&path, sleep.iter()))
    });
}

/// Puts a sequence into a tree, unless the tree already holds something that covers it; gives its memory back. `sleep` are
/// the steps that sleep at the node, or will: a leaf that they may cover leads only to what wakes them, and is no reason to
/// leave the sequence out.
pub(super) fn insert<'s>(
    mut level: &mut Vec<Branch>,
    mut sequence: Sequence<'_>,
    sleep: impl Iterator<Item = &'s Sleeper>,
) -> Vec<usize> {
    let mut covering: Vec<&Sleeper> = sleep.collect();
    loop {
        if sequence.steps.is_empty() {
            return sequence.steps;
        }
        let found = level.iter().enumerate().find_map(|(i, b)| {
            let accesses = sequence.translated(b);
            Some((i, sequence.may_begin_with(b.tried(&accesses))?))
        });
        let Some((i, found)) = found else { break };
        let step = match found {
            Found::At(at) => Some(sequence.steps.remove(at)),
            Found::Elsewhere => None,
        };
        let branch = &level[i];
        sequence.walked.push((branch.planned.thread, step));
        covering
            .retain(|s| s.thread != branch.planned.thread && (branch.foreseen || !branch.may_depend_on(s)));
        if branch.children.is_empty() && covering.is_empty() {
            return sequence.steps;
        }
        level = &mut level[i].children;
    }
    let mut chain: Option<Branch> = None;
    for &step in sequence.steps.iter().rev() {
        let mut branch = sequence.branch(step);
        branch.children.extend(chain.take());
        chain = Some(branch);
    }
    level.extend(chain);
    sequence.steps
}
