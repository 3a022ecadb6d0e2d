//! Failures made small, against brute force, on programs made by chance: as few preemptions as any execution that fails in
//! the same way, and never another failure.

#[allow(dead_code)]
mod machine;

use gordian_model::{Plan, Trace};
use gordian_search::{Effort, Limits, Target, decisive, explore, fails_alike, minimise};
use machine::Machine;
use machine::draw::{Chance, Family, make};
use machine::program::Program;
use std::time::Duration;

/// Programs with more interleavings than this are left out.
const MOST: u64 = 2000;

/// Every failing execution there is; nothing if the program is too large.
fn failing(machine: &mut Machine, program: &Program) -> Option<Vec<Trace>> {
    let mut all = Vec::new();
    let limits = Limits { executions: Some(MOST), keep_going: true, ..Limits::default() };
    let how = "dfs".parse().expect("a search");
    let summary = explore(machine, &how, limits, program.plan(), |_, trace| {
        if trace.failure().is_some() {
            all.push(trace.clone());
        }
    });
    summary.complete.then_some(all)
}

fn threads(trace: &Trace) -> usize {
    let mut threads: Vec<_> = trace.steps.iter().map(|s| s.thread).collect();
    threads.sort_unstable();
    threads.dedup();
    threads.len()
}

fn size(trace: &Trace) -> (usize, usize, usize) {
    (trace.preemptions(), threads(trace), trace.len())
}

const ENOUGH: Effort = Effort { executions: 20_000, steps: u64::MAX, time: Duration::from_secs(3600) };

/// What was looked at.
#[derive(Debug, Default)]
struct Tally {
    programs: u64,
    failures: u64,
    fewer: u64,
    smallest: u64,
    decided: u64,
}

fn look_at(program: &Program, tally: &mut Tally) {
    let machine = &mut Machine::new(program);
    // How often a loop goes round before it is known to be idle depends on what came before.
    if program.spins() {
        return;
    }
    let Some(all) = failing(machine, program) else { return };
    let Some(first) = all.iter().max_by_key(|trace| trace.preemptions()) else { return };
    tally.programs += 1;
    let failure = first.failure().expect("it fails");
    let alike = all.iter().filter(|t| t.failure().is_some_and(|f| fails_alike(f, failure)));
    let least = alike.map(size).min().expect("itself");
    let (small, told) = minimise(machine, first, &program.plan(), ENOUGH)
        .unwrap_or_else(|| panic!("it does not repeat:\n{program}"));
    let is_alike = |trace: &Trace| trace.failure().is_some_and(|f| fails_alike(f, failure));
    assert!(is_alike(&small), "another failure:\n{program}");
    assert_eq!(small.preemptions(), least.0, "{told:?}\n{program}");
    assert!(told.proved, "{told:?}\n{program}");
    assert!(size(&small) <= size(first), "{program}");
    tally.failures += 1;
    tally.fewer += u64::from(small.preemptions() < first.preemptions());
    tally.smallest += u64::from(size(&small) == least);

    // With little effort it may be larger, but is never another failure, nor unproved things proved.
    for executions in [1, 5, 40] {
        let effort = Effort { executions, ..ENOUGH };
        let (rough, told) = minimise(machine, first, &program.plan(), effort).expect("it repeats");
        assert!(is_alike(&rough) && size(&rough) <= size(first), "{program}");
        assert!(told.executions <= executions, "{told:?}");
        assert!(!told.proved || rough.preemptions() == least.0, "{told:?}\n{program}");
        let again = minimise(machine, first, &program.plan(), effort).expect("it repeats");
        assert!(again.0.choices().eq(rough.choices()) && again.1 == told, "{program}");
    }

    let (pair, reversed) = decisive(machine, &small, &program.plan(), ENOUGH);
    assert!(pair.is_none() || reversed > 0);
    tally.decided += u64::from(pair.is_some());
}

#[test]
fn a_failure_made_small_has_the_fewest_preemptions() {
    let mut tally = Tally::default();
    for seed in 1..=1200 {
        let family = Family::ALL[seed as usize % Family::ALL.len()];
        let mut chance = Chance::new(seed);
        let program = make(&mut chance, family);
        look_at(&program, &mut tally);
    }
    println!("{tally:?}");
    assert!(tally.failures > 50 && tally.fewer > 20 && tally.decided > 20, "{tally:?}");
    assert!(tally.smallest * 10 >= tally.failures * 8, "{tally:?}");
}

/// A target that counts.
struct Counted<'a>(&'a mut Machine, u64);

impl Target for Counted<'_> {
    fn run(&mut self, plan: &Plan) -> &Trace {
        self.1 += 1;
        self.0.run(plan)
    }
}

#[test]
fn what_was_tried_is_what_is_said() {
    for seed in 1..=200 {
        let program = make(&mut Chance::new(seed), Family::ALL[seed as usize % Family::ALL.len()]);
        let machine = &mut Machine::new(&program);
        let Some(trace) = failing(machine, &program).and_then(|all| all.into_iter().next()) else { continue };
        let mut counted = Counted(machine, 0);
        if let Some((_, told)) = minimise(&mut counted, &trace, &program.plan(), Effort::of(100)) {
            assert_eq!(told.executions, counted.1);
            return;
        }
    }
    panic!("no program failed");
}
