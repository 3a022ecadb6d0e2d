//! The suite as `-- check` runs it.

use gordian::FailureKind;
use gordian_suite::lock_free::DRAWN;
use gordian_suite::{SECTIONS, check, programs, table};
use std::collections::HashSet;

#[test]
fn every_bug_is_found_and_no_fixed_version_fails() {
    let wrong: Vec<String> = programs().filter_map(|program| check::check(program).err()).collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n\n"));
}

#[test]
fn every_program_has_a_name_of_its_own_and_says_where_it_is_from() {
    let mut names = HashSet::new();
    for program in programs() {
        assert!(names.insert(program.name), "{} is there twice", program.name);
        assert!(!program.source.is_empty() && !program.about.is_empty(), "{}", program.name);
    }
    assert!(SECTIONS.iter().all(|section| !section.programs.is_empty()));
}

/// The sums at the end of table 2, the numbers of each kind, and which tests have several bugs.
#[test]
fn gambits_bugs_are_those_of_its_table() {
    let bugs: Vec<_> = programs().filter_map(|p| Some((p, p.seconds?))).collect();
    assert_eq!(bugs.len(), 23);
    assert_eq!(bugs.iter().filter(|(_, s)| s.depth_first.is_some()).count(), 13);
    assert_eq!(bugs.iter().filter(|(_, s)| s.chess.is_some()).count(), 14);
    let tenths = |seconds: u32| (seconds + 180) / 360;
    assert_eq!(tenths(bugs.iter().map(|(_, s)| s.best_first).sum()), 3);
    assert_eq!(tenths(bugs.iter().map(|(_, s)| s.depth_first.unwrap_or(3600)).sum()), 115);
    assert_eq!(tenths(bugs.iter().map(|(_, s)| s.chess.unwrap_or(3600)).sum()), 118);
    let of = |kind| bugs.iter().filter(|(p, _)| p.kind == kind).count();
    let kinds = [FailureKind::Livelock, FailureKind::Deadlock, FailureKind::Panic];
    assert_eq!(kinds.map(of), [5, 2, 16]);
    let from = |test: &str| bugs.iter().filter(|(p, _)| p.source.contains(test)).count();
    assert_eq!(["NQueens", "ParallelDo", "RegOwn"].map(from), [6, 3, 1]);
}

/// Those with more threads take longer, and so does the deepest of the seeded bugs; `-- table` measures them.
#[test]
fn failures_need_what_was_published() {
    for program in programs().filter(|p| p.threads <= 9 && p.name != "monte-carlo-2-2") {
        if program.published.is_some() {
            assert_eq!(table::needs_of(program), program.published, "{}", program.name);
        }
    }
}

/// In other orders than those that `check` comes to; above all, loops that wait are no failures in any of them.
#[test]
fn no_fixed_version_fails_by_chance() {
    for program in programs().filter(|p| p.threads <= 9) {
        for search in ["random", "pos", "surw", "pct:3"] {
            let report = check::search(program, false, search, 1_000, 11);
            assert!(report.failure().is_none(), "{} under {search}: {report}", program.name);
        }
    }
}

/// Executions are repeated in many ways, and come out the same in all of them.
#[test]
fn no_program_is_taken_for_nondeterministic() {
    let searches = ["exhaustive", "preemptions:3,dfs", "delays:3", "best-first:mdpor,pb", "best-first:rand"];
    for program in programs() {
        for (search, buggy) in searches.iter().flat_map(|search| [(search, true), (search, false)]) {
            for seed in 0..if *search == "best-first:rand" { 4 } else { 1 } {
                let report = check::search(program, buggy, search, 100, seed);
                let kind = report.failure().map(|failure| failure.kind());
                let repeated = kind != Some(FailureKind::Nondeterminism);
                assert!(repeated, "{} under {search} with seed {seed}: {report}", program.name);
            }
        }
    }
}

/// Three tests were drawn for each structure. Those that are no test cases show no bug.
#[test]
fn drawn_tests_that_can_fail_are_test_cases() {
    let structures: HashSet<&str> =
        DRAWN.iter().filter_map(|test| Some(test.name.rsplit_once('-')?.0)).collect();
    assert_eq!(structures.len() * 3, DRAWN.len());
    for test in &DRAWN {
        if programs().any(|program| program.name == test.name) {
            continue;
        }
        for search in ["preemptions:3", "pos", "surw", "pct:3"] {
            let report = check::search(test, true, search, 1_000, 0);
            assert!(report.failure().is_none(), "{} under {search}: {report}", test.name);
        }
    }
}
