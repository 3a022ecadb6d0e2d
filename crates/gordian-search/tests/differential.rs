//! Every reduction against brute force, on programs made by chance: the same outcomes, the same classes, and for the optimal
//! search each class exactly once.
//!
//! `GORDIAN_DIFFERENTIAL=N` runs N programs instead of a few thousand; `GORDIAN_SEED=S` begins with another seed;
//! `GORDIAN_FAMILY=Channels` keeps to one kind of object; `GORDIAN_SHOW=dfs:sleep` prints what that search does with a
//! program that goes wrong.

mod machine;

use gordian_model::{End, FailureKind, Plan};
use gordian_search::fingerprint::fingerprint;
use gordian_search::{Limits, Search, Target, explore};
use machine::draw::{Chance, Family, make};
use machine::program::{Program, Stmt};
use machine::{Machine, Outcome};
use std::collections::{BTreeMap, BTreeSet};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

/// Programs with more interleavings than this are left out.
const MOST: u64 = 3000;

#[derive(Debug, Default)]
struct Seen {
    executions: u64,
    blocked: u64,
    complete: bool,
    failure: Option<(FailureKind, String)>,
    cut: bool,
    outcomes: BTreeMap<Outcome, u64>,
    classes: BTreeMap<u64, (u64, Outcome)>,
    /// Two executions of one class that differ in what they showed.
    torn: Option<(Outcome, Outcome)>,
    /// The first two executions of one class.
    twice: Vec<String>,
}

/// Print every execution.
static SHOW: AtomicBool = AtomicBool::new(false);

struct Observed<'a> {
    machine: Machine,
    seen: &'a mut Seen,
    texts: BTreeMap<u64, String>,
    executions: u64,
}

/// A trace in one line.
fn text(trace: &gordian_model::Trace) -> String {
    let step = |s: &gordian_model::Step| {
        let touched: Vec<_> =
            s.accesses.iter().map(|a| format!("{:?}@{:x}.{}", a.act, a.object.0, a.seq)).collect();
        format!("{}:{}={}{{{}}}", s.thread.0, s.kind.verb(), s.outcome, touched.join(","))
    };
    trace.steps.iter().map(step).collect::<Vec<_>>().join(" ")
}

impl Target for Observed<'_> {
    fn run(&mut self, plan: &Plan) -> &gordian_model::Trace {
        self.machine.run(plan);
        if SHOW.load(Relaxed) {
            println!(
                "{:?} -> {} {:?}",
                plan.prefix.iter().map(|p| (p.thread.0, p.outcome)).collect::<Vec<_>>(),
                text(&self.machine.conductor.trace),
                self.machine.conductor.trace.end
            );
        }
        let trace = &self.machine.conductor.trace;
        self.seen.cut |= trace.cut;
        if trace.end == End::Complete {
            let class = fingerprint(trace);
            let outcome = self.machine.outcome();
            let trace = &self.machine.conductor.trace;
            *self.seen.outcomes.entry(outcome.clone()).or_default() += 1;
            let entry = self.seen.classes.entry(class).or_insert_with(|| (0, outcome.clone()));
            entry.0 += 1;
            if entry.0 == 1 {
                self.texts.insert(class, text(trace));
            } else if self.seen.twice.is_empty() && self.executions < 100 {
                self.seen.twice = vec![self.texts[&class].clone(), text(trace)];
            }
            self.executions += 1;
            if entry.1 != outcome && self.seen.torn.is_none() {
                self.seen.torn = Some((entry.1.clone(), outcome));
            }
        }
        &self.machine.conductor.trace
    }
}

fn search(program: &Program, how: &str) -> Seen {
    let mut seen = Seen::default();
    let plan = program.plan();
    // How often loops go round differs between searches, so reductions may need more.
    let most = if how == "dfs" { MOST } else { 20 * MOST };
    let how: Search = how.parse().expect("a search");
    let limits = Limits { executions: Some(most), ..Limits::default() };
    let summary = {
        let mut target = Observed {
            machine: Machine::new(program),
            seen: &mut seen,
            texts: BTreeMap::new(),
            executions: 0,
        };
        explore(&mut target, &how, limits, plan, |_, _| ())
    };
    seen.executions = summary.executions;
    seen.blocked = summary.blocked;
    seen.complete = summary.complete;
    seen.failure = summary.failure.map(|(f, _)| (f.kind, f.message));
    seen
}

/// The search, or the panic of an assertion in it.
fn search_or_panic(program: &Program, how: &str) -> Result<Seen, String> {
    catch_unwind(AssertUnwindSafe(|| search(program, how))).map_err(|panic| {
        let text = panic
            .downcast_ref::<&str>()
            .map(|s| s.to_string())
            .or_else(|| panic.downcast_ref::<String>().cloned());
        format!("not optimal: {how} panicked: {}", text.unwrap_or_default())
    })
}

/// What is wrong with the searches of a program.
fn wrong(program: &Program) -> Result<bool, String> {
    let all = search_or_panic(program, "dfs")?;
    if let Some((kind, message)) = &all.failure
        && !matches!(kind, FailureKind::Deadlock | FailureKind::Livelock)
    {
        return Err(format!("brute force failed: {message}"));
    }
    if !all.complete && all.failure.is_none() {
        return Ok(false);
    }
    if let Some(torn) = &all.torn {
        return Err(format!("unsound: one class, two outcomes: {torn:?}"));
    }
    for how in ["dfs:sleep", "dfs:dpor", "dfs:source", "dfs:observers", "exhaustive"] {
        let found = search_or_panic(program, how)?;
        if !found.complete && found.failure.is_none() && all.failure.is_some() {
            // Brute force met a failure early in a program that is too large.
            continue;
        }
        if found.failure.as_ref().map(|f| f.0) != all.failure.as_ref().map(|f| f.0) {
            // A program may fail in two ways; which comes first is up to the search.
            let both = found.failure.is_some() && all.failure.is_some();
            let known = |f: &Option<(FailureKind, String)>| {
                f.as_ref().is_some_and(|f| matches!(f.0, FailureKind::Deadlock | FailureKind::Livelock))
            };
            if !(both && known(&found.failure)) {
                return Err(format!(
                    "unsound: {how} ended with {:?}, brute force with {:?}",
                    found.failure, all.failure
                ));
            }
        }
        if all.failure.is_some() {
            continue;
        }
        // What is never read is not seen by the program, only by this test.
        let seen: BTreeSet<_> = found.outcomes.keys().map(|o| &o.0).collect();
        let is_lost = |o: &Outcome| {
            if how == "dfs:observers" { !seen.contains(&o.0) } else { !found.outcomes.contains_key(o) }
        };
        let lost: Vec<_> = all.outcomes.keys().filter(|o| is_lost(o)).collect();
        if !lost.is_empty() {
            return Err(format!(
                "unsound: {how} lost {} of {} outcomes: {:?}",
                lost.len(),
                all.outcomes.len(),
                lost[0]
            ));
        }
        if program.spins() || how == "dfs:observers" {
            // How often a loop goes round before it is known to be idle is no part of what can be seen, nor is the order of
            // writes that nobody reads.
            continue;
        }
        let classes: BTreeSet<_> = all.classes.keys().collect();
        let lost = classes.iter().filter(|c| !found.classes.contains_key(c)).count();
        if lost > 0 {
            return Err(format!("{how} lost {lost} of {} classes", classes.len()));
        }
        if let Some((_, (_, outcome))) = found.classes.iter().find(|c| !classes.contains(c.0)) {
            return Err(format!("{how} showed a class that brute force did not: {outcome:?}"));
        }
        if how == "exhaustive" && (found.executions != classes.len() as u64 || found.blocked > 0) {
            return Err(format!(
                "not optimal: {} executions and {} blocked for {} classes{}",
                found.executions,
                found.blocked,
                classes.len(),
                found.twice.iter().map(|t| format!("\n    {t}")).collect::<String>()
            ));
        }
    }
    Ok(all.failure.is_none())
}

fn shrink(mut program: Program, mut reason: String) -> (Program, String) {
    let grade = |r: &str| u32::from(r.starts_with("unsound"));
    'smaller: loop {
        for candidate in program.smaller() {
            if let Err(why) = wrong(&candidate)
                && grade(&why) >= grade(&reason)
            {
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
fn reductions_agree_with_brute_force() {
    let count = number("GORDIAN_DIFFERENTIAL").unwrap_or(3000);
    let first = number("GORDIAN_SEED").unwrap_or(1);
    let only = std::env::var("GORDIAN_FAMILY").unwrap_or_default();
    let most = number("GORDIAN_FAILURES").unwrap_or(1);
    let families: Vec<Family> =
        Family::ALL.into_iter().filter(|f| only.is_empty() || only == format!("{f:?}")).collect();
    std::panic::set_hook(Box::new(|_| ()));
    let mut compared: BTreeMap<String, (u64, u64)> = BTreeMap::new();
    let mut failures = Vec::new();
    'seeds: for seed in first..first + count {
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
                    failures.push(format!("seed {seed} ({family:?}, {kind}): {reason}\n{program}"));
                    if let Ok(how) = std::env::var("GORDIAN_SHOW") {
                        SHOW.store(true, Relaxed);
                        let _ = catch_unwind(|| search(&program, &how));
                    }
                    if failures.len() as u64 >= most {
                        break 'seeds;
                    }
                }
            }
        }
    }
    let _ = std::panic::take_hook();
    println!("programs made and searched to the end: {compared:?}");
    assert!(failures.is_empty(), "\n{}", failures.join("\n"));
    assert!(
        compared.values().all(|&(made, done)| made < 20 || done * 10 > made),
        "too few ran to the end: {compared:?}"
    );
}

/// Programs that were searched wrongly once.
#[test]
fn each_class_is_met_once() {
    let of = |bodies: Vec<Vec<Stmt>>| Program {
        bodies,
        join: true,
        one_site: true,
        weak_failures: true,
        spurious_wakeups: false,
    };
    use Stmt::*;
    let programs = [
        // Which channels are the same is seen only when both have been used: a superfluous execution.
        vec![
            vec![CasWeak(0, 0, 1), ReceiveTimed(1)],
            vec![TrySend(1, 2), Send(0, 2)],
            vec![TrySend(2, 2), Send(3, 1), CasWeak(0, 1, 1)],
        ],
        vec![
            vec![IsFinished(2), Spawn(vec![Unpark(0)])],
            vec![Unpark(0), Load(2)],
            vec![ParkTimed, Add(0, 1)],
        ],
        // What comes after a race decides whether a sleeping step covers its reversal: classes were lost.
        vec![
            vec![Swap(0, 2)],
            vec![TryLock(0, vec![], vec![])],
            vec![Load(0)],
            vec![TryLock(0, vec![], vec![Cas(0, 0, 1)])],
        ],
        vec![vec![WaitTimed(0, vec![])], vec![NotifyOne(0)], vec![NotifyOne(0), Choose(2)]],
        vec![vec![Add(0, 2)], vec![CasWeak(0, 0, 2), Choose(2)], vec![Load(0)]],
        // More threads than a round of the barrier has room for: classes were met twice.
        vec![vec![Barrier(0, false)]; 4],
        // A send that waited for room until the receiver was gone might have had room before somebody else: a class was lost.
        vec![vec![DropReceiver(3)], vec![Send(3, 1)], vec![TrySend(2, 2), Send(3, 1)], vec![Send(3, 1)]],
    ];
    for program in programs.map(of) {
        assert_eq!(wrong(&program), Ok(true), "\n{program}");
    }
}
