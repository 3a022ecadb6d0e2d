//! Linearizability: objects that are right and wrong, and what the modules look at with them.
#![cfg(feature = "check")]
#![allow(missing_docs)]

mod blocking;
mod classes;
mod mistakes;

use gordian::FailureKind;
use gordian::lin::{Object, Report};
use gordian::sync::Mutex;
use gordian::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use std::collections::VecDeque;

fn kind(report: &Report) -> Option<FailureKind> {
    report.failure().map(|failure| failure.kind())
}

fn message(report: &Report) -> String {
    report.failure().map(|failure| failure.message().to_owned()).unwrap_or_default()
}

fn notes(report: &Report) -> String {
    report.failure().map(|f| f.notes().collect::<Vec<_>>().join("\n")).unwrap_or_default()
}

fn queue() -> Object<Mutex<VecDeque<u32>>> {
    Object::new(|| Mutex::new(VecDeque::new()))
        .op("push", 1..=3, |queue: &Mutex<VecDeque<u32>>, value| queue.lock().unwrap().push_back(value))
        .op("pop", [()], |queue, ()| queue.lock().unwrap().pop_front())
}

/// A counter that loses updates.
fn counter() -> Object<AtomicUsize> {
    Object::new(|| AtomicUsize::new(0)).op("increment", [()], |counter: &AtomicUsize, ()| {
        let seen = counter.load(SeqCst);
        counter.store(seen + 1, SeqCst);
        seen + 1
    })
}

#[test]
fn a_locked_queue_is_linearizable_in_every_interleaving() {
    let report = queue().tests(0).executions(100_000).run();
    assert_eq!(kind(&report), None, "{report}");
    assert!(report.guarantee().contains("in every interleaving"), "{report}");
    assert!(!report.guarantee().contains("tried"), "{report}");
    assert!(report.tests() > 100 && report.histories() > report.tests(), "{report}");
}

#[test]
fn a_lost_update_is_found_and_the_test_is_small() {
    // Drawn tests only, so that there is something to make small.
    let report = counter().small(false).run();
    assert_eq!(kind(&report), Some(FailureKind::NotLinearizable), "{report}");
    assert_eq!(
        report.calls().iter().map(|c| c.1.as_str()).collect::<Vec<_>>(),
        ["increment()", "increment()"]
    );
    assert_eq!(report.failure().unwrap().preemptions(), 1);
    assert!(
        notes(&report)
            .contains("after main.2's increment(), main.1's increment() would have returned 2, not 1"),
        "{report}"
    );
    let again = counter().test(&report.test().unwrap()).run();
    assert_eq!((kind(&again), again.tests()), (kind(&report), 1));
}

/// Two places; a look reads them one after the other.
fn places() -> Object<[AtomicUsize; 2]> {
    Object::new(|| [const { AtomicUsize::new(0) }; 2])
        .op("set", [0, 1], |places: &[AtomicUsize; 2], i: usize| places[i].store(1, SeqCst))
        .op("look", [()], |places, ()| (places[0].load(SeqCst), places[1].load(SeqCst)))
}

/// Two counters that lose updates, and are looked at together; calls of different ones do not depend on each other.
fn counters() -> Object<[AtomicUsize; 2]> {
    Object::new(|| [const { AtomicUsize::new(0) }; 2])
        .op("increment", [0, 1], |counters: &[AtomicUsize; 2], i: usize| {
            let seen = counters[i].load(SeqCst);
            counters[i].store(seen + 1, SeqCst);
        })
        .op("get", [0, 1], |counters, i: usize| counters[i].load(SeqCst))
}

/// A queue whose length is counted beside it.
fn counted() -> Object<(Mutex<VecDeque<u32>>, AtomicUsize)> {
    Object::new(|| (Mutex::new(VecDeque::new()), AtomicUsize::new(0)))
        .op("push", 1..=2, |q: &(Mutex<VecDeque<u32>>, AtomicUsize), v| {
            q.0.lock().unwrap().push_back(v);
            q.1.fetch_add(1, SeqCst);
        })
        .op("pop", [()], |q, ()| {
            if q.1.load(SeqCst) == 0 {
                return None;
            }
            let value = q.0.lock().unwrap().pop_front();
            value.inspect(|_| _ = q.1.fetch_sub(1, SeqCst))
        })
        .op("len", [()], |q, ()| q.1.load(SeqCst))
}

/// A map from keys to counts, each under a lock of its own; `get` of key 1 sees nothing of the last `add`, if it is `late`.
fn map(late: bool) -> Object<[Mutex<u32>; 3]> {
    Object::new(|| [const { Mutex::new(0) }; 3])
        .op("add", 0..3, |map: &[Mutex<u32>; 3], key: usize| {
            let mut count = map[key].lock().unwrap();
            *count += 1;
            *count
        })
        .op("get", 0..3, move |map, key: usize| {
            let count = *map[key].lock().unwrap();
            if late && key == 1 { count.saturating_sub(1) } else { count }
        })
}

#[test]
fn keys_are_explained_one_by_one_with_the_same_verdicts() {
    let report = map(false).partitioned().tests(10).run();
    assert_eq!(kind(&report), None, "{report}");
    // Alone, too, it sees one less, so that this is its specification; a specification that somebody wrote finds it.
    assert_eq!(kind(&map(true).partitioned().tests(10).run()), None);
    let specified = |partitioned: bool| {
        let object = Object::new(|| [const { Mutex::new(0_u32) }; 3])
            .specified_by([0_u32; 3])
            .op_as(
                "add",
                0..3,
                |map: &[Mutex<u32>; 3], key: usize| *map[key].lock().unwrap() += 1,
                |s, key| s[key] += 1,
            )
            .op_as(
                "get",
                0..3,
                |map, key: usize| (*map[key].lock().unwrap()).saturating_sub(u32::from(key == 1)),
                |s, key| s[key],
            )
            .equal_states();
        if partitioned { object.partitioned().run() } else { object.run() }
    };
    for partitioned in [false, true] {
        assert_eq!(kind(&specified(partitioned)), Some(FailureKind::NotLinearizable));
    }
}

#[test]
fn states_that_are_told_apart_give_the_same_verdicts() {
    let stated = |object: Object<Mutex<VecDeque<u32>>>| object.state(|queue| queue.lock().unwrap().clone());
    let (with, without) = (stated(queue()).tests(10).run(), queue().tests(10).run());
    assert_eq!(kind(&with), None, "{with}");
    assert_eq!((with.executions(), with.histories()), (without.executions(), without.histories()));
    let state = |q: &(Mutex<VecDeque<u32>>, AtomicUsize)| (q.0.lock().unwrap().clone(), q.1.load(SeqCst));
    let (with, without) = (counted().state(state).run(), counted().run());
    assert_eq!(kind(&with), Some(FailureKind::NotLinearizable));
    assert_eq!((kind(&with), with.test()), (kind(&without), without.test()));
}

/// Run by the test below, as a process of its own.
#[test]
fn child() {
    if std::env::var_os("LIN_CHILD").is_some() {
        counter().check();
    }
}

#[test]
fn a_saved_execution_is_repeated() {
    let folder = std::env::temp_dir().join(format!("gordian-lin-{}", std::process::id()));
    let run = |environment: &[(&str, &str)]| {
        let output = std::process::Command::new(std::env::current_exe().unwrap())
            .args(["child", "--exact"])
            .env("LIN_CHILD", "1")
            .env("GORDIAN_REPORT", &folder)
            .env("RUST_BACKTRACE", "0")
            .envs(environment.iter().copied())
            .output()
            .unwrap();
        assert!(!output.status.success());
        String::from_utf8_lossy(&output.stdout).into_owned()
    };
    let first = run(&[]);
    let saved = folder.join("child/1.trace");
    assert!(first.contains("saved: ") && saved.exists() && folder.join("child/1.html").exists(), "{first}");
    let again = run(&[("GORDIAN_REPLAY", saved.to_str().unwrap())]);
    assert!(again.contains("the same failure in the same 4 steps"), "{again}");
    assert!(again.contains("increment() returned 1 (steps 1 to 4)"), "{again}");
    let other = run(&[("GORDIAN_SEARCH", "exhaustif")]);
    assert!(other.contains("GORDIAN_SEARCH") && other.contains("exhaustive"), "{other}");
    std::fs::remove_dir_all(&folder).unwrap();
}
