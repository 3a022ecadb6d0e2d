//! The programs have as many classes as they should have, and each is visited once.

use gordian::Checker;
use gordian_bench::programs::{self, PROGRAMS};
use gordian_search::fingerprint::fingerprint;
use std::collections::HashSet;
use std::sync::{Arc, Mutex};

/// Executions of the search, those it cut short, and the classes they belong to.
fn search(how: &str, body: fn()) -> (u64, u64, HashSet<u64>) {
    let classes = Arc::new(Mutex::new(HashSet::new()));
    let seen = Arc::clone(&classes);
    let report = Checker::new()
        .search(how)
        .observe(move |trace| {
            if trace.end == gordian_model::End::Complete {
                seen.lock().unwrap().insert(fingerprint(trace));
            }
        })
        .run(body);
    assert!(report.complete() && report.failure().is_none(), "{report}");
    let classes = classes.lock().unwrap().clone();
    (report.executions(), report.blocked(), classes)
}

#[test]
fn each_program_has_its_published_number_of_classes() {
    let published = [("a", 6), ("b", 90), ("c", 1), ("d", 3), ("g", 6), ("h", 6), ("i", 36)];
    for (name, classes) in published {
        let program = PROGRAMS.iter().find(|p| p.name == name).unwrap();
        let (executions, blocked, seen) = search("exhaustive", program.body);
        assert_eq!((executions, blocked, seen.len()), (classes, 0, classes as usize), "{name}");
    }
}

#[test]
fn reductions_visit_the_classes_that_brute_force_visits() {
    for program in PROGRAMS.iter().filter(|p| p.small) {
        let (_, _, all) = search("dfs", program.body);
        let (_, _, asleep) = search("dfs:sleep", program.body);
        let (executions, _, optimal) = search("exhaustive", program.body);
        assert_eq!(all, asleep, "{} with sleep sets", program.name);
        assert_eq!(all, optimal, "{} with the optimal reduction", program.name);
        assert_eq!(executions as usize, optimal.len(), "{}: each class once", program.name);
    }
}

#[test]
fn the_queue_is_searched_class_by_class() {
    let queue = PROGRAMS.iter().find(|p| p.name == "f").unwrap();
    let (executions, blocked, classes) = search("exhaustive", queue.body);
    assert_eq!((executions as usize, blocked), (classes.len(), 0));
    let (_, _, asleep) = search("dfs:sleep", queue.body);
    assert_eq!(classes, asleep);
}

#[test]
fn the_large_programs_have_their_published_number_of_classes() {
    for (body, classes) in [(programs::big as fn(), 69_112), (programs::readers, 65_536)] {
        let report = Checker::new().search("exhaustive").run(body);
        assert_eq!((report.executions(), report.blocked(), report.complete()), (classes, 0, true));
    }
}
