//! Wakeup trees: the beginnings of executions that still have to be tried from a node.
//!
//! Abdulla, Aronis, Jonsson, Sagonas, "Optimal dynamic partial order reduction", POPL 2014, section 6. A branch is a step;
//! its children are the steps that may follow it, in the order in which they are tried.
//!
//! Steps in a tree come from other executions than the one that is being looked at, which may number objects
//! differently. But a thread that has done the same does the same next, so the object of a branch is that of the thread's next step
//! in the execution at hand, if the steps of that thread above the branch are in it. If not, an object
//! is recognised by where it was created, and two from one place may or may not be the same.
//!
//! So there are comparisons that cannot be decided when a sequence is put in: with an object that may be another one, with
//! what a step is only foreseen to touch, and with one of several outcomes of an op, which covers a sequence only
//! together with the others. Then the branch is passed by, and the new leaf is in [`Doubt`]: executions tell. While the branch is
//! explored, each execution is looked at for the steps of the leaf ([`look`]), and when the leaf's turn comes it is
//! left out if they were seen ([`prune`]).
//!
//! Why no execution is cut off. One that begins with the leaf `v` and is cut off has a thread whose outcomes all sleep from
//! the node on, independent of `v` and of what followed; so they cover `v`. No leaf is covered when it comes to its
//! turn: sleeping steps that were there when it was put in, and branches that stood before it, were compared exactly, or the
//! leaf is in doubt about them. If `b` is independent of `v` then what begins with `b` and `v` is explored while `b`
//! is, and seen, because no sleeping step covers `v`.
//!
//! Why nothing is lost. A leaf is left out only when all that it asks for begins, up to order, with steps that have been
//! tried from the node. But it may have taken in longer sequences, of which that need not be true. So a leaf in doubt takes
//! in none: the rest is put below it.

use super::sleepers::Sleeping;
use crate::order::Order;
use gordian_model::{
    Access, Accesses, Act, ObjectId, OpKind, Planned, Relation, SiteId, Sleeper, Step, ThreadId, Trace,
    copied,
};
use smallvec::SmallVec;

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
    varies: bool,
    /// What it touches was not seen but foreseen, and may be less.
    foreseen: bool,
    /// Of a leaf that may be covered by steps tried before it.
    doubt: Option<Box<Doubt>>,
    /// There is a leaf in doubt here or below.
    pub(super) doubtful: bool,
    pub(super) children: Vec<Branch>,
}

/// What is known of a leaf that may be covered by steps that are tried before it.
#[derive(Debug, Default)]
struct Doubt {
    /// The steps tried from the node, thread and outcome, that are independent of everything up to the leaf.
    independent: Vec<(ThreadId, u32)>,
    /// An execution began with everything up to the leaf.
    seen: bool,
    /// It stays open whether the leaf is covered, and it is tried. This is so if one of several outcomes slept when the leaf was put
    /// in, and above the leaf is a branch of another sequence that touches an object that may or may not be one that
    /// the sleeping step touches. And it is so after executions that failed, which do not show everything that could have followed
    /// ([`Branch::is_open`]).
    open: bool,
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
    fn accesses(&self, step: usize) -> &Accesses {
        if step == self.last {
            return &self.last_accesses;
        }
        let arrival = self.arrivals.iter().find(|a| a.0 == step);
        arrival.map_or(&self.trace.steps[step].accesses, |a| &a.1)
    }

    /// Takes in the steps after the node and before `end` that do not happen after it, and then the last. `arrivals`: there are
    /// barriers.
    pub(super) fn begin(&mut self, end: usize, arrivals: bool) {
        let (node, last, order) = (self.node, self.last, self.order);
        self.walked.clear();
        self.steps.clear();
        self.steps.extend((node + 1..end).filter(|&k| k != last && !order.before(node, k)));
        self.steps.push(last);
        if arrivals {
            self.arrivals.clear();
            self.miss();
        }
    }

    /// Finds the [`arrivals`](Self::arrivals).
    fn miss(&mut self) {
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

    fn outcome(&self, step: usize) -> u32 {
        if step == self.last { self.last_outcome } else { self.trace.steps[step].outcome }
    }

    /// Is what a step touches only foreseen? What a compare-and-swap does follows from the value it meets, which is known,
    /// and who arrives as the last of a round from who else is in it.
    fn is_foreseen(&self, step: usize) -> bool {
        let Step { kind, accesses, .. } = &self.trace.steps[step];
        step == self.last
            && self.last_accesses != *accesses
            && !matches!(kind, OpKind::CompareExchange | OpKind::CompareExchangeWeak | OpKind::Arrive)
    }

    /// Does step `a` of the sequence happen before step `b` of it? The last step may have waited for steps that are left
    /// out (the unlock of a lock that is now taken later), so only what is in the sequence counts for it.
    fn before(&self, a: usize, b: usize) -> Is {
        if b != self.last {
            return Is::from(self.order.before(a, b));
        }
        let last = &self.trace.steps[b];
        let foreseen = self.is_foreseen(b);
        let between = self.steps.iter().filter(|&&s| s != b && self.order.before(a, s));
        Is::any(between.map(|&s| {
            let step = &self.trace.steps[s];
            if step.thread == last.thread
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
                match Is::any(self.steps[..at].iter().map(|&s| self.before(s, step))) {
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
    fn touches(&self, tried: Tried<'_>, here: &[Access]) -> Is {
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
    fn partly_covered<'s>(&self, sleep: Sleeping<'s>) -> Vec<Part<'s>> {
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
    fn finds(&self, tried: Tried<'_>, parts: &[Part<'_>]) -> Found {
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

    fn branch(&self, step: usize) -> Branch {
        let Step { thread, kind, site, outcomes, object, other, .. } = self.trace.steps[step];
        let outcome = self.outcome(step);
        Branch {
            planned: Planned { thread, outcome, expected: Some((kind, site)) },
            accesses: copied(self.accesses(step)),
            op: (object, other),
            known: self.objects,
            sites: (self.created(object), self.created(other)),
            foreseen: self.is_foreseen(step),
            varies: outcomes > 1 || (step == self.last && may_vary(kind)),
            doubt: None,
            doubtful: false,
            children: Vec::new(),
        }
    }

    /// What the branch touches, in the numbers of this execution.
    fn translated(&self, branch: &Branch) -> Accesses {
        let mut accesses = copied(&branch.accesses);
        let is_young = |o: ObjectId| o.as_life().is_none() && o.0 >= branch.known;
        if !accesses.iter().any(|a| is_young(a.object)) {
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
        for access in accesses.iter_mut().filter(|a| is_young(a.object)) {
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
        self.trace.object(object).map_or(SiteId::UNKNOWN, |info| info.site)
    }

    fn next_of(&self, thread: ThreadId, from: usize) -> Option<&Step> {
        self.trace.steps[from..].iter().find(|s| s.thread == thread)
    }
}

/// Does the number of outcomes depend on what happened before?
fn may_vary(kind: OpKind) -> bool {
    use OpKind::*;
    matches!(kind, CompareExchangeWeak | NotifyOne | IsLeader | FutexWake | FutexRequeue)
}

/// Is something so? Not everything can be told.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Is {
    So,
    NotSo,
    Unclear,
}

impl Is {
    fn from(so: bool) -> Is {
        if so { Is::So } else { Is::NotSo }
    }

    /// If this is so, it is unclear whether the other is.
    fn unless(self, unclear: bool) -> Is {
        if self == Is::So && unclear { Is::Unclear } else { self }
    }

    fn any(all: impl Iterator<Item = Is>) -> Is {
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
    a.act.relation(a.seq, b.act, b.seq) != Relation::Commute
        || b.act.relation(b.seq, a.act, a.seq) != Relation::Commute
}

/// A step of another execution.
#[derive(Clone, Copy)]
struct Tried<'a> {
    thread: ThreadId,
    outcome: u32,
    accesses: &'a [Access],
    /// Objects with smaller numbers are the same in both executions.
    known: u32,
    varies: bool,
    foreseen: bool,
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

impl Branch {
    fn tried<'a>(&self, accesses: &'a Accesses) -> Tried<'a> {
        let Branch { planned: Planned { thread, outcome, .. }, known, varies, foreseen, .. } = *self;
        Tried { thread, outcome, accesses, known, varies, foreseen }
    }
}

/// Where a step that may go first was found.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Found {
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
struct Part<'a> {
    sleeper: &'a Sleeper,
    covers: Found,
    /// Have the branches walked into woken it?
    woken: Is,
}

impl Doubt {
    /// The doubt about a sequence that sleeping steps cover in part.
    fn about(parts: &[Part<'_>]) -> Doubt {
        let covering = || parts.iter().filter(|p| p.covers == Found::Elsewhere);
        let independent = covering().filter(|p| p.woken == Is::NotSo);
        Doubt {
            independent: independent.map(|p| (p.sleeper.thread, p.sleeper.outcome)).collect(),
            seen: false,
            open: covering().any(|p| p.woken == Is::Unclear),
        }
    }

    /// Is the leaf covered by the steps that sleep now? Not by one of several outcomes, only by all of them.
    fn is_covered(&self, sleep: Sleeping<'_>) -> bool {
        let covers = |s: &&Sleeper| self.independent.contains(&(s.thread, s.outcome));
        self.seen
            || sleep.iter().filter(covers).any(|s| {
                sleep.iter().filter(covers).filter(|t| t.thread == s.thread).count() == s.outcomes as usize
            })
    }
}

impl Branch {
    /// See [`look`]; `found` are the steps of the branches above.
    fn look(&mut self, found: &mut Vec<usize>, at: usize, trace: &Trace, order: &Order) {
        if !self.doubtful {
            return;
        }
        let Planned { thread, outcome, expected } = self.planned;
        let from = found.iter().rev().find(|&&s| trace.steps[s].thread == thread).map_or(at, |&s| s + 1);
        let next = trace.steps[from..].iter().position(|s| s.thread == thread);
        let Some(next) = next.map(|k| from + k) else { return };
        let step = &trace.steps[next];
        if step.outcome != outcome
            || expected != Some((step.kind, step.site))
            || found.iter().any(|&s| order.before(next, s))
        {
            return;
        }
        found.push(next);
        if let Some(doubt) = &mut self.doubt {
            let tried = (trace.steps[at].thread, trace.steps[at].outcome);
            let is_closed = |&s: &usize| (at..s).all(|k| found.contains(&k) || !order.before(k, s));
            if !doubt.seen && !doubt.independent.contains(&tried) && found.iter().all(is_closed) {
                if found.contains(&at) {
                    doubt.seen = true;
                } else {
                    doubt.independent.push(tried);
                }
            }
        }
        self.children.iter_mut().for_each(|b| b.look(found, at, trace, order));
        found.pop();
    }

    /// Takes the first leaf away as long as it is covered. Is nothing left?
    fn prune(&mut self, sleep: Sleeping<'_>) -> bool {
        if self.children.is_empty() {
            return self.doubt.as_ref().is_some_and(|d| d.is_covered(sleep));
        }
        prune(&mut self.children, sleep);
        self.children.is_empty()
    }

    /// Is it open whether the first leaf is covered? It is if executions that were looked at for it were `cut` short.
    pub(super) fn is_open(&self, cut: bool) -> bool {
        match self.children.first() {
            Some(first) => first.is_open(cut),
            None => self.doubt.as_ref().is_some_and(|d| d.open || cut),
        }
    }
}

/// Looks for the leaves in doubt in an execution that went on from the node of the tree with its step `at`. One is there if the
/// next steps of the threads are those up to the leaf, nothing else after the node happens before them, and theirs is one
/// of the orders they may have: then the execution is, up to order, one that begins with them.
pub(super) fn look(tree: &mut [Branch], at: usize, trace: &Trace, order: &Order) {
    let mut found = Vec::new();
    tree.iter_mut().for_each(|b| b.look(&mut found, at, trace, order));
}

/// Takes the first leaf away as long as it is covered by steps that have been tried meanwhile, so that the one that is
/// left is not.
pub(super) fn prune(tree: &mut Vec<Branch>, sleep: Sleeping<'_>) {
    while tree.first_mut().is_some_and(|b| b.prune(sleep)) {
        tree.remove(0);
    }
}

/// Puts a sequence into a tree, unless the tree already holds something that covers it; says whether the leaf it leads to may be
/// in doubt. `sleep` are the steps that sleep at the node.
pub(super) fn insert(tree: &mut Vec<Branch>, sequence: &mut Sequence<'_>, sleep: Sleeping<'_>) -> bool {
    let mut parts = sequence.partly_covered(sleep);
    let mut in_doubt = false;
    let mut path: SmallVec<[usize; 16]> = SmallVec::new();
    let mut level = &mut *tree;
    loop {
        let mut found = None;
        for (i, branch) in level.iter().enumerate() {
            let accesses = sequence.translated(branch);
            let tried = branch.tried(&accesses);
            match sequence.finds(tried, &parts) {
                Found::Not => continue,
                Found::Perhaps => {
                    in_doubt = true;
                    continue;
                }
                Found::At(at) => found = Some((i, Some(sequence.steps[at]))),
                Found::Elsewhere => found = Some((i, None)),
            }
            parts.retain_mut(|p| {
                p.woken = Is::any([p.woken, sequence.touches(tried, &p.sleeper.accesses)].into_iter());
                p.sleeper.thread != tried.thread && p.woken != Is::So
            });
            break;
        }
        let Some((i, step)) = found else { break };
        sequence.steps.retain(|s| Some(*s) != step);
        let branch = &mut level[i];
        sequence.walked.push((branch.planned.thread, step));
        if sequence.steps.is_empty() {
            return branch.doubtful;
        }
        if branch.children.is_empty() {
            if branch.doubt.take().is_none() {
                return false;
            }
            in_doubt = true;
        }
        path.push(i);
        level = &mut level[i].children;
    }
    for (k, &step) in sequence.steps.iter().enumerate() {
        let mut branch = sequence.branch(step);
        branch.doubtful = in_doubt;
        if in_doubt && k + 1 == sequence.steps.len() {
            branch.doubt = Some(Box::new(Doubt::about(&parts)));
        }
        level.push(branch);
        level = &mut level.last_mut().expect("just put in").children;
    }
    if in_doubt {
        let mut level = tree;
        for i in path {
            level[i].doubtful = true;
            level = &mut level[i].children;
        }
    }
    in_doubt
}
