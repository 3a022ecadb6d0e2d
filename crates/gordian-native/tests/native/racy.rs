//! Data races that are explored: plain accesses become steps where threads conflict on them.

use crate::compile::hooked;
use crate::{start, steps};
use gordian_model::{FailureKind::*, Options, Plan, Planned, Races};
use gordian_native::Native;
use gordian_search::{Limits, Summary, Target, explore};
use std::collections::BTreeSet;
use std::path::PathBuf;

fn search(native: &mut Native, how: &str, races: Races) -> Summary {
    let options = Options { races, ..Options::default() };
    loop {
        let limits = Limits { executions: Some(20_000), ..Limits::default() };
        let plan = Plan { options, ..Plan::default() };
        let found = explore(native, &how.parse().unwrap(), limits, plan, |_, _| {});
        if !native.starts_again() {
            return found;
        }
    }
}

/// What comes of a program, in all executions of a search.
fn outcomes(program: &str, case: &str, how: &str, races: Races) -> (BTreeSet<String>, Summary) {
    let thread = std::thread::current().id();
    let name = format!("outcomes.{}.{thread:?}", std::process::id());
    let file = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = std::fs::remove_file(&file);
    let mut native = start(program, &[case, file.to_str().unwrap()]);
    let found = search(&mut native, how, races);
    let failure = found.failure.as_ref().map(|(failure, _)| &failure.message);
    assert_eq!(failure, None, "{case} {how}");
    assert!(found.complete, "{case} {how}");
    let text = std::fs::read_to_string(&file).unwrap();
    let _ = std::fs::remove_file(&file);
    (text.lines().map(str::to_owned).collect(), found)
}

#[test]
fn a_program_that_races_has_the_outcomes_of_one_with_relaxed_atomics() {
    let cases = ["buffers", "counts", "three", "passes", "peterson", "neighbours", "boxes", "peeks", "mixes"];
    for options in [&[][..], &["-O2"]] {
        let Some(plain) = hooked("racy.c", options) else { return };
        let relaxed = hooked("racy.c", &[options, &["-DRELAXED"]].concat()).unwrap();
        for case in cases {
            if ["passes", "peterson"].contains(&case) && !options.is_empty() {
                // The compiler reads a plain variable once before the loop, so that it never ends.
                continue;
            }
            for how in ["exhaustive", "dfs", "preemptions:2"] {
                let (expected, _) = outcomes(&relaxed, case, how, Races::Fail);
                let (found, summary) = outcomes(&plain, case, how, Races::Explore);
                assert!(!summary.races.is_empty() && !summary.plan.points.is_empty(), "{case} {how}");
                if options.is_empty() {
                    assert_eq!(found, expected, "{case} {how}");
                    // Peterson's lock holds, and a flag passes on what was written before it.
                    let some = if ["passes", "peterson"].contains(&case) { 1 } else { 2 };
                    assert!(found.len() >= some, "{case} {how}: {found:?}");
                } else {
                    // The compiler may make one access of two that follow each other.
                    assert!(found.is_subset(&expected), "{case} {how}: {found:?}");
                }
            }
        }
    }
}

#[test]
fn a_bug_behind_a_race_is_found_and_repeats_itself() {
    let Some(program) = hooked("racy.c", &[]) else { return };
    for (case, kind, says) in [
        ("takes", Panic, "balance >= 0"),
        ("waits", Panic, "x == 2"),
        ("never", Livelock, "cannot go on"),
        ("copies", Panic, "copy[1].words[1] == 2"),
        ("frees", DataRace, "free"),
    ] {
        // If nothing is said the race ends it, or the loop that waits for it is given up.
        if case != "never" {
            let found = search(&mut start(&program, &[case]), "preemptions:2", Races::Fail);
            let (failure, _) = found.failure.unwrap_or_else(|| panic!("{case}"));
            let expected = [DataRace, if case == "waits" { Stuck } else { Crash }];
            assert!(expected.contains(&failure.kind), "{case}: {}", failure.message);
        }
        for how in ["exhaustive", "dfs", "preemptions:2", "random"] {
            let mut native = start(&program, &[case]);
            let found = search(&mut native, how, Races::Explore);
            let (failure, trace) = found.failure.unwrap_or_else(|| panic!("{case} {how}: nothing was found"));
            // Memory may be used before it is freed or after.
            let is_it = failure.kind == kind || (case == "frees" && failure.kind == Crash);
            assert!(is_it, "{case} {how}: {}", failure.message);
            assert!(failure.message.contains(says), "{case} {how}: {}", failure.message);
            let mut again = start(&program, &[case]);
            again.number_threads(native.names());
            let prefix = trace.choices().map(|planned| Planned { expected: None, ..planned }).collect();
            let plan = Plan { prefix, replay: true, ..found.plan };
            let again = again.run(&Plan { sleep: Vec::new(), deviations: Vec::new(), ..plan }).clone();
            assert_eq!(again.failure().map(|again| &again.message), Some(&failure.message), "{case} {how}");
            assert_eq!(steps(&again), steps(&trace), "{case} {how}");
        }
    }
}

#[test]
fn races_that_are_passed_over_are_told_with_both_stacks() {
    let Some(program) = hooked("racy.c", &[]) else { return };
    let mut native = start(&program, &["takes"]);
    let found = search(&mut native, "exhaustive", Races::Explore);
    assert!(!found.races.is_empty());
    for race in &found.races {
        for side in race.sides {
            let stack = native.stack(side.site);
            assert!(stack[0].starts_with("takes (") && stack[0].contains("racy.c:"), "{stack:?}");
        }
        assert!(race.sides.iter().any(|side| side.write));
        assert_ne!(race.sides[0].thread, race.sides[1].thread);
    }
}

#[test]
fn races_that_are_ignored_make_no_steps_and_no_failures() {
    let Some(program) = hooked("racy.c", &[]) else { return };
    let found = search(&mut start(&program, &["counts"]), "exhaustive", Races::Ignore);
    assert!(found.failure.is_none() && found.complete && found.races.is_empty());
    assert_eq!((found.executions, found.plan.points.len(), found.plan.options.clocks), (1, 0, false));
    let found = search(&mut start(&program, &["takes"]), "exhaustive", Races::Ignore);
    assert_eq!(found.failure.map(|(failure, _)| failure.kind), Some(Panic));
}
