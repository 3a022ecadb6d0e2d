//! The searches of the frontier against brute force, on programs made by chance: exactly the executions within the bound, the
//! same classes in whatever order, nothing twice, nothing left in the tree, and sentences that are true.
//!
//! `GORDIAN_FRONTIER=N` runs N programs instead of a few hundred; `GORDIAN_SEED=S` begins with another seed.

// The other tests that share it use more of it.
#[allow(dead_code)]
#[path = "../machine/mod.rs"]
mod machine;
mod memory;

use gordian_model::{End, Names, Plan, Planned, Trace};
use gordian_search::fingerprint::fingerprint;
use gordian_search::{Guarantee, Limits, Search, Summary, Target, explore};
use machine::draw::{Chance, Family, make};
use machine::program::{Program, Stmt};
use machine::{Machine, Outcome};
use std::collections::{BTreeMap, BTreeSet};

/// Programs with more interleavings than this are left out.
const MOST: u64 = 1500;

/// Who stepped, with which outcome.
type Schedule = Vec<(u32, u32)>;

#[derive(Clone, Debug)]
struct Execution {
    schedule: Schedule,
    class: u64,
    preemptions: usize,
    /// The threads enabled before each step.
    enabled: Vec<Vec<u32>>,
    complete: bool,
    outcome: Outcome,
}

struct Observed {
    machine: Machine,
    seen: Vec<Execution>,
}

impl Observed {
    fn note(&mut self) {
        let outcome = self.machine.outcome();
        let trace = &self.machine.conductor.trace;
        assert!(
            trace.failure().is_none_or(|f| f.kind != gordian_model::FailureKind::Nondeterminism),
            "{:?}",
            trace.failure()
        );
        self.seen.push(Execution {
            schedule: trace.steps.iter().map(|s| (s.thread.0, s.outcome)).collect(),
            class: fingerprint(trace),
            preemptions: trace.preemptions(),
            enabled: (0..trace.len()).map(|i| trace.enabled(i).iter().map(|t| t.0).collect()).collect(),
            complete: trace.end == End::Complete,
            outcome,
        });
    }
}

impl Target for Observed {
    fn run(&mut self, plan: &Plan) -> &Trace {
        self.machine.run(plan);
        self.note();
        &self.machine.conductor.trace
    }

    fn run_named(&mut self, plan: &Plan) -> (&Trace, Option<&Names>) {
        self.run(plan);
        (&self.machine.conductor.trace, Some(&self.machine.conductor.names))
    }
}

fn limited(program: &Program, how: &Search, limits: Limits) -> (Summary, Vec<Execution>) {
    let mut target = Observed { machine: Machine::new(program), seen: Vec::new() };
    let summary = explore(&mut target, how, limits, program.plan(), |_, _| ());
    (summary, target.seen)
}

fn search(program: &Program, how: &Search) -> (Summary, Vec<Execution>) {
    let limits = Limits { executions: Some(20 * MOST), keep_going: true, ..Limits::default() };
    limited(program, how, limits)
}

fn of(text: &str) -> Search {
    text.parse().unwrap_or_else(|error| panic!("{error}"))
}

fn schedules<'a>(seen: &'a [Execution], name: &str) -> BTreeSet<&'a Schedule> {
    let mut set = BTreeSet::new();
    for Execution { schedule, .. } in seen {
        assert!(set.insert(schedule), "made twice: {schedule:?}: {name}");
    }
    set
}

fn classes(seen: &[Execution]) -> BTreeSet<u64> {
    seen.iter().filter(|e| e.complete).map(|e| e.class).collect()
}

/// A program and all its executions.
struct Known {
    program: Program,
    all: Vec<Execution>,
}

fn number(name: &str) -> Option<u64> {
    std::env::var(name).ok()?.parse().ok()
}

/// Programs that brute force can search to the end, and that do not wait in loops: how often such a loop goes round before it
/// is known to be idle differs between searches.
fn programs(few: u64) -> impl Iterator<Item = (String, Known)> {
    all_programs(few).filter(|(_, known)| !known.program.spins())
}

fn all_programs(few: u64) -> impl Iterator<Item = (String, Known)> {
    let count = number("GORDIAN_FRONTIER").unwrap_or(few);
    let first = number("GORDIAN_SEED").unwrap_or(1);
    (first..first + count).filter_map(known)
}

fn known(seed: u64) -> Option<(String, Known)> {
    let family = Family::ALL[seed as usize % Family::ALL.len()];
    let program = make(&mut Chance::new(seed), family);
    let limits = Limits { executions: Some(MOST), keep_going: true, ..Limits::default() };
    let (summary, all) = limited(&program, &of("dfs"), limits);
    let name = format!("seed {seed} ({family:?})\n{program}");
    (summary.complete && all.len() > 1).then_some((name, Known { program, all }))
}

/// What must be true of the sentence after a search that made everything of at most this price, if nothing failed.
fn check_sentence(
    summary: &Summary,
    all: &[Execution],
    prices: &[usize],
    within: &str,
    most: usize,
    name: &str,
) {
    let expected = match (all.iter().all(|e| e.complete), prices.iter().all(|&p| p <= most)) {
        (false, _) if summary.guarantee == Guarantee::Failed => return,
        (_, true) => "no failure in any interleaving".to_owned(),
        (_, false) => format!("no failure in any interleaving {within}"),
    };
    assert_eq!(summary.guarantee.to_string(), expected, "{name}");
}

fn check_bound(
    known: &Known,
    prices: &[usize],
    how: impl Fn(usize) -> String,
    within: impl Fn(usize) -> String,
    name: &str,
) {
    for most in 0..=3 {
        let how = how(most);
        let name = format!("{how}: {name}");
        let expected: BTreeSet<&Schedule> =
            known.all.iter().zip(prices).filter(|p| *p.1 <= most).map(|p| &p.0.schedule).collect();
        let (summary, seen) = search(&known.program, &of(&how));
        assert!(summary.complete, "{name}");
        assert_eq!(schedules(&seen, &name), expected, "{name}");
        assert_eq!(summary.frontier.unwrap().nodes, 0, "{name}");
        check_sentence(&summary, &known.all, prices, &within(most), most, &name);
        // The cheap ones come first.
        let price: BTreeMap<&Schedule, usize> =
            known.all.iter().zip(prices).map(|(e, &p)| (&e.schedule, p)).collect();
        assert!(seen.iter().is_sorted_by_key(|e| price[&e.schedule]), "{name}");
        // Whatever beginning is left out comes to the same as another.
        let (summary, pruned) = search(&known.program, &of(&format!("{how},hb")));
        assert!(summary.complete, "{name}");
        assert!(pruned.len() <= seen.len(), "{name}");
        assert!(schedules(&pruned, &name).is_subset(&expected), "{name}");
        assert_eq!(classes(&pruned), classes(&seen), "{name}");
        if classes(&pruned) != classes(&known.all) {
            check_sentence(&summary, &known.all, prices, &within(most), most, &name);
        }
    }
}

fn s(n: usize) -> &'static str {
    if n == 1 { "" } else { "s" }
}

#[test]
fn exactly_the_executions_within_a_preemption_bound_are_made() {
    let mut compared = 0;
    for (name, known) in programs(400) {
        let prices: Vec<usize> = known.all.iter().map(|e| e.preemptions).collect();
        let within = |k| format!("with at most {k} preemption{}", s(k));
        check_bound(&known, &prices, |k| format!("preemptions:{k},dfs"), within, &name);
        compared += 1;
    }
    println!("compared {compared} programs");
    assert!(compared > 0);
}

/// What the default schedule does after given steps.
struct Defaults<'a> {
    program: &'a Program,
    machine: Machine,
    known: BTreeMap<Schedule, u32>,
}

impl Defaults<'_> {
    fn of(program: &Program) -> Defaults<'_> {
        let mut machine = Machine::new(program);
        // Threads are numbered as they are met, and every search begins with this execution.
        machine.run(&program.plan());
        Defaults { program, machine, known: BTreeMap::new() }
    }

    /// The thread that it lets go.
    fn after(&mut self, beginning: &[(u32, u32)]) -> u32 {
        if let Some(&thread) = self.known.get(beginning) {
            return thread;
        }
        let planned = |&(thread, outcome): &(u32, u32)| Planned {
            thread: gordian_model::ThreadId(thread),
            outcome,
            expected: None,
        };
        let prefix = beginning.iter().map(planned).collect();
        let trace = self.machine.run(&Plan { prefix, ..self.program.plan() });
        let thread = trace.steps[beginning.len()].thread.0;
        self.known.insert(beginning.to_vec(), thread);
        thread
    }
}

#[test]
fn exactly_the_executions_within_a_delay_bound_are_made() {
    for (name, known) in programs(100) {
        let mut defaults = Defaults::of(&known.program);
        let mut price = |execution: &Execution| {
            let mut sum = 0;
            for (i, &(thread, _)) in execution.schedule.iter().enumerate() {
                let before = &execution.schedule[..i];
                let default = defaults.after(before);
                let enabled = &execution.enabled[i];
                let start = enabled.iter().position(|&t| t == default).expect("enabled");
                let round = enabled.iter().cycle().skip(start);
                sum += round.take_while(|&&t| t != thread).count();
            }
            sum
        };
        let prices: Vec<usize> = known.all.iter().map(&mut price).collect();
        let within = |k| format!("with at most {k} delay{} of the default schedule", s(k));
        check_bound(&known, &prices, |k| format!("delays:{k}"), within, &name);
    }
}

#[test]
fn exactly_the_executions_within_a_depth_bound_are_made() {
    for (name, known) in programs(100) {
        let mut defaults = Defaults::of(&known.program);
        // How many steps there are up to the last that departs from the default schedule.
        let mut price = |execution: &Execution| {
            let departs = |i: &usize| {
                let before = &execution.schedule[..*i];
                let default = defaults.after(before);
                (default, 0) != execution.schedule[*i]
            };
            (0..execution.schedule.len()).rev().find(departs).map_or(0, |i| i + 1)
        };
        let prices: Vec<usize> = known.all.iter().map(&mut price).collect();
        for most in 0..=4 {
            let name = format!("depth:{most}: {name}");
            let expected: BTreeSet<&Schedule> =
                known.all.iter().zip(&prices).filter(|p| *p.1 <= most).map(|p| &p.0.schedule).collect();
            let (summary, seen) = search(&known.program, &of(&format!("depth:{most}")));
            assert_eq!(schedules(&seen, &name), expected, "{name}");
            let within = format!("that follows the default schedule after {most} step{}", s(most));
            check_sentence(&summary, &known.all, &prices, &within, most, &name);
            let (_, pruned) = search(&known.program, &of(&format!("depth:{most},hb")));
            assert_eq!(classes(&pruned), classes(&seen), "{name}");
        }
    }
}

const PRIORITIES: [&str; 9] = [
    "pb",
    "dpor",
    "ss",
    "mdpor",
    "rand",
    "method(program:65,program:66)",
    "var(program)",
    "mdpor,pb",
    "rand,ss,mdpor,pb,dpor",
];

#[test]
fn best_first_shows_every_class_whatever_the_priorities() {
    for (name, known) in programs(200) {
        let expected = classes(&known.all);
        for priorities in PRIORITIES {
            let name = format!("{priorities}: {name}");
            let (summary, seen) = search(&known.program, &of(&format!("best-first:{priorities}")));
            assert!(summary.complete, "{name}");
            schedules(&seen, &name);
            assert_eq!(summary.frontier.unwrap().nodes, 0, "{name}");
            // The first failure ends a search, and what its threads would have done is not seen.
            if known.all.iter().all(|e| e.complete) {
                assert_eq!(classes(&seen), expected, "{name}");
            } else {
                let limits = Limits { executions: Some(20 * MOST), ..Limits::default() };
                let (summary, _) = limited(&known.program, &of(&format!("best-first:{priorities}")), limits);
                assert!(summary.failure.is_some(), "{name}");
            }
        }
    }
}

#[test]
fn best_first_within_a_bound_makes_all_that_is_within_it() {
    for (name, known) in programs(100) {
        let expected: BTreeSet<&Schedule> =
            known.all.iter().filter(|e| e.preemptions <= 1).map(|e| &e.schedule).collect();
        for priorities in PRIORITIES {
            let how = format!("best-first:{priorities}/preemptions:1");
            let (summary, seen) = search(&known.program, &of(&how));
            assert!(summary.complete, "{how}: {name}");
            assert_eq!(schedules(&seen, &name), expected, "{how}: {name}");
            let (_, pruned) = search(&known.program, &of(&format!("{how},hb")));
            assert_eq!(classes(&pruned), classes(&seen), "{how},hb: {name}");
        }
    }
}

#[test]
fn races_lead_to_every_class() {
    let (mut executions, mut of_all, mut number) = (0, 0, 0);
    // These two need what few others do: a choice of a sleeping thread, and a thread that lets a sleeping one go.
    let special = [52_338, 53_337].into_iter().filter_map(known);
    for (name, known) in programs(1500).chain(special) {
        if known.all.iter().any(|e| !e.complete) {
            // The first failure ends a search, and what its threads would have done is not seen.
            continue;
        }
        let (summary, seen) = search(&known.program, &of("best-first:mdpor,pb"));
        assert!(summary.complete, "{name}");
        assert_eq!(summary.guarantee.to_string(), "no failure in any interleaving", "{name}");
        let expected = classes(&known.all);
        assert_eq!(classes(&seen), expected, "{name}");
        executions += seen.len();
        of_all += known.all.len();
        number += expected.len();
    }
    println!("{executions} executions of {of_all} for {number} classes");
}

#[test]
fn programs_that_wait_in_loops_show_everything_too() {
    for (name, known) in all_programs(1500).filter(|(_, known)| known.program.spins()) {
        let outcomes = |seen: &[Execution]| -> BTreeSet<Outcome> {
            seen.iter().filter(|e| e.complete).map(|e| e.outcome.clone()).collect()
        };
        let (_, within) = search(&known.program, &of("preemptions:100,dfs"));
        schedules(&within, &name);
        assert_eq!(outcomes(&within), outcomes(&known.all), "{name}");
        for how in [Search::best_first([]), of("best-first:rand,mdpor"), of("best-first:mdpor,pb")] {
            let (_, best_first) = search(&known.program, &how);
            schedules(&best_first, &name);
            if known.all.iter().all(|e| e.complete) {
                assert_eq!(outcomes(&best_first), outcomes(&known.all), "{name}");
            }
        }
    }
}

#[test]
fn every_failure_is_found() {
    for (name, known) in all_programs(1000) {
        let fails = known.all.iter().any(|e| !e.complete);
        let limits = Limits { executions: Some(20 * MOST), ..Limits::default() };
        let (summary, _) = limited(&known.program, &of("best-first:mdpor,pb"), limits);
        assert_eq!(summary.failure.is_some(), fails, "{name}");
    }
}

fn adds(threads: usize, each: usize) -> Program {
    Program {
        bodies: vec![vec![Stmt::Add(0, 1); each]; threads],
        join: false,
        one_site: false,
        weak_failures: false,
        spurious_wakeups: false,
    }
}

#[test]
fn what_is_done_is_proved_though_a_limit_ends_the_search() {
    for (how, word) in [("preemptions:3,dfs", "preemption"), ("delays:3", "delay")] {
        let program = adds(3, 3);
        let done = |most: u32| {
            let (summary, _) = search(&program, &of(&how.replace('3', &most.to_string())));
            assert!(summary.complete);
            summary.executions
        };
        for most in 0..3 {
            for more in [0, 1] {
                let executions = Some(done(most) + more);
                let limits = Limits { executions, ..Limits::default() };
                let (summary, _) = limited(&program, &of(how), limits);
                let text = summary.guarantee.to_string();
                let expected =
                    format!("no failure in any interleaving with at most {most} {word}{}", s(most as usize));
                assert!(text.starts_with(&expected) && text.contains("; stopped by the limit of"), "{text}");
            }
        }
        let limits = Limits { executions: Some(1), ..Limits::default() };
        let (summary, _) = limited(&adds(1, 3), &of(how), limits);
        assert_eq!(summary.guarantee.to_string(), "no failure in any interleaving");
    }
}

/// Runs another program from some execution on.
struct Fickle {
    first: Machine,
    then: Machine,
    left: u32,
}

impl Target for Fickle {
    fn run(&mut self, plan: &Plan) -> &Trace {
        self.left = self.left.saturating_sub(1);
        if self.left > 0 { self.first.run(plan) } else { self.then.run(plan) }
    }
}

#[test]
fn a_program_that_does_not_do_the_same_again_is_found_out() {
    let program =
        |main: &[Stmt], other: Stmt| Program { bodies: vec![main.to_vec(), vec![other]], ..adds(1, 1) };
    let (store, load) = (Stmt::Store(0, 1), Stmt::Load(0));
    let stores = [store.clone(), store.clone(), store.clone()];
    let first = program(&stores, store.clone());
    for (from, then, expected) in [
        // Where it departs; not even as far as that; and before that, where the last execution was the same.
        (2, program(&stores, load.clone()), "but that thread is about to load"),
        (3, program(&stores[..1], load.clone()), "that thread has ended"),
        (
            4,
            program(&[load.clone(), store.clone(), store.clone()], store.clone()),
            "at step 1 the same choices led",
        ),
    ] {
        let mut target = Fickle { first: Machine::new(&first), then: Machine::new(&then), left: from };
        let how = of("preemptions:2,dfs");
        let summary = explore(&mut target, &how, Limits::default(), first.plan(), |_, _| ());
        let (failure, _) = summary.failure.unwrap_or_else(|| panic!("{expected}"));
        assert_eq!(failure.kind, gordian_model::FailureKind::Nondeterminism);
        assert!(failure.message.contains(expected), "{}", failure.message);
    }
}
