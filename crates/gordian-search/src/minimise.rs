//! Making a failing execution small: the fewest preemptions, then the fewest threads, then the fewest steps.
//!
//! Searches in the order of preemptions come first. If one ends, or finds the failure, nothing with fewer preemptions fails. Where
//! there is too much to search, the execution that is there is changed: what does not lead to the failure is left
//! out, what comes after some point is left to the default schedule, and runs of a thread that are apart are put
//! together; where such a plan asks for what cannot be, the execution goes on without it. Whatever was tried counts only if it fails in the same way and is smaller.

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

/// Where a run of a thread begins and ends.
type Run = (usize, usize);

/// A way to follow runs in another order, of which so many first ones are as they were.
type Follow<T> = fn(&mut T, &Trace, &[Run], (&[usize], usize)) -> bool;

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
    let proved = trial.make_small();
    if !trial.repeats() {
        return None;
    }
    let minimised = Minimised {
        executions: trial.executions,
        proved,
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
    fn is_spent(&self) -> bool {
        let Effort { executions, steps, time } = self.effort;
        self.executions >= executions || self.steps >= steps || self.start.elapsed() >= time
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

    /// Is it known in the end that fewer preemptions will not do?
    fn make_small(&mut self) -> bool {
        let whole = self.effort;
        // Of executions that are long there are too many to search, and each step of a search takes longer than one without.
        let search = |trial: &mut Self, tenths: u64, search: String, reduced: bool| {
            let most = Effort { executions: whole.executions * tenths / 10, ..whole };
            trial.effort = Effort { steps: whole.steps.min(trial.steps + whole.steps / 10), ..most };
            trial.search(&search, reduced)
        };
        let mut proved = search(self, 4, format!("preemptions:{}", self.size.0), true) || self.size.0 == 0;
        self.effort = Effort { executions: whole.executions * 8 / 10, steps: whole.steps / 10 * 8, ..whole };
        while self.shorten() || (!proved && self.put_together()) {}
        proved |= self.size.0 == 0;
        if !proved {
            proved = search(self, 10, format!("preemptions:{},dfs", self.size.0 - 1), false);
            self.effort = whole;
            while self.shorten() {}
        }
        proved
    }

    /// Searches in the order of preemptions; is it known in the end that fewer will not do? A reduction learns from what steps do, and a failing execution ends before all of its threads have
    /// shown that; so after such a one it proves nothing.
    fn search(&mut self, search: &str, reduced: bool) -> bool {
        let search: Search = search.parse().expect("a search");
        let mut strategy = search.strategy(&Setting::default());
        let (mut proved, mut passed) = (false, false);
        self.plan.lenient = false;
        while !self.is_spent() {
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
        let preemptions: Vec<usize> =
            (0..self.best.len()).filter(|&i| i == 0 || self.best.is_preemption(i)).collect();
        for start in preemptions {
            // Up to the first that does, the rest is in what it leaves out.
            if self.attempt(self.best.choices().take(start).collect()) {
                helped = true;
                break;
            }
        }
        self.leave_out() || helped
    }

    fn attempt(&mut self, prefix: Vec<Planned>) -> bool {
        if self.is_spent() {
            return false;
        }
        self.plan.prefix = prefix;
        self.plan.lenient = true;
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

    /// Leaves a thread to the default schedule, or lets it do everything in one go, where it began or where it ended. Did it help?
    fn leave_out(&mut self) -> bool {
        let mut threads: Vec<ThreadId> = self.best.steps.iter().map(|s| s.thread).collect();
        threads.sort_unstable();
        threads.dedup();
        let mut helped = false;
        for thread in threads {
            let choices: Vec<Planned> =
                self.best.choices().map(|c| Planned { expected: None, ..c }).collect();
            let is_its = |choice: &Planned| choice.thread == thread;
            let (its, others): (Vec<Planned>, Vec<Planned>) = choices.iter().partition(|c| is_its(c));
            let at = |end: usize| choices[..end].iter().filter(|c| !is_its(c)).count();
            let first = at(choices.iter().position(is_its).unwrap_or(0));
            let last = at(choices.iter().rposition(is_its).unwrap_or(0));
            let together = |at: usize| [&others[..at], &its, &others[at..]].concat();
            let attempts = [others.clone(), together(first), together(last)];
            helped |= attempts.into_iter().any(|attempt| self.attempt(attempt));
        }
        helped
    }

    /// Lets a thread that was preempted go on at once, or the one that came in between go first. Did it help?
    fn put_together(&mut self) -> bool {
        // As they are, which takes one execution each; then as far as something else does not stop them.
        self.reorder(Trial::follow_exactly) || self.reorder(Trial::follow)
    }

    fn reorder(&mut self, follow: Follow<Self>) -> bool {
        let mut helped = false;
        let mut k = 1;
        loop {
            let best = self.best.clone();
            let runs = runs(&best);
            let Some(next) = (k..runs.len()).find(|&k| best.is_preemption(runs[k].0)) else { return helped };
            k = next;
            let before = best.steps[runs[k].0 - 1].thread;
            let later = (k..runs.len()).find(|&m| best.steps[runs[m].0].thread == before);
            let sooner = later.map(|later| {
                let mut order: Vec<usize> = (0..runs.len()).filter(|&m| m != later).collect();
                order.insert(k, later);
                (order, k)
            });
            let mut swapped: Vec<usize> = (0..runs.len()).collect();
            swapped.swap(k - 1, k);
            let mut orders = sooner.into_iter().chain([(swapped, k - 1)]);
            match orders.any(|(order, same)| follow(self, &best, &runs, (&order, same))) {
                // Whatever is there now may go on here.
                true => helped = true,
                false => k += 1,
            }
        }
    }

    /// Follows the runs in another order, each thread as far as it went.
    fn follow_exactly(&mut self, best: &Trace, runs: &[Run], (order, _): (&[usize], usize)) -> bool {
        let steps = order.iter().flat_map(|&m| &best.steps[runs[m].0..runs[m].1]);
        self.attempt(steps.map(|step| Planned { expected: None, ..step.planned() }).collect())
    }

    /// Follows the runs in another order, the first of them as they are. In each a thread goes on as far as it did, unless
    /// something now stops it sooner.
    fn follow(&mut self, best: &Trace, runs: &[Run], (order, same): (&[usize], usize)) -> bool {
        let mut prefix: Vec<Planned> =
            best.steps[..runs.get(same).map_or(0, |run| run.0)].iter().map(|s| s.planned()).collect();
        for &(start, end) in order[same..].iter().map(|&m| &runs[m]) {
            let from = prefix.len();
            prefix.push(Planned { expected: None, ..best.steps[start].planned() });
            if self.is_spent() {
                return false;
            }
            self.plan.prefix.clone_from(&prefix);
            self.plan.lenient = true;
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
        self.plan.lenient = false;
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
fn runs(trace: &Trace) -> Vec<Run> {
    let begins = |&i: &usize| {
        i == 0 || trace.steps[i].thread != trace.steps[i - 1].thread || trace.steps[i].outcome > 0
    };
    let starts: Vec<usize> = (0..trace.len()).filter(begins).collect();
    let ends = starts.iter().skip(1).copied().chain([trace.len()]);
    starts.iter().copied().zip(ends).collect()
}
