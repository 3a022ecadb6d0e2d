//! What a failure needs: how many preemptions, at how many variables, and an order among how many threads.
//!
//! The definitions are those of Bindal, Bansal, Lal (ISSTA 2013, sections 2.1 and 4): threads follow an order of priority, a preemption gives
//! the thread that has just touched a variable another place in it, and so cuts it in two fragments. The least number of preemptions is
//! found first, then the least number of variables they are made at. Then the fragments are put in every order: the
//! failure needs t threads if t is the least number of threads such that some order of their fragments alone
//! makes every order of all fragments fail that agrees with it. Threads that must not come in between count. Of many threads only random
//! orders are tried, so that with a small probability something less would do.

use crate::explore::{Limits, Target};
use crate::guarantee::count;
use crate::strategy::rank::{Bounds, Event, Orders, Rank, Ranking};
use crate::strategy::{Next, Strategy};
use gordian_model::{Chance, Change, Failure, Moment, Plan, Policy, Priorities, ThreadId};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;
use std::fmt;
use std::time::Instant;

/// What a failure needs.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Character {
    /// The least number of preemptions.
    pub preemptions: usize,
    /// The least number of variables at whose accesses they are made.
    pub variables: usize,
    /// The least number of threads that have to be in a certain order; none if it happens in every order.
    pub threads: usize,
    /// How many executions it took to find out.
    pub executions: u64,
}

impl fmt::Display for Character {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let threads = match self.threads {
            0 => "any order of the threads".to_owned(),
            n => count(n as u64, "thread"),
        };
        match self.preemptions {
            0 => write!(f, "no preemptions, {threads}"),
            c => {
                let (c, v) = (count(c as u64, "preemption"), count(self.variables as u64, "variable"));
                write!(f, "{c} at {v}, {threads}")
            }
        }
    }
}

/// Why nothing can be said about a failure.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub enum Unexplained {
    /// There is none.
    #[error("there is no failure to explain")]
    NoFailure,
    /// An execution is going on.
    #[error("a failure cannot be explained inside a check; do it after the check has ended")]
    InsideACheck,
    /// No execution that follows an order of threads has it, however often that changes.
    #[error("none of the {executions} executions that follow an order of the threads failed in the same way")]
    NotFound {
        /// How many there were.
        executions: u64,
    },
    /// A limit was reached before it was known.
    #[error("what the failure needs is not known after {executions} executions, which was the limit")]
    Limit {
        /// How many there were.
        executions: u64,
    },
}

/// More preemptions than this are not looked for.
const MOST: usize = 16;
/// All orders of up to so many fragments are tried; of more, so many random ones.
const FEW: usize = 7;
const SAMPLE: u64 = 20_000;
/// Orders that must agree before random ones prove anything.
const ENOUGH: u32 = 20;
/// Where ops have several outcomes an order is tried so many times.
const OUTCOMES: u64 = 16;

/// Finds out what a failure needs. `is_it` recognises it; the plan says which behaviours are tried, and its limits.
pub fn characterise(
    target: &mut dyn Target,
    is_it: &dyn Fn(&Failure) -> bool,
    limits: Limits,
    plan: Plan,
) -> Result<Character, Unexplained> {
    let mut trial =
        Trial { target, is_it, limits, plan, start: Instant::now(), executions: 0, varied: false };
    let Found { preemptions, variables, cuts, threads } = trial.search()?;
    let mut least = None;
    for cuts in cuts {
        let needed = trial.threads(&threads, &cuts)?;
        least = least.into_iter().chain([needed]).min();
        // A failure that only some orders have needs two threads at least.
        if least.is_some_and(|n| n <= 2) {
            break;
        }
    }
    let threads = least.unwrap_or(threads.len());
    Ok(Character { preemptions, variables, threads, executions: trial.executions })
}

/// Where the failure is cut into fragments.
type Cuts = SmallVec<[Event; 4]>;

struct Found {
    preemptions: usize,
    variables: usize,
    /// Different cuts with which it happens.
    cuts: Vec<Cuts>,
    threads: Vec<ThreadId>,
}

struct Trial<'a> {
    target: &'a mut dyn Target,
    is_it: &'a dyn Fn(&Failure) -> bool,
    limits: Limits,
    plan: Plan,
    start: Instant,
    executions: u64,
    /// Some op had several outcomes.
    varied: bool,
}

impl Trial<'_> {
    /// Every way to get the failure with the fewest preemptions at the fewest variables.
    fn search(&mut self) -> Result<Found, Unexplained> {
        // How many orders of many threads are enough depends on the number of preemptions, so that grows one by one.
        for preemptions in 0..=MOST {
            let (found, can_be_more) = self.search_within(preemptions)?;
            if let Some(found) = found {
                return Ok(found);
            }
            if !can_be_more {
                break;
            }
        }
        Err(Unexplained::NotFound { executions: self.executions })
    }

    /// The same with no more than so many preemptions; and could more of them be made?
    fn search_within(&mut self, preemptions: usize) -> Result<(Option<Found>, bool), Unexplained> {
        let bounds = Bounds { variables: preemptions, preemptions, loops: None };
        let orders = Orders { threads: 3, probability: 0.999, seed: self.limits.setting.seed };
        let mut rank = Rank::new(bounds, Ranking::Preemptions, Some(orders));
        let (mut level, mut most) = (None, 0);
        let mut cuts: Vec<Cuts> = Vec::new();
        while rank.plan(&mut self.plan) == Next::Run {
            let now = rank.reasons().next().map_or((0, 0), |reason| reason.level());
            if level.is_some_and(|level| now > level) {
                break;
            }
            most = most.max(now.0);
            self.look_at_limits()?;
            let trace = self.target.run(&self.plan);
            self.executions += 1;
            self.varied |= trace.steps.iter().any(|s| s.outcomes > 1);
            if trace.failure().is_some_and(self.is_it) {
                level = Some(now);
                for mut reason in rank.reasons() {
                    reason.cuts.sort_unstable();
                    if !cuts.contains(&reason.cuts) {
                        cuts.push(reason.cuts);
                    }
                }
            }
            // What a search cannot make sense of is no reason to stop here: it is the failure that counts.
            let _ = rank.learn(trace);
        }
        let threads = rank.threads().to_vec();
        let found = level.map(|(preemptions, variables)| Found { preemptions, variables, cuts, threads });
        // A preemption that makes no difference by itself may make one together with another.
        Ok((found, most + 1 >= preemptions))
    }

    fn look_at_limits(&self) -> Result<(), Unexplained> {
        let Trial { executions, limits, .. } = *self;
        let time = limits.time.is_some_and(|most| executions % 64 == 0 && self.start.elapsed() >= most);
        if time || limits.executions.is_some_and(|most| executions >= most) {
            return Err(Unexplained::Limit { executions });
        }
        Ok(())
    }

    /// The least number of threads whose fragments have to be in some order.
    fn threads(&mut self, threads: &[ThreadId], cuts: &[Event]) -> Result<usize, Unexplained> {
        let fragments = Fragments::new(threads, cuts);
        let n = fragments.of.len();
        let (orders, enough) = if n <= FEW {
            (permutations(n), 1)
        } else {
            let drawn = (0..SAMPLE).map(|nth| {
                let mut order: Order = (0..n as u8).collect();
                Chance::of(self.limits.setting.seed, nth).shuffle(&mut order);
                order
            });
            (drawn.collect(), ENOUGH)
        };
        let mut tried = Vec::with_capacity(orders.len());
        for order in orders {
            let fails = self.fails(&fragments, &order)?;
            tried.push((order, fails));
        }
        let suffices = |set: &[usize]| {
            // For each order of their fragments alone: how many orders agree with it, and do all of them fail?
            let mut groups: FxHashMap<Order, (u32, bool)> = FxHashMap::default();
            for (order, fails) in &tried {
                let alone =
                    order.iter().copied().filter(|&f| set.contains(&fragments.of[f as usize].0)).collect();
                let group = groups.entry(alone).or_insert((0, true));
                *group = (group.0 + 1, group.1 && *fails);
            }
            groups.values().any(|&(orders, all_fail)| all_fail && orders >= enough)
        };
        let sizes = (0..=threads.len()).filter(|&size| size != 1);
        Ok(sizes
            .into_iter()
            .find(|&size| any_subset(threads.len(), size, &suffices))
            .unwrap_or(threads.len()))
    }

    /// Does an execution fail that keeps to this order of fragments?
    fn fails(&mut self, fragments: &Fragments, order: &[u8]) -> Result<bool, Unexplained> {
        for seed in 0..if self.varied { OUTCOMES } else { 1 } {
            self.look_at_limits()?;
            self.plan.prefix.clear();
            self.plan.policy = Policy::Priorities(fragments.priorities(order, seed));
            self.executions += 1;
            if self.target.run(&self.plan).failure().is_some_and(self.is_it) {
                return Ok(true);
            }
        }
        Ok(false)
    }
}

/// Fragments by number, highest priority first.
type Order = SmallVec<[u8; 8]>;

/// Threads cut into fragments.
struct Fragments<'a> {
    threads: &'a [ThreadId],
    cuts: &'a [Event],
    /// For each fragment: its thread, by place in the list, and after which of the cuts it begins.
    of: Vec<(usize, Option<usize>)>,
}

impl Fragments<'_> {
    fn new<'a>(threads: &'a [ThreadId], cuts: &'a [Event]) -> Fragments<'a> {
        let place = |cut: &Event| threads.iter().position(|&t| t == cut.0).expect("it made a step");
        let whole = (0..threads.len()).map(|t| (t, None));
        let rest = cuts.iter().enumerate().map(|(k, cut)| (place(cut), Some(k)));
        Fragments { threads, cuts, of: whole.chain(rest).collect() }
    }

    fn priorities(&self, order: &[u8], seed: u64) -> Priorities {
        let most = self.threads.iter().map(|t| t.index() + 1).max().unwrap_or(0);
        let mut priorities = Priorities { of: vec![0; most], changes: Vec::new(), seed };
        for (place, &fragment) in order.iter().enumerate() {
            let priority = Priorities::LOW + (order.len() - place) as u32;
            match self.of[fragment as usize] {
                (t, None) => priorities.of[self.threads[t].index()] = priority,
                (_, Some(k)) => {
                    let (thread, nth) = self.cuts[k];
                    priorities.changes.push(Change { after: Moment::Thread(thread, nth), to: priority });
                }
            }
        }
        priorities
    }
}

/// Every order of `n` fragments.
fn permutations(n: usize) -> Vec<Order> {
    let mut all = vec![Order::new()];
    for fragment in 0..n as u8 {
        all = all
            .iter()
            .flat_map(|order| {
                (0..=order.len()).map(move |at| {
                    let mut longer = order.clone();
                    longer.insert(at, fragment);
                    longer
                })
            })
            .collect();
    }
    all
}

/// Is there a subset of this size of the numbers below `n` that fits?
fn any_subset(n: usize, size: usize, fits: &dyn Fn(&[usize]) -> bool) -> bool {
    fn extend(set: &mut Vec<usize>, n: usize, size: usize, fits: &dyn Fn(&[usize]) -> bool) -> bool {
        if set.len() == size {
            return fits(set);
        }
        let first = set.last().map_or(0, |&last| last + 1);
        (first..n).any(|next| {
            set.push(next);
            let found = extend(set, n, size, fits);
            set.pop();
            found
        })
    }
    extend(&mut Vec::new(), n, size, fits)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_order_is_there_once() {
        let mut all = permutations(4);
        all.sort();
        all.dedup();
        assert_eq!(all.len(), 24);
    }

    #[test]
    fn every_subset_of_a_size_is_asked_for() {
        let asked = std::cell::RefCell::new(Vec::new());
        let ask = |set: &[usize]| {
            asked.borrow_mut().push(set.to_vec());
            false
        };
        assert!(!any_subset(4, 2, &ask));
        assert_eq!(asked.borrow().len(), 6);
        assert!(any_subset(4, 0, &|set| set.is_empty()));
    }

    #[test]
    fn what_is_needed_reads_as_a_sentence() {
        let text = |preemptions, variables, threads| {
            Character { preemptions, variables, threads, executions: 0 }.to_string()
        };
        assert_eq!(text(2, 1, 2), "2 preemptions at 1 variable, 2 threads");
        assert_eq!(text(0, 0, 3), "no preemptions, 3 threads");
        assert_eq!(text(0, 0, 0), "no preemptions, any order of the threads");
    }
}
