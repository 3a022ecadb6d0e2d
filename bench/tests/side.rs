//! The programs that tools are compared on do the same in all three libraries.

use gordian_bench::side::catalogue::{BUGGY, RIGHT};
use gordian_bench::side::cell::{Aim, Cell, Found};
use gordian_bench::side::libraries::{End, VERSIONS};
use gordian_bench::side::tool::{AUTO, BRUTE, EXHAUSTIVE, LOOM, Library, SHUTTLE, SLEEPING, Tool};
use std::path::Path;

/// Where loom 0.7.2 is known to be wrong: it loses outcomes, sees impossible ones, or raises a false alarm.
const LOOM_IS_WRONG: [&str; 6] = ["d", "i", "peek", "try-lock", "hangup", "swap"];

/// No tool comes to its end here: a swap that changes nothing counts as a change.
const NOBODY_ENDS: [&str; 1] = ["swap"];

fn measure(tool: Tool, program: &'static str, size: (usize, usize), times: u64) -> Found {
    let binary = Path::new(env!("CARGO_BIN_EXE_gordian-bench"));
    let found = Cell { tool, program, size, cap: 1.0, times, aim: Aim::Outcomes }.measure(binary);
    assert_eq!(found.crashed, None, "{} on {program}", tool.name);
    found
}

fn completed(found: &Found) -> bool {
    found.runs.first().is_some_and(|run| run.end == End::Complete)
}

#[test]
fn the_libraries_agree_on_the_outcomes_of_small_programs() {
    for program in RIGHT.iter().filter(|program| !NOBODY_ENDS.contains(&program.name)) {
        let (name, size) = (program.name, program.sizes[0]);
        let ours = measure(EXHAUSTIVE, name, size, 1);
        assert!(completed(&ours), "gordian on {name}: {ours:?}");
        for tool in [LOOM, SHUTTLE] {
            let known = tool.library == Library::Loom && LOOM_IS_WRONG.contains(&name);
            if known || program.unsupported(tool.library, size).is_some() {
                continue;
            }
            let theirs = measure(tool, name, size, 1);
            if completed(&theirs) {
                assert_eq!(ours.outcomes, theirs.outcomes, "{} on {name}", tool.name);
            } else {
                assert!(theirs.capped.is_some(), "{} on {name}: {theirs:?}", tool.name);
                assert!(theirs.outcomes.is_subset(&ours.outcomes), "{} on {name}", tool.name);
            }
        }
    }
}

#[test]
fn auto_finds_every_bug() {
    for program in &BUGGY {
        let found = measure(AUTO, program.name, program.sizes[0], 1);
        assert!(matches!(found.runs[0].end, End::Failure(_)), "{}: {found:?}", program.name);
    }
}

#[test]
fn the_versions_on_the_page_are_those_in_the_lock_file() {
    let lock = include_str!("../../Cargo.lock");
    for (name, version) in VERSIONS {
        assert!(lock.contains(&format!("name = \"{name}\"\nversion = \"{version}\"")), "{name} {version}");
    }
}

#[test]
fn sleep_sets_alone_see_what_brute_force_sees() {
    let mut compared = 0;
    for program in RIGHT.iter().filter(|program| !NOBODY_ENDS.contains(&program.name)) {
        let [brute, sleeping] =
            [BRUTE, SLEEPING].map(|tool| measure(tool, program.name, program.sizes[0], 1));
        assert!(completed(&sleeping), "{}: {sleeping:?}", program.name);
        if completed(&brute) {
            assert_eq!(brute.outcomes, sleeping.outcomes, "{}", program.name);
            compared += 1;
        }
    }
    assert!(compared > 15, "{compared}");
}
