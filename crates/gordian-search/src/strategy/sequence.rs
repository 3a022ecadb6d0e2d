//! Sequences of steps that are to be put into a wakeup tree, and what can be told of their order and of the steps of other executions.

use super::sleepers::Sleeping;
use super::tree::{Branch, Doubt};
use crate::order::{Order, does_the_same};
use gordian_model::{
    Access, Accesses, Act, ObjectId, OpKind, Relation, SiteId, Sleeper, Step, ThreadId, Trace, copied,
};
use smallvec::SmallVec;

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
    /// What it will touch is only foreseen.
    pub(super) foreseen: bool,
    /// The number of the step at the node, and of the objects known there.
    pub(super) node: usize,
    pub(super) objects: u32,
    /// The branches walked into: the thread, and its step here, if it is one of the sequence.
    pub(super) walked: SmallVec<[(ThreadId, Option<usize>); 4]>,
    /// What steps touch that were the last of a round at a barrier and are so no longer, because others are missing.
    pub(super) arrivals: Vec<(usize, Accesses)>,
}

/// How sleeping steps cover a sequence.
#[derive(Clone, Copy, Debug)]
pub(super) enum Cover {
    /// One is among the steps before the last.
    Always,
    /// What sleeps of this thread does, until there is more in the sequence.
    UpTo(ThreadId),
}

/// A mark that the number of an object is really the place where it was created.
const YOUNG: u32 = 1 << 30;
/// Any object that is not known yet: the step touched it besides those of its op, see [`Trace::loose`].
const ANY: u32 = YOUNG | (YOUNG - 1);

impl Sequence<'_> {
    #[inline]
    fn accesses(&self, step: usize) -> &Accesses {
        if step == self.last {
            return &self.last_accesses;
        }
        let arrival = self.arrivals.iter().find(|a| a.0 == step);
        arrival.map_or(&self.trace.steps[step].accesses, |a| &a.1)
    }

    /// Takes in the steps after the node and before `end` that do not happen after it, and then the last.
    pub(super) fn begin(&mut self, end: usize) {
        let (node, last, order) = (self.node, self.last, self.order);
        self.walked.clear();
        self.steps.clear();
        order.beside(node, end, &mut self.steps);
        if end > last {
            self.steps.retain(|&k| k != last);
        }
        self.steps.push(last);
        if self.steps.iter().any(|&k| self.trace.steps[k].kind == OpKind::Arrive) {
            self.miss();
        }
    }

    /// Finds the [`arrivals`](Self::arrivals).
    #[cold]
    #[inline(never)]
    fn miss(&mut self) {
        self.arrivals.clear();
        for &step in self.steps.iter().filter(|&&s| s != self.last) {
            let Step { kind, accesses, .. } = &self.trace.steps[step];
            let last = |a: &Access| a.act == Act::ArriveLast && self.order.is_missed(a, self.node);
            if *kind == OpKind::Arrive
                && let Some(k) = accesses.iter().position(last)
            {
                let mut accesses = Accesses::from_slice(accesses);
                accesses[k].act = Act::Arrive;
                self.arrivals.push((step, accesses));
            }
        }
    }

    #[inline]
    fn outcome(&self, step: usize) -> u32 {
        if step == self.last { self.last_outcome } else { self.trace.steps[step].outcome }
    }

    /// Is what a step touches only foreseen?
    #[inline]
    fn is_foreseen(&self, step: usize) -> bool {
        step == self.last && self.foreseen
    }

    /// Does a step of the sequence happen before the one at this place of it?
    fn has_to_wait(&self, at: usize) -> Is {
        let step = self.steps[at];
        if step != self.last {
            return Is::from(self.steps[..at].iter().any(|&s| self.order.before(s, step)));
        }
        // It stands at the end. It may have waited for steps that are left out (the unlock of a lock that is now taken later), so only
        // what is in the sequence counts; and what happens before it does so because of one that leads to it by itself.
        let last = &self.trace.steps[step];
        let foreseen = self.foreseen;
        Is::any(self.steps[..at].iter().map(|&s| {
            if self.trace.steps[s].thread == last.thread
                || last.after.contains(&(s as u32))
                || last.woken_by == Some(s as u32)
            {
                return Is::So;
            }
            Is::from(orders(self.accesses(s), &self.last_accesses)).unless(foreseen)
        }))
    }

    /// Do sleeping steps cover the sequence? Steps with several outcomes cover it together, if all of them sleep. Objects that
    /// sleeping steps touch are known at the node, so there is no doubt which ones they are.
    pub(super) fn covered_by(&self, sleep: Sleeping<'_>) -> Option<Cover> {
        sleep.iter().find_map(|s| match self.begins_with(s.into()) {
            Found::At(at) if self.steps[at] < self.last => Some(Cover::Always),
            Found::At(_) => Some(Cover::UpTo(s.thread)),
            Found::Elsewhere if s.outcomes == 1 => Some(Cover::UpTo(s.thread)),
            Found::Elsewhere => {
                let covers =
                    |t: &&Sleeper| t.thread == s.thread && self.begins_with((*t).into()) == Found::Elsewhere;
                let covering = sleep.iter().filter(covers).count();
                (covering == s.outcomes as usize).then_some(Cover::UpTo(s.thread))
            }
            Found::Not | Found::Perhaps => None,
        })
    }

    /// Could the step go first without changing anything? Either it is the first of its thread in the sequence and has
    /// nothing before it, or its thread is not in the sequence and what it does is independent of all of it.
    fn begins_with(&self, tried: Tried<'_>) -> Found {
        match self.steps.iter().position(|&s| self.trace.steps[s].thread == tried.thread) {
            Some(at) => {
                let step = self.steps[at];
                if self.outcome(step) != tried.outcome {
                    return Found::Not;
                }
                match self.has_to_wait(at) {
                    Is::So => Found::Not,
                    Is::Unclear => Found::Perhaps,
                    Is::NotSo => Found::At(at),
                }
            }
            None => match Is::any(self.steps.iter().map(|&s| self.dependent(tried, s))) {
                Is::So => Found::Not,
                Is::Unclear => Found::Perhaps,
                Is::NotSo => Found::Elsewhere,
            },
        }
    }

    fn dependent(&self, tried: Tried<'_>, step: usize) -> Is {
        self.touches(tried, self.accesses(step)).unless(self.is_foreseen(step))
    }

    /// Does a step depend on one that touches this?
    #[inline]
    pub(super) fn touches(&self, tried: Tried<'_>, here: &[Access]) -> Is {
        let same = |tree: ObjectId, here: ObjectId| {
            if tree.as_life().is_none() && tree.0 & YOUNG != 0 {
                let same = here.as_life().is_none()
                    && here.0 >= tried.known
                    && (tree.0 == ANY || self.created(here).0 == tree.0 & !YOUNG);
                Is::from(same).unless(true)
            } else {
                Is::from(tree == here)
            }
        };
        // Whether there is room for all in one round is not known when there are more of them above.
        let crowded = self.walked.iter().any(|w| w.1.is_none());
        let conflict = |a: &Access, b: &Access| {
            let arrive = a.act == Act::Arrive && b.act == Act::Arrive;
            Is::any([Is::from(conflict(a, b)), Is::from(arrive && crowded).unless(true)].into_iter())
        };
        let pairs = tried.accesses.iter().flat_map(|a| here.iter().map(move |b| (a, b)));
        Is::any(pairs.map(|(a, b)| match conflict(a, b) {
            Is::NotSo => Is::NotSo,
            conflict => same(a.object, b.object).unless(conflict == Is::Unclear),
        }))
        .unless(tried.foreseen)
    }

    /// The sleeping steps that cover part of the sequence: they are among several outcomes, and the others do not sleep.
    #[inline]
    pub(super) fn partly_covered<'s>(&self, sleep: Sleeping<'s>) -> Vec<Part<'s>> {
        let part = |s: &&Sleeper| {
            s.outcomes > 1 && self.steps.iter().all(|&k| self.trace.steps[k].thread != s.thread)
        };
        let parts = sleep.iter().filter(part);
        parts
            .map(|sleeper| Part { sleeper, covers: self.begins_with(sleeper.into()), woken: Is::NotSo })
            .collect()
    }

    /// May the sequence begin with a branch? One of several outcomes covers only what follows from it. But if the others
    /// sleep, and cover the sequence as well, then what is left of it is all below that branch; and if one of them sleeps
    /// and does not cover it, then they do not together.
    #[inline]
    pub(super) fn finds(&self, tried: Tried<'_>, parts: &[Part<'_>]) -> Found {
        let found = self.begins_with(tried);
        if !tried.varies || found != Found::Elsewhere {
            return found;
        }
        let others = || {
            parts.iter().filter(|p| {
                p.sleeper.thread == tried.thread && p.sleeper.outcome != tried.outcome && p.woken == Is::NotSo
            })
        };
        if others().any(|p| p.covers == Found::Not) {
            return Found::Not;
        }
        let covering = others().filter(|p| p.covers == Found::Elsewhere).count();
        match others().next() {
            Some(p) if covering + 1 == p.sleeper.outcomes as usize => Found::Elsewhere,
            _ => Found::Perhaps,
        }
    }

    #[inline]
    pub(super) fn branch(
        &self,
        step: usize,
        doubtful: bool,
        doubt: Option<Box<Doubt>>,
        children: Vec<Branch>,
    ) -> Branch {
        let (accesses, outcome) = (copied(self.accesses(step)), self.outcome(step));
        let last = (step == self.last).then_some(self.foreseen);
        let new = Branch::new(self.trace, self.objects, step, outcome, accesses, last);
        Branch { doubt, doubtful, children, ..new }
    }

    /// What the branch touches, in the numbers of this execution.
    #[inline]
    pub(super) fn translated(&self, branch: &Branch) -> Accesses {
        let mut accesses = copied(&branch.accesses);
        if !accesses.iter().any(|a| is_young(a.object, branch.known)) {
            return accesses;
        }
        let thread = branch.planned.thread;
        let above = self.walked.iter().rfind(|w| w.0 == thread);
        let here = match above {
            None => self.next_of(thread, self.node),
            // What the last step does in the place asked for, and what its thread does then, was not seen.
            Some(&(_, Some(step))) if step != self.last => self.next_of(thread, step + 1),
            Some(_) => None,
        };
        let here = here.filter(|s| branch.planned.expected == Some((s.kind, s.site)));
        for access in accesses.iter_mut().filter(|a| is_young(a.object, branch.known)) {
            let (object, other) = branch.op;
            let loose = access.object != object && (self.trace.loose || access.object.0 < object.0);
            // A channel takes up several numbers in a row.
            access.object = match here {
                _ if loose && access.object != other => ObjectId(ANY),
                Some(step) if access.object == branch.op.1 => step.other,
                Some(step) => ObjectId(step.object.0 + (access.object.0 - branch.op.0.0)),
                None if access.object == branch.op.1 => ObjectId(YOUNG | branch.sites.1.0),
                None => ObjectId(YOUNG | branch.sites.0.0),
            };
        }
        accesses
    }

    fn created(&self, object: ObjectId) -> SiteId {
        created(self.trace, object)
    }

    fn next_of(&self, thread: ThreadId, from: usize) -> Option<&Step> {
        self.trace.steps[from..].iter().find(|s| s.thread == thread)
    }
}

/// Where an object was created.
#[cold]
pub(super) fn created(trace: &Trace, object: ObjectId) -> SiteId {
    trace.object(object).map_or(SiteId::UNKNOWN, |info| info.site)
}

/// Is it only foreseen that a step will touch this? What a compare-and-swap does follows from the value it meets, which is
/// known, and who arrives as the last of a round from who else is in it.
#[inline]
pub(super) fn is_foreseen(step: &Step, touched: &[Access]) -> bool {
    !does_the_same(step.kind)
        && *touched != *step.accesses
        && !matches!(step.kind, OpKind::CompareExchange | OpKind::CompareExchangeWeak | OpKind::Arrive)
}

/// Was the object made after so many others? Such ones may be numbered otherwise in another execution.
#[inline]
pub(super) fn is_young(object: ObjectId, known: u32) -> bool {
    object.as_life().is_none() && object.0 >= known
}

/// Is something so? Not everything can be told.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Is {
    So,
    NotSo,
    Unclear,
}

impl Is {
    #[inline]
    fn from(so: bool) -> Is {
        if so { Is::So } else { Is::NotSo }
    }

    /// If this is so, it is unclear whether the other is.
    fn unless(self, unclear: bool) -> Is {
        if self == Is::So && unclear { Is::Unclear } else { self }
    }

    #[inline]
    pub(super) fn any(all: impl Iterator<Item = Is>) -> Is {
        let mut any = Is::NotSo;
        for is in all {
            match is {
                Is::So => return Is::So,
                Is::Unclear => any = Is::Unclear,
                Is::NotSo => {}
            }
        }
        any
    }
}

/// Does what touches this happen before what touches that, if it comes first?
fn orders(first: &[Access], second: &[Access]) -> bool {
    let ordered = |a: &Access, b: &Access| a.act.relation(a.seq, b.act, b.seq) != Relation::Commute;
    first.iter().any(|a| second.iter().any(|b| a.object == b.object && ordered(a, b)))
}

fn conflict(a: &Access, b: &Access) -> bool {
    a.act.conflicts(a.seq, b.act, b.seq)
}

/// A step of another execution.
#[derive(Clone, Copy)]
pub(super) struct Tried<'a> {
    pub(super) thread: ThreadId,
    pub(super) outcome: u32,
    pub(super) accesses: &'a [Access],
    /// Objects with smaller numbers are the same in both executions.
    pub(super) known: u32,
    pub(super) varies: bool,
    pub(super) foreseen: bool,
}

impl<'a> From<&'a Sleeper> for Tried<'a> {
    fn from(s: &'a Sleeper) -> Tried<'a> {
        Tried {
            thread: s.thread,
            outcome: s.outcome,
            accesses: &s.accesses,
            known: 0,
            varies: s.outcomes > 1,
            foreseen: false,
        }
    }
}

/// Where a step that may go first was found.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Found {
    /// At this place of the sequence.
    At(usize),
    /// Not in the sequence, and independent of it.
    Elsewhere,
    /// It cannot go first.
    Not,
    /// It cannot be told.
    Perhaps,
}

/// A sleeping step that is one of several outcomes, and a sequence.
pub(super) struct Part<'a> {
    pub(super) sleeper: &'a Sleeper,
    pub(super) covers: Found,
    /// Have the branches walked into woken it?
    pub(super) woken: Is,
}
