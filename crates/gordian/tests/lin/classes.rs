//! Judging one execution is judging all of its class, by each criterion.

use super::blocking::waiting;
use super::{counted, counter, counters, kind, map, notes, places, queue};
use gordian::FailureKind;
use gordian::lin::{Criterion, Object};
use gordian_lin::{Choosable, Drawer, Shape};

#[test]
fn a_violation_is_found_whichever_execution_stands_for_its_class() {
    // (0, 1) can be explained only by set(1) before set(0). They do not depend on each other, so that one execution stands for both orders, and that set(0) is over before set(1) begins shows
    // in one of them only.
    for test in [";0.1|0.0|1.0;", ";0.0|0.1|1.0;"] {
        for search in ["exhaustive", "dfs:source", "dfs:sleep", "preemptions:2"] {
            let report = places().search(search).test(test).run();
            assert_eq!(kind(&report), Some(FailureKind::NotLinearizable), "{search} {test}: {report}");
        }
        let naive = places().search("exhaustive").naive(true).test(test).run();
        assert_eq!(kind(&naive), None, "Line-Up's rule happens to find it in {test}: {naive}");
        let brute = places().search("dfs").naive(true).test(test).run();
        assert_eq!(kind(&brute), Some(FailureKind::NotLinearizable), "{test}: {brute}");
    }
}

/// Verdicts of a test: of every class by its own rule, and of every single execution by brute force.
fn compare<T: Send + Sync + 'static>(
    object: fn() -> Object<T>,
    ops: &[usize],
    more: &[&str],
    criterion: Criterion,
) -> [u32; 2] {
    let ops = ops.iter().map(|&arguments| Choosable { weight: 1, arguments, owned: false }).collect();
    let shape = Shape { threads: 3, calls: 2, before: 1, after: 1 };
    let drawer = Drawer::new(ops, 5, shape);
    let small = drawer.small().into_iter().step_by(5);
    let mut verdicts = [0; 2];
    let drawn = small.chain((0..20).map(|n| drawer.draw(n))).map(|test| test.to_string());
    for test in drawn.chain(more.iter().map(|&test| test.to_owned())) {
        let run =
            |object: Object<T>| object.criterion(criterion).minimise(0).test(&test).executions(30_000).run();
        let brute = run(object().search("dfs").naive(true));
        let is_wrong = kind(&brute).is_some();
        if !is_wrong && !brute.guarantee().contains("every interleaving") {
            continue;
        }
        verdicts[usize::from(is_wrong)] += 1;
        for search in ["exhaustive", "dfs:source"] {
            let report = run(object().search(search));
            assert_eq!(
                kind(&report),
                kind(&brute),
                "{test} under {search}, {criterion:?}\n{report}\n{brute}"
            );
        }
    }
    verdicts
}

#[test]
fn judging_a_class_is_judging_each_of_its_executions() {
    for criterion in
        [Criterion::Linearizable, Criterion::SequentiallyConsistent, Criterion::QuiescentlyConsistent]
    {
        let all = [
            compare(places, &[2, 1], &[], criterion),
            compare(counted, &[2, 1, 1], &[], criterion),
            compare(queue, &[3, 1], &[], criterion),
            compare(counter, &[1], &[], criterion),
            compare(counters, &[2, 2], &[], criterion),
            compare(|| map(false), &[3, 3], &[], criterion),
        ];
        let of = |i: usize| all.iter().map(|v| v[i]).sum::<u32>();
        assert!(of(0) > 40 && of(1) > 20, "{all:?}");
    }
    // Calls that wait for ever.
    let forgets = || waiting(true);
    let more = [";1.0|0.0 0.1|1.0;", ";1.0|0.0|0.1|1.0;", ";1.0|1.0|0.0 0.0;0.1"];
    let verdicts = compare(forgets, &[2, 1], &more, Criterion::Linearizable);
    assert!(verdicts[0] > 20 && verdicts[1] > 1, "{verdicts:?}");
}

#[test]
fn what_is_shown_is_an_execution_that_shows_it() {
    let report = places().search("exhaustive").test(";0.1|0.0|1.0;").run();
    let failure = report.failure().unwrap();
    assert!(notes(&report).contains("set(0) is over before set(1) begins"), "{report}");
    // The store of set(0), by main.2, comes before that of set(1), by main.1.
    let stores: Vec<u32> = failure
        .trace()
        .steps
        .iter()
        .filter(|s| s.kind == gordian_model::OpKind::Store)
        .map(|s| s.thread.0)
        .collect();
    assert_eq!(stores, [2, 1], "{report}");
}

#[test]
fn weaker_criteria_allow_more() {
    let run = |criterion, test: &str| kind(&places().criterion(criterion).test(test).run());
    // Nothing but real time speaks against it.
    assert_eq!(run(Criterion::SequentiallyConsistent, ";0.1|0.0|1.0;"), None);
    assert_eq!(run(Criterion::QuiescentlyConsistent, ";0.1|0.0|1.0;"), None);
    // One thread sets both: its own order speaks against it, except where only quiet moments count.
    let wrong = Some(FailureKind::NotLinearizable);
    assert_eq!(run(Criterion::SequentiallyConsistent, ";0.0 0.1|1.0;"), wrong);
    assert_eq!(run(Criterion::QuiescentlyConsistent, ";0.0 0.1|1.0;"), None);
    // A lost update cannot be explained at all.
    for criterion in
        [Criterion::Linearizable, Criterion::SequentiallyConsistent, Criterion::QuiescentlyConsistent]
    {
        assert_eq!(kind(&counter().criterion(criterion).run()), wrong);
    }
}
