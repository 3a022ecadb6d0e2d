//! Wakeup trees: the beginnings of executions that still have to be tried from a node.
//!
//! Abdulla, Aronis, Jonsson, Sagonas, "Optimal dynamic partial order reduction", POPL 2014, section 6. A branch is a step;
//! its children are the steps that may follow it, in the order in which they are tried.
//!
//! Steps in a tree come from other executions than the one that is being looked at. Objects that were already
//! announced at the node have the same number in both; a later one is *young* and is recognised by
//! where it was created. Two young objects from one place may or may not be the same, and are taken to be: that
//! costs at worst an execution that turns out to be superfluous, and never loses one.

use crate::order::Order;
use gordian_model::{Access, Accesses, ObjectId, Planned, Relation, Step, Trace};

/// A step to be taken, and what may follow it.
#[derive(Debug)]
pub(super) struct Branch {
    pub(super) planned: Planned,
    pub(super) accesses: Accesses,
    pub(super) children: Vec<Branch>,
}

/// A sequence of steps of a trace, taken at a node of it.
pub(super) struct Sequence<'a> {
    pub(super) trace: &'a Trace,
    pub(super) order: &'a Order,
    /// The steps, by number; what has been found in the tree is taken out.
    pub(super) steps: Vec<usize>,
    /// The step at the end, which closes the race, and what it will touch.
    pub(super) last: usize,
    pub(super) last_accesses: Accesses,
    /// Objects known at the node.
    pub(super) objects: u32,
}

/// A mark that the number of an object is really the place where it was created.
const YOUNG: u32 = 1 << 30;

impl Sequence<'_> {
    fn accesses(&self, step: usize) -> &Accesses {
        if step == self.last { &self.last_accesses } else { &self.trace.steps[step].accesses }
    }

    /// Could the thread go first without changing anything? Either its first step in the sequence has
    /// nothing before it, or it is not in the sequence and what it would do is independent of all of it.
    pub(super) fn may_begin_with(&self, thread: gordian_model::ThreadId, touched: &[&Accesses]) -> Option<Found> {
        match self.steps.iter().position(|&s| self.trace.steps[s].thread == thread) {
            Some(at) => {
                let step = self.steps[at];
                let first = self.steps[..at].iter().all(|&s| !self.order.before(s, step));
                first.then_some(Found::At(at))
            }
            None => {
                let independent = touched
                    .iter()
                    .all(|touched| self.steps.iter().all(|&s| !self.dependent(touched, self.accesses(s))));
                independent.then_some(Found::Elsewhere)
            }
        }
    }

    fn dependent(&self, tree: &[Access], here: &[Access]) -> bool {
        tree.iter().any(|a| {
            here.iter().any(|b| {
                self.same_object(a.object, b.object)
                    && (a.act.relation(a.seq, b.act, b.seq) != Relation::Commute
                        || b.act.relation(b.seq, a.act, a.seq) != Relation::Commute)
            })
        })
    }

    fn same_object(&self, tree: ObjectId, here: ObjectId) -> bool {
        if tree.as_life().is_none() && tree.0 & YOUNG != 0 {
            self.trace.object(here).is_some_and(|info| info.site.0 == tree.0 & !YOUNG)
        } else {
            tree == here
        }
    }

    fn branch(&self, step: usize) -> Branch {
        let Step { thread, outcome, kind, site, .. } = self.trace.steps[step];
        // The step that closes the race may have other outcomes where it goes now.
        let outcome = if step == self.last { 0 } else { outcome };
        let mut accesses = self.accesses(step).clone();
        for access in &mut accesses {
            if access.object.as_life().is_none() && access.object.0 >= self.objects {
                let site = self.trace.object(access.object).map_or(0, |info| info.site.0);
                access.object = ObjectId(YOUNG | site);
            }
        }
        Branch { planned: Planned { thread, outcome, expected: Some((kind, site)) }, accesses, children: Vec::new() }
    }
}

/// Where a thread that may go first was found.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Found {
    /// At this place of the sequence.
    At(usize),
    /// Not in the sequence.
    Elsewhere,
}

/// Puts a sequence into a tree, unless the tree already holds something that covers it.
pub(super) fn insert(mut level: &mut Vec<Branch>, mut sequence: Sequence<'_>) {
    loop {
        if sequence.steps.is_empty() {
            return;
        }
        let found = level.iter().enumerate().find_map(|(i, branch)| {
            let found = sequence.may_begin_with(branch.planned.thread, &[&branch.accesses])?;
            if let Found::At(at) = found {
                // Another outcome of the same op is another step; except for the last, of which all will be tried.
                let step = sequence.steps[at];
                if step != sequence.last && sequence.trace.steps[step].outcome != branch.planned.outcome {
                    return None;
                }
            }
            Some((i, found))
        });
        let Some((i, found)) = found else { break };
        if let Found::At(at) = found {
            sequence.steps.remove(at);
        }
        if level[i].children.is_empty() {
            return;
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
}
