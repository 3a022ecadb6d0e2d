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
    /// It may have several outcomes...
    pub(super) varies: bool,
    /// ...and with another one would touch more.
    pub(super) narrow: bool,
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

    /// Could the step go first without changing anything? Either it is the first of its thread in the sequence and has
    /// nothing before it, or its thread is not in the sequence and what it does, whatever its outcome, is
    /// independent of all of it.
    pub(super) fn may_begin_with(&self, tried: Tried<'_>) -> Option<Found> {
        match self.steps.iter().position(|&s| self.trace.steps[s].thread == tried.thread) {
            Some(at) => {
                let step = self.steps[at];
                let first = self.outcome(step) == tried.outcome
                    && self.steps[..at].iter().all(|&s| !self.before(s, step));
                first.then_some(Found::At(at))
            }
            None => {
                let life = ObjectId::life(tried.thread);
                let independent = |s| {
                    let here = self.accesses(s);
                    // With another outcome the thread might have ended there.
                    !(self.dependent(tried, here) || tried.varies && here.iter().any(|a| a.object == life))
                };
                (!tried.narrow && self.steps.iter().all(|&s| independent(s))).then_some(Found::Elsewhere)
            }
        }
    }

    fn dependent(&self, tried: Tried<'_>, here: &[Access]) -> bool {
        let same = |tree: ObjectId, here: ObjectId| {
            if tree.as_life().is_none() && tree.0 & YOUNG != 0 {
                here.as_life().is_none() && here.0 >= tried.known && self.created(here).0 == tree.0 & !YOUNG
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
            varies: outcomes > 1 || (step == self.last && may_vary(kind)),
            narrow: kind == OpKind::CompareExchangeWeak && outcome > 0,
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
    narrow: bool,
}

impl<'a> From<&'a Sleeper> for Tried<'a> {
    fn from(s: &'a Sleeper) -> Tried<'a> {
        Tried {
            thread: s.thread,
            outcome: s.outcome,
            accesses: &s.accesses,
            known: 0,
            varies: s.outcomes > 1,
            narrow: s.narrow,
        }
    }
}

impl Branch {
    fn tried<'a>(&self, accesses: &'a Accesses) -> Tried<'a> {
        let Planned { thread, outcome, .. } = self.planned;
        Tried { thread, outcome, accesses, known: self.known, varies: self.varies, narrow: self.narrow }
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

/// Puts a sequence into a tree, unless the tree already holds something that covers it; gives its memory back.
pub(super) fn insert(mut level: &mut Vec<Branch>, mut sequence: Sequence<'_>) -> Vec<usize> {
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
        sequence.walked.push((level[i].planned.thread, step));
        if level[i].children.is_empty() {
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
