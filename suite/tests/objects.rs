//! Objects, checked for linearizability: all of them from their operations alone, and one in its published test.

use gordian::FailureKind;
use gordian::lin::Report;
use gordian_suite::objects::check::{check, run};
use gordian_suite::objects::{Effort, SUBJECTS, rate, thesis};

#[test]
fn every_mistake_is_found_and_no_right_object_fails() {
    let wrong: Vec<String> = SUBJECTS.iter().filter_map(|subject| check(subject).err()).collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n\n"));
}

#[test]
fn what_need_not_be_looked_at_makes_no_difference() {
    for subject in SUBJECTS {
        for (wrong, seed) in [(true, 0), (false, 0), (true, 1), (false, 1)] {
            let effort = Effort { small: seed == 0, tests: 4, executions: 200, seed, ..Effort::default() };
            let quick = run(subject, wrong, &effort);
            let thorough = run(subject, wrong, &Effort { thorough: true, ..effort });
            let all = |report: &Report| {
                // The same execution fails, if one does.
                let kind = report.failure().map(|failure| failure.kind());
                (kind, report.tests(), report.executions(), report.histories(), report.first_test())
            };
            assert_eq!(all(&quick), all(&thorough), "{}", subject.name);
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
    // Figure 5-2: three threads enqueue, two dequeue, and three preemptions are needed.
    let effort = Effort {
        search: "preemptions:3".to_owned(),
        executions: 1_000_000,
        test: Some(";0.0|0.1|0.2|1.0|1.0;".to_owned()),
        ..Effort::default()
    };
    let report = run(&thesis::BOOST, true, &effort);
    let failure = report.failure().expect("the bug");
    assert_eq!((failure.kind(), failure.preemptions()), (FailureKind::NotLinearizable, 3), "{report}");
    let text = failure.text(80);
    // Somebody who enqueues makes the reference of a node that was the last what it was at first, tag and all (259 is node 3 with tag 1), and one who saw it then hangs its own behind it.
    let (reset, exchange) =
        (text.find("store next#2: 259 -> 0"), text.find("compare_exchange next#2: 0 -> ?"));
    assert!(reset.is_some() && reset < exchange, "{text}");
    let notes: Vec<String> = failure.notes().collect();
    assert!(notes.iter().any(|note| note.contains("dequeue() returned None")), "{notes:#?}");
    // The right one has no such execution.
    let right = run(&thesis::BOOST, false, &Effort { executions: 20_000, ..effort });
    assert!(right.failure().is_none(), "{right}");
}
