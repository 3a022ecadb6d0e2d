//! Variable and thread bounding (RankChecker: Bindal, Bansal, Lal, "Variable and thread bounding for systematic testing of
//! multithreaded programs", ISSTA 2013).
//!
//! Most bugs need few preemptions, at accesses to few variables, and an order among few threads. So executions are tried
//! in the order of how many variables they preempt at, and only those within the bounds.
//!
//! Without thread bounding any thread may go on where one stops by itself, and a preemption is any switch away from a thread that
//! could have gone on. With it the threads follow an order of priority, and a preemption is a change of that order: the thread that has
//! just touched a variable gets another place in it. With few threads all orders are tried; with many, as many random ones as
//! it takes to have every order of `threads` of them with high probability (section 4).

mod frontier;
mod permutations;
mod precedence;
mod spent;
mod variable;
mod walk;

pub(crate) use frontier::Ranking;
pub(crate) use spent::{Bounds, Event};

use super::{Next, Strategy};
use crate::guarantee::{Proved, count};
use crate::search::{Maker, Text, Word, Wrong};
use frontier::{Frontier, Item, State};
use gordian_model::{Failure, Plan, Planned, Policy, Priorities, ThreadId, Trace};
use precedence::{Partial, Precedence, Total};
use smallvec::{SmallVec, smallvec};
use spent::Spent;
use std::rc::Rc;
use std::sync::Arc;
use walk::Walker;

pub(crate) const WORD: Word = Word { name: "variables", usage: USAGE, read };

const USAGE: &[&str] =
    &["variables:V", "variables:V,preemptions:C[,threads:T][,loops:L][,dynamic][,probability:0.99]"];

/// Preemptions if the text does not say: nearly all bugs need no more (section 6).
const PREEMPTIONS: usize = 2;
const PROBABILITY: f64 = 0.99;

fn read(text: Text<'_>) -> Result<Maker, Wrong> {
    let mut pieces = text.split(',').into_iter();
    let variables = pieces.next().unwrap_or(text).number(0, "the number of variables")?;
    let mut bounds = Bounds { variables, preemptions: PREEMPTIONS, loops: None };
    let (mut threads, mut ranking, mut probability) = (None, Ranking::Variables, PROBABILITY);
    for piece in pieces {
        let (name, value) = piece.head();
        match name.as_str() {
            "preemptions" => bounds.preemptions = value.number(0, "the number of preemptions")?,
            "threads" => threads = Some(value.number(2, "the number of threads")?),
            "loops" => bounds.loops = Some(value.number(1, "the number of objects of each place")?),
            "dynamic" => {
                value.nothing()?;
                ranking = Ranking::Preemptions;
            }
            "probability" => {
                let number = value.as_str().parse().ok().filter(|p| 0.0 < *p && *p < 1.0);
                probability = number.ok_or_else(|| value.wrong("expected a number between 0 and 1"))?;
            }
            _ => {
                let words = ["preemptions:2", "threads:2", "loops:1", "dynamic", "probability:0.99"];
                return Err(piece.none_of(words.into_iter()));
            }
        }
    }
    Ok(Arc::new(move |setting| {
        let orders = threads.map(|threads| Orders { threads, probability, seed: setting.seed });
        Box::new(Rank::new(bounds, ranking, orders))
    }))
}

/// Which orders of threads are tried.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Orders {
    /// Every order of so many threads...
    pub(crate) threads: u64,
    /// ...with this probability, if there are too many threads to try all orders.
    pub(crate) probability: f64,
    pub(crate) seed: u64,
}

/// With so many threads and preemptions together all orders are tried. With more, those that make a difference may still be few,
/// so all of them are tried until that has taken as many executions as there would be random orders.
const FEW: u64 = 6;

/// The orders that are drawn where there are too many to try all.
#[derive(Debug)]
struct Drawn {
    tried: u64,
    enough: u64,
}

/// The preemptions that an execution was planned with.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Reason {
    /// Just after which steps.
    pub(crate) cuts: SmallVec<[Event; 4]>,
    /// At how many variables.
    pub(crate) variables: usize,
}

impl Reason {
    /// How many preemptions, at how many variables.
    pub(crate) fn level(&self) -> (usize, usize) {
        (self.cuts.len(), self.variables)
    }
}

/// Searches within the bounds.
#[derive(Debug)]
pub(crate) struct Rank {
    bounds: Bounds,
    orders: Option<Orders>,
    drawn: Option<Drawn>,
    /// The threads that have made steps.
    threads: Vec<ThreadId>,
    started: bool,
    executions: u64,
    frontier: Frontier,
    current: Option<Item>,
    walker: Walker,
}

impl Rank {
    /// Without orders threads need not follow one.
    pub(crate) fn new(bounds: Bounds, ranking: Ranking, orders: Option<Orders>) -> Rank {
        Rank {
            bounds,
            orders,
            drawn: None,
            threads: Vec::new(),
            started: false,
            executions: 0,
            frontier: Frontier::new(ranking),
            current: None,
            walker: Walker::default(),
        }
    }

    /// Why the execution that was planned last is tried: each way to explain it with the fewest preemptions, at the fewest
    /// variables.
    pub(crate) fn reasons(&self) -> impl Iterator<Item = Reason> + '_ {
        let item = self.current.as_ref();
        let reason =
            |state: &State| Reason { cuts: state.spent.cuts.clone(), variables: state.spent.variables.len() };
        let best = item.map(|item| reason(item.best()));
        let all = item.into_iter().flat_map(|item| item.states.iter()).map(reason);
        all.filter(move |r| best.as_ref().is_some_and(|best| r.level() == best.level()))
    }

    /// The threads that have made steps in some execution.
    pub(crate) fn threads(&self) -> &[ThreadId] {
        &self.threads
    }

    /// What the search begins with, if there is more of that.
    fn root(&mut self) -> Option<Item> {
        let precedence = match (&mut self.drawn, self.orders) {
            (Some(drawn), Some(orders)) => {
                if drawn.tried == drawn.enough {
                    return None;
                }
                drawn.tried += 1;
                let n = self.threads.len();
                let order =
                    permutations::permutation(n + self.bounds.preemptions, orders.seed, drawn.tried - 1);
                let most = self.threads.iter().map(|t| t.index() + 1).max().unwrap_or(0);
                let mut of = smallvec![0; most];
                for (thread, &place) in self.threads.iter().zip(&order) {
                    of[thread.index()] = Priorities::LOW + place;
                }
                let next: Rc<[u32]> = order[n..].iter().map(|place| Priorities::LOW + place).collect();
                Precedence::Total(Total { of, next })
            }
            _ if std::mem::replace(&mut self.started, true) => return None,
            (_, Some(_)) => Precedence::Partial(Partial::default()),
            (_, None) => Precedence::Free,
        };
        let states = smallvec![State { spent: Spent::default(), precedence }];
        Some(Item { path: Rc::new([]), cut: 0, step: None, is_first: false, states })
    }

    /// Takes note of threads that have made no steps before; `true` if the search has to begin again with random orders,
    /// or with more of them.
    fn is_outgrown(&mut self, trace: &Trace) -> bool {
        let known = self.threads.len();
        for step in &trace.steps {
            if !self.threads.contains(&step.thread) {
                self.threads.push(step.thread);
            }
        }
        self.executions += 1;
        let Some(orders) = self.orders else { return false };
        let c = self.bounds.preemptions;
        let (n, t) = ((self.threads.len() + c) as u64, orders.threads + c as u64);
        if self.drawn.is_some() && self.threads.len() == known {
            return false;
        }
        let enough = permutations::enough(n, t, 1.0 - orders.probability);
        if self.drawn.is_none() {
            let can_be_told_apart = self.threads.iter().all(|t| t.index() < Partial::MOST);
            if can_be_told_apart && (n <= FEW || self.executions <= enough) {
                return false;
            }
        }
        self.drawn = Some(Drawn { tried: 0, enough });
        self.frontier.clear();
        self.walker.clear();
        true
    }
}

impl Strategy for Rank {
    fn plan(&mut self, plan: &mut Plan) -> Next {
        let Some(item) = self.root().or_else(|| self.frontier.pop()) else { return Next::Done };
        plan.prefix.clear();
        plan.sleep.clear();
        plan.sleep_from = 0;
        plan.prefix.extend_from_slice(&item.path[..item.cut]);
        if let Some((thread, outcome)) = item.step {
            plan.prefix.push(Planned { thread, outcome, expected: None });
        }
        let mut priorities = match std::mem::take(&mut plan.policy) {
            Policy::Priorities(priorities) => priorities,
            _ => Priorities::default(),
        };
        if item.best().precedence.priorities(&mut priorities.of) {
            priorities.changes.clear();
            priorities.seed = 0;
            plan.policy = Policy::Priorities(priorities);
        }
        self.current = Some(item);
        Next::Run
    }

    fn learn(&mut self, trace: &Trace) -> Result<(), Failure> {
        let Some(item) = self.current.take() else { return Ok(()) };
        if self.is_outgrown(trace) {
            return Ok(());
        }
        self.walker.walk(trace, item, &self.bounds, &mut self.frontier);
        Ok(())
    }

    fn proved(&self, done: bool) -> Proved {
        let mut bounds = self.bounds;
        if !done {
            // What comes before all that is left, and before what was planned last but not run, has been tried.
            let left = self.frontier.least().into_iter();
            let left = left.chain(self.current.as_ref().map(|item| self.frontier.level(item))).min();
            match left.filter(|_| self.drawn.is_none()).and_then(|left| left.checked_sub(1)) {
                Some(tried) => self.frontier.limit(&mut bounds, tried),
                None => return Proved::Nothing,
            }
        }
        let bounds = bounds.normal();
        match (self.orders, &self.drawn) {
            (None, _) => Proved::Within(bounds.of_preemptions()),
            (Some(_), None) => Proved::Within(format!("that follows {}", bounds.of_order("threads"))),
            (Some(Orders { threads, probability, .. }), Some(_)) => Proved::Chance(format!(
                "a failure that only needs {} would have been found with probability at least {probability}",
                bounds.of_order(&count(threads, "thread"))
            )),
        }
    }
}
