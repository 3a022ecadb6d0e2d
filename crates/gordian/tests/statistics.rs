//! What a summary says about the executions, against the executions themselves.

mod common;

use gordian::sync::Mutex;
use gordian::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use gordian::{Checker, thread};
use std::collections::BTreeSet;
use std::sync::Arc;

fn three_threads() {
    let shared = Arc::new((AtomicUsize::new(0), Mutex::new(0)));
    let threads: Vec<_> = (0..2)
        .map(|n| {
            let shared = Arc::clone(&shared);
            thread::spawn(move || {
                if shared.0.fetch_add(1, SeqCst) == 0 {
                    *shared.1.lock().unwrap() += n;
                }
                shared.0.load(SeqCst);
            })
        })
        .collect();
    *shared.1.lock().unwrap() += 1;
    for thread in threads {
        thread.join().unwrap();
    }
}

fn spins() {
    let flag = Arc::new(AtomicUsize::new(0));
    let other = Arc::clone(&flag);
    let thread = thread::spawn(move || while other.load(SeqCst) < 2 {});
    flag.fetch_add(1, SeqCst);
    flag.fetch_add(1, SeqCst);
    thread.join().unwrap();
}

fn pauses() {
    let flag = Arc::new(Mutex::new(false));
    let other = Arc::clone(&flag);
    let thread = thread::spawn(move || {
        while !*other.lock().unwrap() {
            thread::yield_now();
        }
    });
    *flag.lock().unwrap() = true;
    thread.join().unwrap();
}

/// Steps, preemptions, whether a loop was cut, and the class.
type Seen = (u32, usize, bool, u64);

#[test]
fn the_numbers_are_those_of_the_executions() {
    for search in ["exhaustive", "auto", "dfs", "dfs:sleep", "preemptions:2", "random", "pct:3", "delays:2"] {
        for body in [three_threads as fn(), spins, pauses] {
            let seen: Arc<std::sync::Mutex<Vec<Seen>>> = Arc::default();
            let kept = Arc::clone(&seen);
            let report = Checker::new()
                .search(search)
                .executions(300)
                .observe(move |trace| {
                    if trace.end != gordian_model::End::Asleep {
                        let class = gordian_search::fingerprint::fingerprint(trace);
                        let one = (trace.len() as u32, trace.preemptions(), trace.cut, class);
                        kept.lock().unwrap().push(one);
                    }
                })
                .run(body);
            assert!(report.failure().is_none(), "{report}");
            let seen = seen.lock().unwrap();
            let mut lengths: Vec<u32> = seen.iter().map(|s| s.0).collect();
            lengths.sort_unstable();
            let median = lengths[(lengths.len() - 1) / 2];
            let statistics = report.statistics();
            let steps = statistics.steps().expect("there were executions");
            assert_eq!(steps, (lengths[0], median, lengths[lengths.len() - 1]), "{search}");
            let most = seen.iter().map(|s| s.1).max().unwrap();
            assert_eq!(statistics.preemptions() as usize, most, "{search}");
            assert_eq!(statistics.cut() as usize, seen.iter().filter(|s| s.2).count(), "{search}");
            let classes: BTreeSet<u64> = seen.iter().map(|s| s.3).collect();
            let known = matches!(search, "exhaustive" | "auto") && report.complete();
            assert_eq!(statistics.classes(), known.then_some(classes.len() as u64), "{search}");
        }
    }
}

#[test]
fn they_are_in_every_summary() {
    let report = Checker::new().search("exhaustive").run(three_threads);
    let line = report.statistics().to_string();
    assert!(line.contains(" classes, ") && line.contains("preemption"), "{line}");
    assert!(report.to_string().ends_with(&format!("\n{line}")), "{report}");
    let report = Checker::new().fair_rounds(0).run(pauses);
    let line = report.statistics().to_string();
    assert!(line.contains("% with a pausing loop cut short (Checker::fair_rounds)"), "{line}");
    let json: serde_json::Value = serde_json::from_str(&report.to_json()).unwrap();
    assert_eq!(json["statistics"]["cut"], report.statistics().cut());
    assert_eq!(json["statistics"]["steps"]["max"], report.statistics().steps().unwrap().2);
}

/// What is done for every execution, beside what the search controls.
fn with(outside: fn()) -> gordian::Report {
    Checker::new().search("dfs").run(move || {
        outside();
        three_threads();
    })
}

#[test]
#[cfg(target_os = "linux")]
fn waiting_that_is_not_under_control_is_noticed() {
    use std::time::Duration;
    let sleeps = || std::thread::sleep(Duration::from_micros(100));
    // On a busy machine a thread may have ended before it is joined; then nobody has waited.
    let joins = || {
        let waits = || {
            let status = std::fs::read_to_string("/proc/thread-self/status").unwrap();
            status.lines().find(|line| line.starts_with("voluntary_ctxt_switches")).unwrap().to_owned()
        };
        let before = waits();
        while waits() == before {
            let thread = std::thread::spawn(|| std::thread::sleep(Duration::from_micros(100)));
            thread.join().unwrap();
        }
    };
    for outside in [sleeps as fn(), joins] {
        let report = with(outside);
        let (executions, waited) = report.statistics().outside();
        assert!(executions >= 3 && waited >= executions, "{report}");
        let words = format!(", {waited} waits that are not under control");
        assert!(report.to_string().contains(&words), "{report}");
        assert!(report.to_json().contains(&format!("{{\"executions\":{executions},\"waits\":{waited}}}")));
    }
    let report = with(|| ());
    let (executions, waited) = report.statistics().outside();
    assert!(executions >= 3 && waited * 2 <= executions, "{report}");
    assert!(!report.to_string().contains("under control"), "{report}");
}
