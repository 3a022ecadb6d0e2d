//! Depth first with sets of threads that are enough: persistent sets found on the way, and source sets.
//!
//! A node begins with one thread. When an execution below it shows that a later step races with the one taken there,
//! a thread is added that may lead to the other order. For `dpor` that is the thread of the later step, or of one that leads to
//! it if there are such, or every enabled one if none of them is (Flanagan, Godefroid, "Dynamic partial-order reduction
//! for model checking software", POPL 2005). For `source` nothing is added if some thread that is there already can begin what reverses the race; otherwise
//! one that can is (Abdulla, Aronis, Jonsson, Sagonas, "Source sets", JACM 2017, section 4). Both use sleep sets, so no two
//! executions that come to their end are equivalent, but some are cut off.
//!
//! `observers` uses source sets too, but races of writes that nobody sees are no races. A sleeping write still wakes at any
//! other to the same object, because it is not known yet who will see them; so some executions differ only in such writes.

use super::descent::{Descent, Left};
use super::recycled::Recycle;
use super::{Next, Strategy};
use crate::observers::Observed;
use crate::order::{Order, Race};
use gordian_model::{Failure, Plan, ThreadId, ThreadSet, Trace, Tree};
use std::cell::RefCell;
use std::thread::LocalKey;

/// Which threads are enough.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) enum Sets {
    #[default]
    Persistent,
    Source,
}

/// Who has turned out to be enough at a node.
#[derive(Debug, Default)]
struct Enough {
    enabled: ThreadSet,
    /// To be tried from here.
    wanted: ThreadSet,
    /// Tried, or being tried.
    done: ThreadSet,
}

impl Enough {
    /// The thread is to be tried from here, or everybody if it cannot be.
    fn want(&mut self, thread: ThreadId) {
        if self.enabled.contains(thread) {
            self.wanted.insert(thread);
        } else {
            self.wanted.clone_from(&self.enabled);
        }
    }
}

impl Left for Enough {
    fn begin(&mut self, enabled: &[u64], first: ThreadId) {
        self.enabled.assign_words(enabled);
        self.wanted.clear();
        self.wanted.insert(first);
        self.done.clear();
        self.done.insert(first);
    }

    fn pop(&mut self) -> Option<ThreadId> {
        let next = self.iter().next()?;
        self.done.insert(next);
        Some(next)
    }

    fn iter(&self) -> impl Iterator<Item = ThreadId> {
        self.wanted.iter().filter(|&t| !self.done.contains(t))
    }
}

/// The search.
#[derive(Debug, Default)]
pub(super) struct Dpor {
    pub(super) sets: Sets,
    /// Writes conflict only if the later one is read.
    pub(super) observers: bool,
    observed: Observed,
    descent: Descent<Enough>,
    order: Order,
    races: Vec<Race>,
    /// Steps that reverse a race.
    steps: Vec<usize>,
}

impl Recycle for Dpor {
    fn place() -> &'static LocalKey<RefCell<Option<Box<Self>>>> {
        thread_local!(static PLACE: RefCell<Option<Box<Dpor>>> = const { RefCell::new(None) });
        &PLACE
    }

    fn reset(&mut self) {
        self.descent.reset();
        self.order.truncate(0);
    }
}

impl Dpor {
    /// Adds to the node before `earlier` what may lead to the other order of the race.
    fn reverse(&mut self, (earlier, later): Race, trace: &Trace) {
        let enough = &mut self.descent.nodes[earlier].left;
        if self.sets == Sets::Persistent {
            let waits = trace.steps[later].accesses.iter().any(|a| a.act.waits());
            for let_go in [true, false].into_iter().take(1 + usize::from(waits)) {
                self.order.leading(&trace.steps, earlier, later, let_go, &mut self.steps);
                enough.want(trace.steps[self.steps[0]].thread);
            }
            return;
        }
        self.order.without(earlier, later, &mut self.steps);
        let is_first = |k: usize| {
            let step = self.steps[k];
            self.steps[..k].iter().all(|&s| !self.order.before(s, step))
        };
        let begins = |k: usize| enough.wanted.contains(trace.steps[self.steps[k]].thread) && is_first(k);
        if !(0..self.steps.len()).any(begins) {
            enough.want(trace.steps[self.steps[0]].thread);
        }
    }
}

impl Strategy for Dpor {
    fn plan(&mut self, plan: &mut Plan) -> Next {
        self.descent.plan(plan)
    }

    fn learn(&mut self, trace: &Trace) -> Result<(), Failure> {
        let branch = self.descent.learn(trace, true);
        let mut races = std::mem::take(&mut self.races);
        // What is read at the end may make races of writes at the beginning.
        self.order.truncate(if self.observers { 0 } else { branch });
        let steps = if self.observers { self.observed.steps(trace) } else { &trace.steps };
        while self.order.len() < trace.len() {
            self.order.push(steps, &mut races);
        }
        for race in races.drain(..) {
            self.reverse(race, trace);
        }
        self.races = races;
        // Where everything else sleeps, blocked threads do not show what they would have raced with.
        for (at, thread) in trace.kept_waiting() {
            if !self.order.last_of(thread).is_some_and(|last| self.order.before(at, last)) {
                self.descent.nodes[at].left.want(thread);
            }
        }
        Ok(())
    }

    fn estimate(&self) -> Option<f64> {
        self.descent.estimate()
    }

    fn tree(&self) -> Option<Tree> {
        self.descent.tree()
    }

    fn retire(self: Box<Self>) {
        self.keep();
    }
}
