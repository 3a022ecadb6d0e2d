//! Making a failing execution small: the fewest preemptions, then the fewest threads, then the fewest steps.
//!
//! Searches in the order of preemptions come first. If one ends, or finds the failure, nothing with fewer preemptions fails. Where
//! there is too much to search, the execution that is there is changed: what does not lead to the failure is left
//! out, what comes after some point is left to the default schedule, and runs of a thread that are apart are put
//! together. Whatever was tried counts only if it fails in the same way and is smaller.

use crate::explore::{Setting, Target};
use crate::order::Order;
use crate::search::Search;
use crate::strategy::Next;
use gordian_model::{Failure, FailureKind, Minimised, Plan, Planned, Policy, SiteId, ThreadId, Trace};
use std::time::{Duration, Instant};

/// How much may be done to make a failure small.
#[derive(Clone, Copy, Debug)]
pub struct Effort {
    /// The most executions.
    pub executions: u64,
    /// The most steps, in all executions together.
    pub steps: u64,
    /// The most time. The other two do the same on every machine, so this should be reached by none.
    pub time: Duration,
}

impl Effort {
    /// So many executions, of 250 steps and half a millisecond each, on average. Even without optimisation that many steps take less.
    pub fn of(executions: u64) -> Effort {
        let time = Duration::from_micros(executions.saturating_mul(500));
        Effort { executions, steps: executions.saturating_mul(250), time }
    }
}

/// Do two executions fail in the same way: in the same kind, at the same places? What they say may differ, as it may name
/// values.
pub fn fails_alike(a: &Failure, b: &Failure) -> bool {
    let places = |f: &Failure| {
        let mut sites: Vec<SiteId> = f.notes.iter().map(|n| n.site).chain([f.site]).collect();
        sites.sort_unstable();
        sites.dedup();
        sites
    };
    a.kind == b.kind
        && match a.kind {
            // Everybody who waits, and both sides of a race, in whatever order.
            FailureKind::Deadlock | FailureKind::Livelock | FailureKind::DataRace => places(a) == places(b),
            // Where in a loop the limit is met is chance.
            FailureKind::StepLimit => a.thread == b.thread,
            _ if a.site == SiteId::UNKNOWN => a.message == b.message,
            _ => a.site == b.site,
        }
}

/// Preemptions, threads, steps.
type Size = (usize, usize, usize);

fn size(trace: &Trace) -> Size {
    let mut threads: Vec<ThreadId> = trace.steps.iter().map(|s| s.thread).collect();
    threads.sort_unstable();
    threads.dedup();
    (trace.preemptions(), threads.len(), trace.len())
}

/// Makes a failing execution small. The plan says which behaviours are tried, and the limits of one execution; the trace
/// has to be that of a failure. Gives nothing if the execution does not repeat.
pub fn minimise(
    target: &mut dyn Target,
    trace: &Trace,
    plan: &Plan,
    effort: Effort,
) -> Option<(Trace, Minimised)> {
    let failure = trace.failure()?;
    // One is left for making sure that it repeats.
    let effort = Effort { executions: effort.executions.saturating_sub(1), ..effort };
    let plan = Plan {
        prefix: Vec::new(),
        sleep: Vec::new(),
        deviations: Vec::new(),
        policy: Policy::default(),
        replay: false,
        ..plan.clone()
    };
    let mut trial = Trial {
        target,
        failure,
        plan,
        effort,
        start: Instant::now(),
        executions: 0,
        steps: 0,
        best: trace.clone(),
        size: size(trace),
    };
    let first = trial.size;
    let proved = trial.search();
    while trial.shorten() || (!proved && trial.put_together()) {}
    if !trial.repeats() {
        return None;
    }
    let minimised = Minimised {
        executions: trial.executions,
        proved: proved || trial.size.0 == 0,
        preemptions: first.0 as u32,
        threads: first.1 as u32,
        steps: first.2 as u32,
    };
    Some((trial.best, minimised))
}

struct Trial<'a> {
    target: &'a mut dyn Target,
    failure: &'a Failure,
    plan: Plan,
    effort: Effort,
    start: Instant,
    executions: u64,
    steps: u64,
    best: Trace,
    size: Size,
}

impl Trial<'_> {
    fn is_spent(&self, effort: Effort) -> bool {
        self.executions >= effort.executions
            || self.steps >= effort.steps
            || self.start.elapsed() >= effort.time
    }

    /// Carries out the plan; the trace, and is it smaller than what there was?
    fn execute(&mut self) -> (&Trace, bool) {
        let trace = self.target.run(&self.plan);
        self.executions += 1;
        self.steps += trace.len() as u64;
        let is_it = trace.failure().is_some_and(|f| fails_alike(f, self.failure));
        let better = is_it && size(trace) < self.size;
        if better {
            self.best = trace.clone();
            self.size = size(trace);
        }
        (trace, better)
    }

    /// Searches in the order of preemptions; is it known in the end that fewer will not do?
    fn search(&mut self) -> bool {
        let fewest = self.size.0;
        if self.search_for(&format!("preemptions:{fewest}"), self.part(4), true) {
            return true;
        }
        let fewest = self.size.0;
        fewest == 0 || self.search_for(&format!("preemptions:{},dfs", fewest - 1), self.part(8), false)
    }

    /// So many tenths of the effort.
    fn part(&self, tenths: u64) -> Effort {
        let Effort { executions, steps, time } = self.effort;
        Effort { executions: executions * tenths / 10, steps: steps / 10 * tenths, time }
    }

    /// The same with one search. A reduction learns from what steps do, and a failing execution ends before all of its threads have
    /// shown that; so after such a one it proves nothing.
    fn search_for(&mut self, search: &str, effort: Effort, reduced: bool) -> bool {
        let search: Search = search.parse().expect("a search");
        let mut strategy = search.strategy(&Setting::default());
        let (mut proved, mut passed) = (false, false);
        while !self.is_spent(effort) {
            self.plan.deviations.clear();
            if strategy.plan(&mut self.plan) == Next::Done {
                proved |= !passed;
                break;
            }
            let fewest = self.size.0;
            let failure = self.failure;
            let trace = self.execute().0;
            let now = trace.preemptions();
            let found = trace.failure().is_some_and(|f| fails_alike(f, failure));
            // With as many as the smallest that is known, all that have fewer have been seen.
            let all_seen = now >= fewest || found;
            let failed = trace.failure().is_some();
            let sense = strategy.learn(trace).is_ok();
            proved |= all_seen && !passed;
            passed |= reduced && failed;
            // What it cannot make sense of, it cannot have covered.
            if !sense || now > self.size.0 {
                break;
            }
        }
        self.plan.prefix.clear();
        self.plan.deviations.clear();
        self.plan.sleep.clear();
        self.plan.sleep_from = 0;
        self.plan.policy = Policy::default();
        proved
    }

    /// Leaves out what does not lead to the failure, and leaves more to the default schedule. Did it help?
    fn shorten(&mut self) -> bool {
        let mut helped = false;
        if let Some(steps) = self.leading() {
            helped |= self.attempt(steps);
        }
        let starts: Vec<usize> = runs(&self.best).iter().map(|run| run.0).collect();
        let best: Vec<Planned> = self.best.choices().collect();
        for start in starts {
            if self.attempt(best[..start].to_vec()) {
                return true;
            }
        }
        helped
    }

    fn attempt(&mut self, prefix: Vec<Planned>) -> bool {
        if self.is_spent(self.effort) {
            return false;
        }
        self.plan.prefix = prefix;
        self.execute().1
    }

    /// The steps that happen before the failure, if there are others.
    fn leading(&self) -> Option<Vec<Planned>> {
        let failure = self.best.failure()?;
        let mut threads: Vec<ThreadId> = failure.thread.into_iter().collect();
        match failure.kind {
            FailureKind::Panic => {}
            FailureKind::DataRace => threads.extend(failure.notes.iter().filter_map(|n| n.thread)),
            // Those of an execution as a whole need the whole execution.
            _ => return None,
        }
        let order = order(&self.best);
        let goals: Vec<usize> = threads.iter().filter_map(|&t| order.last_of(t)).collect();
        let leads = |k: &usize| goals.iter().any(|&goal| order.before(*k, goal));
        let steps: Vec<Planned> =
            (0..self.best.len()).filter(leads).map(|k| self.best.steps[k].planned()).collect();
        (steps.len() < self.best.len()).then_some(steps)
    }

    /// Lets a thread that was preempted go on at once, or the one that came in between go first. Did it help?
    fn put_together(&mut self) -> bool {
        let best = self.best.clone();
        let runs = runs(&best);
        for (k, &(start, _)) in runs.iter().enumerate() {
            if k == 0 || !best.is_preemption(start) {
                continue;
            }
            let before = best.steps[start - 1].thread;
            let next = (k..runs.len()).find(|&m| best.steps[runs[m].0].thread == before);
            let sooner = next.map(|next| {
                let mut order: Vec<usize> = (0..runs.len()).filter(|&m| m != next).collect();
                order.insert(k, next);
                (k, order)
            });
            let mut swapped: Vec<usize> = (0..runs.len()).collect();
            swapped.swap(k - 1, k);
            for (same, order) in sooner.into_iter().chain([(k - 1, swapped)]) {
                if self.follow(&best, &runs, &order, same) {
                    return true;
                }
            }
        }
        false
    }

    /// Follows the runs in another order, the first of them as they are. In each a thread goes on as far as it did, unless
    /// something now stops it sooner.
    fn follow(&mut self, best: &Trace, runs: &[(usize, usize)], order: &[usize], same: usize) -> bool {
        let mut prefix: Vec<Planned> =
            best.steps[..runs.get(same).map_or(0, |run| run.0)].iter().map(|s| s.planned()).collect();
        for &(start, end) in order[same..].iter().map(|&m| &runs[m]) {
            let from = prefix.len();
            prefix.push(Planned { expected: None, ..best.steps[start].planned() });
            if self.is_spent(self.effort) {
                return false;
            }
            self.plan.prefix.clone_from(&prefix);
            let (trace, better) = self.execute();
            if better {
                return true;
            }
            prefix.pop();
            let thread = best.steps[start].thread;
            let steps = trace.steps.get(from..).unwrap_or_default();
            let went = steps.iter().take(end - start).take_while(|s| s.thread == thread);
            prefix.extend(went.map(|s| s.planned()));
        }
        false
    }

    /// Does the plan of what was found lead to it?
    fn repeats(&mut self) -> bool {
        self.plan.prefix = self.best.choices().collect();
        self.plan.replay = true;
        let trace = self.target.run(&self.plan);
        self.executions += 1;
        trace.len() == self.best.len() && trace.failure().is_some_and(|f| fails_alike(f, self.failure))
    }
}

/// The order of the steps of a whole trace.
fn order(trace: &Trace) -> Order {
    let mut order = Order::default();
    let mut races = Vec::new();
    for _ in 0..trace.len() {
        order.push(&trace.steps, &mut races);
    }
    order
}

/// Where each run of a thread begins and ends. One ends also before a step with another outcome than the first, which
/// has to be asked for.
fn runs(trace: &Trace) -> Vec<(usize, usize)> {
    let begins = |&i: &usize| {
        i == 0 || trace.steps[i].thread != trace.steps[i - 1].thread || trace.steps[i].outcome > 0
    };
    let starts: Vec<usize> = (0..trace.len()).filter(begins).collect();
    let ends = starts.iter().skip(1).copied().chain([trace.len()]);
    starts.iter().copied().zip(ends).collect()
}
