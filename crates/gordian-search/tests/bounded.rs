//! Bounded searches against brute force, on programs made by chance: exactly the classes and failures that some execution
//! within the bound shows, and guarantees that are true.
//!
//! `GORDIAN_DIFFERENTIAL=N` runs N programs, `GORDIAN_SEED=S` begins with another seed, `GORDIAN_FAMILY=Channels` keeps to
//! one kind of object, `GORDIAN_SHOW=1` prints the executions of a program that goes wrong.

#[allow(dead_code)]
mod machine;

use gordian_model::{End, Plan, Trace};
use gordian_search::fingerprint::fingerprint;
use gordian_search::{Guarantee, Limits, Summary, Target, explore};
use machine::draw::{Chance, Family, make};
use machine::program::Program;
use machine::{Machine, Outcome};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

/// Programs with more interleavings than this are left out.
const MOST: u64 = 3000;

/// Print every execution.
static SHOW: AtomicBool = AtomicBool::new(false);

/// What the executions of a search showed.
#[derive(Debug, Default)]
struct Seen {
    /// For each class the least number of preemptions.
    classes: BTreeMap<u64, usize>,
    outcomes: BTreeMap<Outcome, usize>,
    /// The least number of preemptions of a failing execution.
    failing: Option<usize>,
    schedules: BTreeSet<Vec<(u32, u32)>>,
    /// Some execution was made twice.
    twice: bool,
}

struct Observed<'a> {
    machine: &'a mut Machine,
    seen: Seen,
}

impl Target for Observed<'_> {
    fn run(&mut self, plan: &Plan) -> &Trace {
        self.machine.run(plan);
        let trace = &self.machine.conductor.trace;
        if SHOW.load(Relaxed) {
            let steps: Vec<_> = trace
                .steps
                .iter()
                .map(|s| format!("{}:{}={}", s.thread.0, s.kind.verb(), s.outcome))
                .collect();
            println!("{} -> {} {:?}", plan.prefix.len(), steps.join(" "), trace.end);
        }
        let preemptions = trace.preemptions();
        assert!(trace.has_taken_back() || trace.preempted as usize == preemptions);
        let least = |slot: &mut usize| *slot = (*slot).min(preemptions);
        match trace.end {
            End::Complete => {
                least(self.seen.classes.entry(fingerprint(trace)).or_insert(usize::MAX));
                let outcome = self.machine.outcome();
                least(self.seen.outcomes.entry(outcome).or_insert(usize::MAX));
            }
            End::Failed(_) => least(self.seen.failing.get_or_insert(usize::MAX)),
            _ => {}
        }
        let trace = &self.machine.conductor.trace;
        let schedule = trace.steps.iter().map(|s| (s.thread.0, s.outcome)).collect();
        self.seen.twice |= trace.end != End::Asleep && !self.seen.schedules.insert(schedule);
        trace
    }
}

/// Searches on a machine, which keeps the numbers of threads from one search to the next.
fn search(machine: &mut Machine, program: &Program, how: &str, limits: Limits) -> (Seen, Summary) {
    let plan = program.plan();
    let mut target = Observed { machine, seen: Seen::default() };
    let how = how.parse().expect("a search");
    let summary = explore(&mut target, &how, limits, plan, |_, _| ());
    (target.seen, summary)
}

fn limits(executions: u64, keep_going: bool) -> Limits {
    Limits { executions: Some(executions), keep_going, ..Limits::default() }
}

/// Compares a bounded search with what brute force showed; `Ok(false)` if the program is too large.
fn wrong(program: &Program) -> Result<bool, String> {
    let machine = &mut Machine::new(program);
    let (all, summary) = search(machine, program, "dfs", limits(MOST, true));
    if !summary.complete {
        return Ok(false);
    }
    let most = all.classes.values().copied().max().unwrap_or(0);
    for bound in 0..=most + 1 {
        let within = |least: usize| least <= bound;
        let (found, summary) =
            search(machine, program, &format!("preemptions:{bound}"), limits(20 * MOST, false));
        if found.twice {
            return Err(format!("bound {bound}: an execution was made twice"));
        }
        if summary.failure.is_some() {
            match all.failing {
                // A round of a loop that turns out to wait is left by a preemption or not, whichever search knows first.
                Some(least) if within(least) || program.spins() => continue,
                other => return Err(format!("bound {bound}: a failure, but brute force says {other:?}")),
            }
        }
        if let Some(least) = all.failing.filter(|&least| within(least)) {
            return Err(format!("bound {bound}: missed a failure that {least} preemptions show"));
        }
        if !summary.complete {
            return Err(format!("bound {bound}: no end after {} executions", summary.executions));
        }
        let lost =
            all.outcomes.iter().filter(|(o, least)| within(**least) && !found.outcomes.contains_key(o));
        if let Some((outcome, least)) = lost.clone().next() {
            return Err(format!(
                "bound {bound}: lost {} of {} outcomes, such as {outcome:?} with {least} preemptions",
                lost.count(),
                all.outcomes.len()
            ));
        }
        if program.spins() {
            // How often a loop goes round before it is known to be idle is no part of what can be seen.
            continue;
        }
        let expected: BTreeSet<u64> = all.classes.iter().filter(|c| within(*c.1)).map(|c| *c.0).collect();
        let shown: BTreeSet<u64> = found.classes.keys().copied().collect();
        if expected != shown {
            return Err(format!(
                "bound {bound}: lost {} of {} classes and showed {} others",
                expected.difference(&shown).count(),
                expected.len(),
                shown.difference(&expected).count()
            ));
        }
        let is_all = matches!(summary.guarantee, Guarantee::AllInterleavings { .. });
        if is_all && (all.failing.is_some() || expected.len() < all.classes.len()) {
            return Err(format!("bound {bound}: says {} but there is more", summary.guarantee));
        }
        // CHESS, which makes every execution within the bound.
        let (plain, chess) =
            search(machine, program, &format!("preemptions:{bound},dfs"), limits(20 * MOST, false));
        if plain.classes.keys().any(|class| !shown.contains(class)) {
            return Err(format!("bound {bound}: lost a class that the search without reduction shows"));
        }
        if summary.executions > chess.executions {
            return Err(format!(
                "bound {bound}: {} executions, more than the {} there are",
                summary.executions, chess.executions
            ));
        }
    }
    Ok(true)
}

fn shrink(mut program: Program, mut reason: String) -> (Program, String) {
    'smaller: loop {
        for candidate in program.smaller() {
            if let Err(why) = wrong(&candidate) {
                (program, reason) = (candidate, why);
                continue 'smaller;
            }
        }
        return (program, reason);
    }
}

fn number(name: &str) -> Option<u64> {
    std::env::var(name).ok()?.parse().ok()
}

#[test]
fn bounded_searches_agree_with_brute_force() {
    let count = number("GORDIAN_DIFFERENTIAL").unwrap_or(1500);
    let first = number("GORDIAN_SEED").unwrap_or(1);
    let only = std::env::var("GORDIAN_FAMILY").unwrap_or_default();
    let families: Vec<Family> =
        Family::ALL.into_iter().filter(|f| only.is_empty() || only == format!("{f:?}")).collect();
    let mut compared: BTreeMap<String, (u64, u64)> = BTreeMap::new();
    for seed in first..first + count {
        let family = families[seed as usize % families.len()];
        let mut chance = Chance::new(seed);
        let program = make(&mut chance, family);
        let mut programs = vec![(format!("{family:?}"), program.clone())];
        if seed % 4 == 0 {
            programs.push(("denser".to_owned(), program.denser(&mut chance)));
        }
        for (kind, program) in programs {
            let tally = compared.entry(kind.clone()).or_default();
            tally.0 += 1;
            match wrong(&program) {
                Ok(done) => tally.1 += u64::from(done),
                Err(reason) => {
                    let (program, reason) = shrink(program, reason);
                    if std::env::var_os("GORDIAN_SHOW").is_some() {
                        SHOW.store(true, Relaxed);
                        let _ = wrong(&program);
                    }
                    panic!("seed {seed} ({family:?}, {kind}): {reason}\n{program}");
                }
            }
        }
    }
    println!("programs made and searched to the end: {compared:?}");
    assert!(
        compared.values().all(|&(made, done)| made < 20 || done * 10 > made),
        "too few ran to the end: {compared:?}"
    );
}
