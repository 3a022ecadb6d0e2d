//! The text of every kind of failure, compared with files: `UPDATE_SNAPSHOTS=1` rewrites them.

mod programs;

use gordian::{Checker, FailureKind, Report};
use gordian_report::{Look, Sources, Story};

/// Compares a text with the file of that name.
#[track_caller]
fn compare(name: &str, text: &str) {
    let path = format!("{}/tests/snapshots/{name}.txt", env!("CARGO_MANIFEST_DIR"));
    if std::env::var_os("UPDATE_SNAPSHOTS").is_some() {
        std::fs::write(&path, text).unwrap();
    }
    let expected = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(
        text == expected,
        "{name} is now\n{text}\ninstead of\n{expected}\nif this is what it should be, run once with UPDATE_SNAPSHOTS=1"
    );
}

/// Compares the text of the first failure at several widths, and its statistics.
#[track_caller]
fn snapshots(name: &str, kind: FailureKind, report: &Report) {
    let failure = report.failure().unwrap_or_else(|| panic!("{report}"));
    assert_eq!(failure.kind(), kind, "{report}");
    for width in [40, 60, 80, 120] {
        let text = failure.text(width);
        // A path stays in one piece, so that it can be copied.
        let is_path = |line: &str| line.starts_with("  at ") || !line.trim().contains(' ');
        let wide: Vec<&str> = text.lines().filter(|l| l.chars().count() > width && !is_path(l)).collect();
        assert!(wide.is_empty(), "wider than {width}: {wide:#?}");
        if [60, 80].contains(&width) {
            compare(&format!("{name}_{width}"), &format!("{text}{}\n", report.statistics()));
        }
    }
}

fn run(body: fn()) -> Report {
    Checker::new().run(body)
}

#[test]
fn a_panic() {
    let report = run(programs::lost_update);
    snapshots("panic", FailureKind::Panic, &report);
    compare("panic_120", &report.failure().unwrap().text(120));
}

#[test]
fn colours_and_more_than_ascii() {
    let report = run(programs::lost_update);
    let failure = report.failure().unwrap();
    let names = failure.plan().names.clone().unwrap();
    let (trace, insight) = (failure.trace(), failure.insight());
    let story = Story { failure: trace.failure().unwrap(), trace, names: &names, insight };
    let sources = Sources::from_environment();
    let look = Look { unicode: true, ..Look::plain(80) };
    let unicode = gordian_report::text(&story, &sources, &look);
    compare("panic_unicode", &unicode);
    let coloured = gordian_report::text(&story, &sources, &Look { colour: true, ..look });
    compare("panic_coloured", &coloured);
    assert!(!unicode.contains('\x1b') && coloured.contains('\x1b'));
    // Without the source there are other names, and no snippet.
    compare("panic_without_source", &gordian_report::text(&story, &Sources::none(), &Look::plain(80)));
}

#[test]
fn a_panic_among_much_else() {
    snapshots("panic_among_much_else", FailureKind::Panic, &run(programs::counted_too_soon));
    let report = run(programs::counted_too_soon);
    compare("panic_detailed", &report.failure().unwrap().detailed(80));
}

#[test]
fn a_loop_that_does_not_matter_is_one_row() {
    snapshots("panic_with_own_loops", FailureKind::Panic, &run(programs::much_on_their_own));
}

#[test]
fn why_a_thread_was_left_is_said() {
    // By chance, threads are left in all kinds of ways.
    let failing = |seed| Checker::new().search("pct:3").seed(seed).minimise(0).run(programs::held_by_another);
    let texts: String = (0..20).filter_map(|seed| Some(failing(seed).failure()?.text(120))).collect();
    for why in [
        "switch (preempted)",
        "switch (blocked on total.0, held by main.",
        "switch (spins until total.1 changes)",
        "switch (waits for main.1 to end)",
    ] {
        assert!(texts.contains(why), "{why} is not in\n{texts}");
    }
}

#[test]
fn a_panic_after_loops_and_messages() {
    snapshots("panic_after_loops", FailureKind::Panic, &run(programs::handed_over));
}

#[test]
fn addresses_are_not_shown() {
    snapshots("panic_with_pointers", FailureKind::Panic, &run(programs::pointers));
}

#[test]
fn a_deadlock() {
    snapshots("deadlock", FailureKind::Deadlock, &run(programs::lock_order));
}

#[test]
fn a_deadlock_of_a_lost_wakeup() {
    snapshots("deadlock_lost_wakeup", FailureKind::Deadlock, &run(programs::lost_wakeup));
}

#[test]
fn a_livelock() {
    snapshots("livelock", FailureKind::Livelock, &run(programs::polite_flags));
}

#[test]
fn a_data_race() {
    snapshots("data_race", FailureKind::DataRace, &run(programs::relaxed_publication));
}

#[test]
fn a_leak() {
    snapshots("leak", FailureKind::Leak, &run(programs::forgotten));
}

#[test]
fn a_step_limit() {
    let report = Checker::new().steps(500).run(programs::endless);
    snapshots("step_limit", FailureKind::StepLimit, &report);
}

#[test]
fn nondeterminism() {
    snapshots("nondeterminism", FailureKind::Nondeterminism, &run(programs::remembers));
}

#[test]
#[cfg(all(target_arch = "x86_64", target_os = "linux"))]
fn a_stack_overflow() {
    snapshots("stack_overflow", FailureKind::Crash, &run(programs::bottomless));
}

#[test]
fn a_marker_that_is_not_reached() {
    let report = Checker::new().must_cover(["positive"]).run(programs::uncovered);
    snapshots("not_covered", FailureKind::NotCovered, &report);
}

#[test]
fn a_misuse() {
    snapshots("misuse", FailureKind::Misuse, &run(programs::not_under_control));
}

#[test]
fn a_model_of_something_outside() {
    snapshots("model", FailureKind::Panic, &run(programs::careless));
}

/// The summary of a search that finds nothing, without its time.
#[track_caller]
fn guarantee(name: &str, checker: &Checker, body: fn()) {
    let report = checker.run(body);
    assert!(report.failure().is_none(), "{report}");
    let (executions, steps) = (report.executions(), report.steps());
    let text =
        format!("{} ({executions} executions, {steps} steps)\n{}\n", report.guarantee(), report.statistics());
    compare(&format!("guarantee_{name}"), &text);
}

#[test]
fn what_is_guaranteed() {
    let checker = || Checker::new().seed(1);
    guarantee("all", &checker(), programs::counted);
    guarantee("cut", &checker().search("exhaustive"), programs::waits_politely);
    guarantee("bounded", &checker().search("preemptions:1"), programs::counted);
    guarantee("limit", &checker().search("exhaustive").executions(5), programs::counted);
    guarantee("chance", &checker().search("pct:2").executions(100), programs::counted);
    guarantee("random", &checker().search("random").executions(100), programs::counted);
}

#[test]
fn a_violation_of_linearizability() {
    let report = programs::two_step_counter().run();
    snapshots("not_linearizable", FailureKind::NotLinearizable, report.of_test().unwrap());
}

#[test]
fn a_call_that_is_stuck() {
    let report = programs::forgetful_queue().run();
    snapshots("stuck_call", FailureKind::Stuck, report.of_test().unwrap());
}
