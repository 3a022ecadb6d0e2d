//! The loop: plan, run, learn.

use crate::course::Log;
use crate::guarantee::Guarantee;
use crate::search::Search;
use crate::statistics::Statistics;
use crate::strategy::Next;
use gordian_model::{Course, End, Failure, FailureKind, Names, Options, Plan, Policy, Race, Trace};
use std::time::{Duration, Instant};

/// The thing under test: it can carry out one execution.
pub trait Target {
    /// Carries out one execution that follows the plan.
    fn run(&mut self, plan: &Plan) -> &Trace;

    /// The same, with the names that the trace uses, if it has any.
    fn run_named(&mut self, plan: &Plan) -> (&Trace, Option<&Names>) {
        (self.run(plan), None)
    }
}

/// What a strategy is given to work with.
#[derive(Clone, Copy, Debug, Default)]
pub struct Setting {
    /// What random choices start from.
    pub seed: u64,
    /// The most memory for executions that have yet to be tried, in bytes.
    pub memory: Option<usize>,
    /// Where they go beyond it.
    pub spill: Option<fn() -> Box<dyn Spill>>,
}

/// A place outside memory: bytes are put there and taken back, last first.
pub trait Spill {
    /// Puts bytes away; what went wrong, if they cannot be.
    fn put(&mut self, bytes: &[u8]) -> Result<(), String>;

    /// Takes back as many bytes as the buffer holds, those put away last, in the order in which they were put.
    fn take(&mut self, bytes: &mut [u8]) -> Result<(), String>;
}

/// How much a strategy keeps of executions that have yet to be made.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct FrontierUse {
    /// The nodes of the execution tree that are in memory.
    pub nodes: u64,
    /// The most there were.
    pub most_nodes: u64,
    /// The most memory that all this took up, in bytes.
    pub most_bytes: usize,
    /// How many executions that wait were put outside memory.
    pub spilled: u64,
}

/// Limits on a whole search.
#[derive(Clone, Copy, Debug, Default)]
pub struct Limits {
    /// What the strategy is given to work with.
    pub setting: Setting,
    /// The most executions.
    pub executions: Option<u64>,
    /// The most time.
    pub time: Option<Duration>,
    /// Go on after a failure; the first is kept.
    pub keep_going: bool,
    /// The limit on steps is a guess: an execution that meets it is made once more with this one, and has failed only if it meets that,
    /// too. If it does not, it is just long, and the search goes on with this limit.
    pub steps_in_doubt: Option<u32>,
}

/// What a search found.
#[derive(Clone, Debug)]
pub struct Summary {
    /// Executions carried to their end or to a failure.
    pub executions: u64,
    /// Executions abandoned because what follows had been seen.
    pub blocked: u64,
    /// Steps taken in all.
    pub steps: u64,
    /// The space within the bounds is exhausted.
    pub complete: bool,
    /// Time taken.
    pub elapsed: Duration,
    /// What is known now.
    pub guarantee: Guarantee,
    /// How much the strategy kept of executions that had yet to be made.
    pub frontier: Option<FrontierUse>,
    /// What the executions were like.
    pub statistics: Statistics,
    /// What the search was like on the way; left out if it came to its end at once and found nothing.
    pub course: Option<Box<Course>>,
    /// The failing execution.
    pub failure: Option<(Failure, Box<Trace>)>,
    /// Data races that were passed over, each pair of places once.
    pub races: Vec<Race>,
    /// The options of the last execution, which may differ from those of the first plan.
    pub plan: Plan,
}

impl Summary {
    /// Before the first execution, which follows this plan.
    #[inline]
    pub fn new(plan: Plan) -> Summary {
        Summary {
            executions: 0,
            blocked: 0,
            steps: 0,
            complete: false,
            elapsed: Duration::ZERO,
            guarantee: Guarantee::Failed,
            frontier: None,
            statistics: Statistics::default(),
            course: None,
            failure: None,
            races: Vec::new(),
            plan,
        }
    }
}

/// How many executions a search that would never end makes when no limit is given.
const ENDLESS: u64 = 10_000;

/// Does the execution meet this limit on steps as well? One that is too long to be told of is taken to.
fn is_endless(target: &mut dyn Target, plan: &mut Plan, steps: u32) -> bool {
    let before = std::mem::replace(&mut plan.limits.steps, steps);
    let failure = target.run(plan).failure().map(|failure| failure.kind);
    plan.limits.steps = before;
    matches!(failure, Some(FailureKind::StepLimit | FailureKind::Misuse))
}

/// Searches until a failure, the end, or a limit. `progress` is called after each execution with how many there were
/// and what the last one did.
pub fn explore(
    target: &mut dyn Target,
    search: &Search,
    limits: Limits,
    plan: Plan,
    progress: impl FnMut(u64, &Trace),
) -> Summary {
    let mut found = Summary::new(plan);
    explore_into(&mut found, target, search, limits, progress);
    found
}

/// The same with a [new](Summary::new) summary that is where it will stay: to hand it on takes as long as a few steps.
pub fn explore_into(
    found: &mut Summary,
    target: &mut dyn Target,
    search: &Search,
    mut limits: Limits,
    mut progress: impl FnMut(u64, &Trace),
) {
    let start = Instant::now();
    let mut strategy = search.strategy(&limits.setting);
    let mut log = Log::default();
    let mut cut = false;
    let mut next_look = 0;
    let mut done = false;
    let limit = loop {
        let plan = &mut found.plan;
        plan.deviations.clear();
        if strategy.plan(plan) == Next::Done {
            let hindrance = strategy.hindrance();
            done = true;
            found.complete = hindrance.is_none();
            break hindrance;
        }
        let made = found.executions + found.blocked;
        let most = limits.executions.unwrap_or(ENDLESS);
        if made >= most && (limits.executions.is_some() || (strategy.is_endless() && limits.time.is_none())) {
            break Some(format!("the limit of {most} executions (Checker::executions, GORDIAN_EXECUTIONS)"));
        }
        // Looking at the clock costs as much as a step, so it is done once in a thousand of them.
        let look = found.steps >= next_look;
        if look {
            next_look = found.steps + 1_000;
            log.look(found.steps, made, start, &*strategy);
        }
        if let Some(most) = limits.time.filter(|&most| look && start.elapsed() >= most) {
            break Some(format!("the time limit of {most:?} (Checker::time, GORDIAN_TIME)"));
        }
        let (mut trace, mut names) = target.run_named(plan);
        if let Some(most) = limits.steps_in_doubt
            && trace.failure().is_some_and(|failure| failure.kind == FailureKind::StepLimit)
        {
            limits.steps_in_doubt = None;
            if !is_endless(target, plan, most) {
                plan.limits.steps = most;
            }
            (trace, names) = target.run_named(plan);
        }
        found.steps += trace.len() as u64;
        for race in &trace.races {
            if found.races.iter().all(|known| known.places() != race.places()) {
                found.races.push(*race);
            }
        }
        let learnt = !trace.points.is_empty() && !is_certain(trace);
        if needs_more(trace, &plan.options) || learnt {
            // The program looks at reference counts, or whether threads have ended, or has cells, or races, or threads ask others to
            // end: start again with what that needs.
            begin_again(plan, trace);
            std::mem::replace(&mut strategy, search.strategy(&limits.setting)).retire();
            found.executions = 0;
            found.blocked = 0;
            found.statistics.clear();
            log = Log::default();
            continue;
        }
        cut |= trace.cut;
        if trace.end != End::Asleep {
            found.statistics.take_in(trace);
        }
        match &trace.end {
            End::Failed(failure) => {
                found.executions += 1;
                if found.failure.is_none() {
                    found.failure = Some(((**failure).clone(), Box::new(trace.clone())));
                }
                if !limits.keep_going {
                    progress(found.executions, trace);
                    break None;
                }
            }
            End::Asleep => found.blocked += 1,
            End::Complete => found.executions += 1,
            End::Running => unreachable!("a target carries executions to their end"),
        }
        progress(found.executions, trace);
        if let Some(names) = names {
            strategy.names(names);
        }
        if let Err(failure) = strategy.learn(trace) {
            found.failure.get_or_insert_with(|| (failure, Box::new(trace.clone())));
            break None;
        }
    };
    found.elapsed = start.elapsed();
    found.frontier = strategy.frontier();
    found.statistics.classes = strategy.classes();
    // Of a small test that passes, which is soon done, nobody asks.
    if found.failure.is_some() || !found.complete || log.has_samples() {
        let made = found.executions + found.blocked;
        found.course = Some(log.end(made, start, &*strategy, &found.statistics));
    }
    if found.failure.is_none() {
        let proved = strategy.proved(done);
        let cut_after = cut.then_some(found.plan.limits.fair_rounds);
        found.guarantee = Guarantee::new(proved, found.executions, cut_after, limit);
    }
    strategy.retire();
}

/// Does the program need what is not among the options?
#[inline]
fn needs_more(trace: &Trace, options: &Options) -> bool {
    (trace.counts_seen & !options.count_steps)
        | (trace.ends_seen & !options.end_steps)
        | (trace.cells_seen & !options.clocks)
        | (trace.cancels_seen & !options.cancels)
}

/// The first plan again, with what the execution has shown to be needed.
#[cold]
#[inline(never)]
fn begin_again(plan: &mut Plan, trace: &Trace) {
    plan.options.count_steps |= trace.counts_seen;
    plan.options.end_steps |= trace.ends_seen;
    plan.options.clocks |= trace.cells_seen;
    plan.options.cancels |= trace.cancels_seen;
    plan.points.extend(&trace.points);
    plan.prefix.clear();
    plan.deviations.clear();
    plan.sleep.clear();
    plan.policy = Policy::default();
}

/// Did the execution fail in a way that would be a failure whatever else were a step? That nobody can go on is known only if all that threads
/// wait for is watched.
fn is_certain(trace: &Trace) -> bool {
    use FailureKind::{Deadlock, Livelock, Nondeterminism, StepLimit, Stuck};
    let doubtful = [Deadlock, Livelock, StepLimit, Stuck, Nondeterminism];
    trace.failure().is_some_and(|failure| !doubtful.contains(&failure.kind))
}
