//! Objects, checked for linearizability: all of them from their operations alone, and one in its published test.

use gordian::FailureKind;
use gordian::lin::Report;
use gordian_suite::objects::check::{check, run};
use gordian_suite::objects::{Effort, SUBJECTS, published, rate, thesis};

#[test]
fn every_mistake_is_found_and_no_right_object_fails() {
    let wrong: Vec<String> = SUBJECTS.iter().filter_map(|subject| check(subject).err()).collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n\n"));
}

#[test]
fn what_need_not_be_looked_at_makes_no_difference() {
    for subject in SUBJECTS {
        for (wrong, seed) in [(true, 0), (false, 0), (true, 1), (false, 1)] {
            let all = |report: &Report| {
                // The same execution fails, if one does.
                let kind = report.failure().map(|failure| failure.kind());
                (kind, report.tests(), report.executions(), report.histories(), report.first_test())
            };
            let judged = |thorough| {
                let effort = Effort {
                    small: seed == 0,
                    tests: 3,
                    executions: 100,
                    seed,
                    thorough,
                    ..Effort::default()
                };
                all(&run(subject, wrong, &effort))
            };
            assert_eq!(judged(false), judged(true), "{}", subject.name);
        }
    }
}

#[test]
fn histories_that_are_judged_for_speed_are_right_and_wrong() {
    let (all, explained, _) = rate::measure(4, 500);
    assert!(all > 1_500 && (all / 10..all * 9 / 10).contains(&explained), "{explained} of {all}");
}

#[test]
fn the_published_test_tells_the_story_of_the_reset_tag() {
    let (report, _) = published::find();
    let failure = report.failure().expect("the bug");
    assert_eq!((failure.kind(), failure.preemptions()), (FailureKind::NotLinearizable, 3), "{report}");
    assert_eq!(report.executions(), 30_421, "docs/objects.md says so");
    let text = failure.text(80);
    let line = |what: &str| {
        text.lines().position(|line| line.contains(what)).unwrap_or_else(|| panic!("{what}: {text}"))
    };
    // main.1 has seen that nothing is behind node 1 when it is preempted. main.2 hangs its own there (259 is node 3 with tag 1), main.4 takes node 1 out of the queue.
    let (seen, hung, out) = (
        line("main.1  load next#2 = 0"),
        line("main.2  compare_exchange next#2: 0 -> 259"),
        line("main.4  compare_exchange head: 1 -> ?"),
    );
    // main.3 uses the node again, and makes its reference what it was at first, tag and all. Now main.1's exchange succeeds, and hangs its value behind a node that is not in the queue.
    let (reset, exchange) =
        (line("main.3  store next#2: 259 -> 0"), line("main.1  compare_exchange next#2: 0 -> ? (from"));
    assert!(seen < hung && hung < out && out < reset && reset < exchange, "{text}");
    // So that value is lost.
    let notes: Vec<String> = failure.notes().collect();
    let told = |what: &str| notes.iter().any(|note| note.contains(what));
    assert!(told("dequeue() returned None"), "{notes:#?}");
    assert!(told("enqueue(1) is over before main.5's dequeue() begins"), "{notes:#?}");
    assert!(told("would have returned Some(1), not None"), "{notes:#?}");
    // The right one has no such execution.
    let right = run(&thesis::BOOST, false, &Effort { executions: 20_000, ..published::effort() });
    assert!(right.failure().is_none(), "{right}");
}

#[test]
fn an_insert_behind_a_removed_node_of_the_skip_list_never_ends() {
    // insert(1), insert(2) and remove(1) at once.
    let effort = Effort { test: Some(";0.0|0.1|1.0;".to_owned()), ..Effort::default() };
    let report = run(&thesis::SKIP_LIST, true, &effort);
    let failure = report.failure().expect("the bug");
    assert_eq!(failure.kind(), FailureKind::StepLimit, "{report}");
    let text = failure.text(300);
    let line = |what: &str| {
        text.lines().position(|line| line.contains(what)).unwrap_or_else(|| panic!("{what}: {text}"))
    };
    // One thread goes round for ever. In each round it finds the removed node from above, and locks it in vain; there is nobody left who could change that.
    assert!(text.contains("main.2 made 1000 of the last 1,000"), "{text}");
    let (unlinked, above, rounds) =
        (line("store next#2: 1 -> 19"), line("store next#1: 19 -> 1"), line("more rounds like steps"));
    assert!(unlinked < above && above < rounds, "{text}");
    let round: Vec<&str> = text.lines().take(rounds).skip(above).collect();
    for step in ["load next#1 = 1", "lock removed#2", "unlock removed#2"] {
        assert!(round.iter().any(|line| line.contains(step)), "{step}: {text}");
    }
    assert!(text.lines().take(unlinked).any(|line| line.contains("lock removed#2")), "{text}");
}

#[test]
fn a_removed_element_of_the_skip_list_is_still_there() {
    // insert(1) and remove(1) at once, and then contains(1).
    let effort = Effort { test: Some(";0.0|1.0;2.0".to_owned()), ..Effort::default() };
    let report = run(&thesis::SKIP_LIST, true, &effort);
    assert_eq!(report.failure().map(|f| f.kind()), Some(FailureKind::NotLinearizable), "{report}");
    assert!(run(&thesis::SKIP_LIST, false, &effort).failure().is_none());
}
