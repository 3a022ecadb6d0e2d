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

use super::sequence::{Found, Is, Part, Sequence, Tried, created, is_young};
use super::sleepers::Sleeping;
use crate::order::Order;
use gordian_model::{Accesses, ObjectId, OpKind, Planned, SiteId, Sleeper, Step, ThreadId, Trace};
use smallvec::SmallVec;

/// A step to be taken, and what may follow it.
#[derive(Debug)]
pub(super) struct Branch {
    pub(super) planned: Planned,
    pub(super) accesses: Accesses,
    /// The objects of its op as that execution numbered them.
    pub(super) op: (ObjectId, ObjectId),
    /// Objects with smaller numbers have the same number in all executions that come here.
    pub(super) known: u32,
    /// Where they were created.
    pub(super) sites: (SiteId, SiteId),
    /// It may have several outcomes.
    pub(super) varies: bool,
    /// What it touches was not seen but foreseen, and may be less.
    pub(super) foreseen: bool,
    /// Of a leaf that may be covered by steps tried before it.
    pub(super) doubt: Option<Box<Doubt>>,
    /// There is a leaf in doubt here or below.
    pub(super) doubtful: bool,
    pub(super) children: Vec<Branch>,
}

/// What is known of a leaf that may be covered by steps that are tried before it.
#[derive(Debug, Default)]
pub(super) struct Doubt {
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

impl Branch {
    /// A branch by itself: a step of a trace with this outcome, that touches this. Of the last of a sequence it is said whether that
    /// is only foreseen. Objects below `known` are known at the node.
    #[inline]
    pub(super) fn new(
        trace: &Trace,
        known: u32,
        step: usize,
        outcome: u32,
        accesses: Accesses,
        last: Option<bool>,
    ) -> Branch {
        let Step { thread, kind, site, outcomes, object, other, .. } = trace.steps[step];
        // Objects that are known at the node are told by their numbers.
        let sites = match accesses.iter().any(|a| is_young(a.object, known)) {
            true => (created(trace, object), created(trace, other)),
            false => (SiteId::UNKNOWN, SiteId::UNKNOWN),
        };
        Branch {
            planned: Planned { thread, outcome, expected: Some((kind, site)) },
            accesses,
            op: (object, other),
            known,
            sites,
            foreseen: last == Some(true),
            varies: outcomes > 1 || (last.is_some() && may_vary(kind)),
            doubt: None,
            doubtful: false,
            children: Vec::new(),
        }
    }

    fn tried<'a>(&self, accesses: &'a Accesses) -> Tried<'a> {
        let Branch { planned: Planned { thread, outcome, .. }, known, varies, foreseen, .. } = *self;
        Tried { thread, outcome, accesses, known, varies, foreseen }
    }
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

/// Takes the first branch out of a tree: its step, and what may follow that. Most often it is the only one, and nothing has to move up.
#[inline]
pub(super) fn take_first(tree: &mut Vec<Branch>) -> (Planned, Vec<Branch>) {
    let first = match tree.len() {
        1 => tree.pop().expect("there is one"),
        _ => tree.remove(0),
    };
    (first.planned, first.children)
}

/// Does the number of outcomes depend on what happened before?
fn may_vary(kind: OpKind) -> bool {
    use OpKind::*;
    matches!(kind, CompareExchangeWeak | NotifyOne | IsLeader | FutexWake | FutexRequeue)
}

/// Puts a sequence into a tree, unless the tree already holds something that covers it; says whether the leaf it leads to may be
/// in doubt. `sleep` are the steps that sleep at the node, `spare` is memory for branches.
pub(super) fn insert(
    tree: &mut Vec<Branch>,
    sequence: &mut Sequence<'_>,
    sleep: Sleeping<'_>,
    spare: &mut Vec<Vec<Branch>>,
) -> bool {
    // Nothing can be in doubt about an empty tree.
    let mut parts = if tree.is_empty() { Vec::new() } else { sequence.partly_covered(sleep) };
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
        let is_leaf = k + 1 == sequence.steps.len();
        let doubt = (in_doubt && is_leaf).then(|| Box::new(Doubt::about(&parts)));
        let children = if is_leaf { Vec::new() } else { spare.pop().unwrap_or_default() };
        level.push(sequence.branch(step, in_doubt, doubt, children));
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
