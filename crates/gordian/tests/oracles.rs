//! Published programs with a known number of equivalence classes: the exhaustive search carries out exactly that many
//! executions, and none in vain; and the bounded one shows exactly those that are within each bound.

mod common;

use common::pseudo::Code;
use gordian::Checker;
use gordian_model::{Act, End, OpKind, Trace};
use gordian_search::fingerprint::fingerprint;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex};

struct Oracle {
    name: &'static str,
    n: i64,
    classes: u64,
    /// The same if the order of writes does not count, only who reads from whom.
    reads_from: usize,
    /// How many of them some execution with at most 0, 1, 2, ... preemptions belongs to.
    bounded: Vec<usize>,
    code: &'static str,
}

fn oracles() -> Vec<Oracle> {
    let lines = include_str!("oracles/programs.txt").lines().filter(|l| !l.starts_with('#') && !l.is_empty());
    lines
        .map(|line| {
            let [name, n, classes, reads_from, bounded, code] = line.splitn(6, " | ").collect::<Vec<_>>()[..]
            else {
                panic!("six columns: {line}")
            };
            let reads_from = reads_from.parse().expect("a number");
            let bounded = bounded.split(", ").map(|b| b.parse().expect("a number")).collect();
            let (n, classes) = (n.parse().unwrap_or(0), classes.parse().expect("a number"));
            Oracle { name, n, classes, reads_from, bounded, code }
        })
        .collect()
}

fn check(oracle: &Oracle) -> Result<(), String> {
    let code = Code::parse(oracle.code, oracle.n);
    let dropped = Arc::new(std::sync::atomic::AtomicU64::new(0));
    let seen = dropped.clone();
    let checker = Checker::new().search("exhaustive").observe(move |_| {
        if common::pseudo::was_dropped() {
            seen.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
        }
    });
    let report = checker.run(move || code.run());
    let dropped = dropped.load(std::sync::atomic::Ordering::Relaxed);
    let Oracle { name, n, classes, .. } = oracle;
    if let Some(failure) = report.failure() {
        return Err(format!("{name} {n}: {failure}"));
    }
    let counted = report.executions() - dropped;
    if (counted, report.blocked()) != (*classes, 0) {
        return Err(format!(
            "{name} {n}: {counted} executions, {dropped} dropped, {} blocked; {classes} classes\n    {}",
            report.blocked(),
            oracle.code
        ));
    }
    Ok(())
}

#[test]
fn every_program_has_as_many_executions_as_classes() {
    let wrong: Vec<String> = oracles().iter().filter_map(|oracle| check(oracle).err()).collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// The most preemptions to try. Two programs have ten bounds and take longer with the last of them than all others
/// together: `GORDIAN_ORACLES=all` tries those too.
fn bound(oracle: &Oracle) -> usize {
    let most = oracle.bounded.len() - 1;
    if most > 6 && std::env::var_os("GORDIAN_ORACLES").is_none() { 3 } else { most }
}

/// How many classes the bounded search shows with at most 0, 1, 2, ... preemptions.
fn bounded(oracle: &Oracle) -> (Vec<usize>, gordian::Report) {
    let code = Code::parse(oracle.code, oracle.n);
    let most = bound(oracle);
    let classes = Arc::new(Mutex::new(BTreeMap::new()));
    let seen = classes.clone();
    let checker = Checker::new().search(format!("preemptions:{most}").as_str()).observe(move |trace| {
        if trace.end == End::Complete && !common::pseudo::was_dropped() {
            let preemptions = trace.preemptions();
            let mut seen = seen.lock().expect("nobody panics");
            let least = seen.entry(fingerprint(trace)).or_insert(preemptions);
            *least = preemptions.min(*least);
        }
    });
    let report = checker.run(move || code.run());
    let classes = classes.lock().expect("nobody panics");
    ((0..=most).map(|k| classes.values().filter(|&&least| least <= k).count()).collect(), report)
}

#[test]
fn as_many_classes_are_within_each_bound() {
    let wrong = |oracle: &Oracle| {
        let (found, report) = bounded(oracle);
        let Oracle { name, n, .. } = oracle;
        let bounded = &oracle.bounded[..=bound(oracle)];
        (found != bounded || report.failure().is_some())
            .then(|| format!("{name} {n}: {found:?} instead of {bounded:?} ({report})\n    {}", oracle.code))
    };
    let wrong: Vec<String> = oracles().iter().filter_map(wrong).collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// A step: its thread and the how-manieth of it.
type Place = (u32, u32);

/// Who reads from whom: for each step of each thread that reads, the step that wrote.
fn reads_from(trace: &Trace) -> BTreeSet<(Place, Option<Place>)> {
    let (mut steps, mut writers) = (BTreeMap::new(), BTreeMap::new());
    let mut found = BTreeSet::new();
    for step in trace.steps.iter() {
        let nth = steps.entry(step.thread.0).or_insert(0);
        *nth += 1;
        let me = (step.thread.0, *nth);
        for access in step.accesses.iter().filter(|a| matches!(a.act, Act::Read | Act::Write)) {
            if step.kind != OpKind::Store {
                found.insert((me, writers.get(&access.object).copied()));
            }
            if access.act == Act::Write {
                writers.insert(access.object, me);
            }
        }
    }
    found
}

#[test]
fn writes_that_nobody_sees_need_not_be_ordered() {
    // A mutex is written and read by other acts.
    for oracle in oracles().iter().filter(|o| !o.code.contains("lock(") && o.classes < 10_000) {
        let code = Code::parse(oracle.code, oracle.n);
        let classes = Arc::new(Mutex::new(BTreeSet::new()));
        let seen = classes.clone();
        let checker = Checker::new().search("dfs:observers").observe(move |trace| {
            if trace.end == End::Complete && !common::pseudo::was_dropped() {
                seen.lock().expect("nobody panics").insert(reads_from(trace));
            }
        });
        let report = checker.run(move || code.run());
        let found = classes.lock().expect("nobody panics").len();
        assert!(report.failure().is_none() && report.complete(), "{report}");
        assert_eq!(found, oracle.reads_from, "{} {}: {report}", oracle.name, oracle.n);
        if oracle.name == "lastwrite" {
            // A tenth of the 5040 orders of its writes, if not one for each of the seven that can be last.
            assert!(report.executions() < 504, "{report}");
        }
    }
}

#[test]
fn there_are_as_many_rows_as_in_the_published_table() {
    assert_eq!(oracles().len(), ROWS);
}

const ROWS: usize = 73;
