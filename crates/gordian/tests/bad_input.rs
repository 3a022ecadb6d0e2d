//! Wrong uses get a sentence that names the cause and the remedy; none of them hangs, aborts, or spoils the next check in
//! the same process.

use gordian::sync::Mutex;
use gordian::sync::atomic::{AtomicUsize, Ordering::*};
use gordian::{Checker, Failure, FailureKind, Plan, Report, thread};
use std::sync::Arc;

/// An ordinary check, to see that nothing is left behind by what came before.
fn still_works() {
    let report = Checker::new().run(|| {
        let mutex = Arc::new(Mutex::new(0));
        let other = Arc::clone(&mutex);
        let thread = thread::spawn(move || *other.lock().unwrap() += 1);
        *mutex.lock().unwrap() += 1;
        thread.join().unwrap();
        assert_eq!(*mutex.lock().unwrap(), 2);
    });
    assert!(report.failure().is_none() && report.complete(), "{report}");
    assert_eq!((report.executions(), report.blocked()), (2, 0));
}

fn failure(report: &Report) -> Failure {
    still_works();
    report.failure().unwrap_or_else(|| panic!("{report}")).clone()
}

fn fails(body: impl Fn() + Send + Sync + 'static) -> Failure {
    failure(&Checker::new().run(body))
}

#[track_caller]
fn says(failure: &Failure, kind: FailureKind, sentences: &[&str]) {
    assert_eq!(failure.kind(), kind, "{failure}");
    let notes: Vec<String> = failure.notes().collect();
    let all = format!("{}\n{}", failure.message(), notes.join("\n"));
    for sentence in sentences {
        assert!(all.contains(sentence), "{sentence:?} is not in:\n{all}");
    }
}

#[test]
fn a_closure_with_nothing_to_check_is_an_error() {
    let found = fails(|| assert_eq!(1 + 1, 2));
    says(
        &found,
        FailureKind::Misuse,
        &["nothing to check: the closure spawned no thread", "instead of std's"],
    );
    let found = fails(|| std::thread::spawn(|| ()).join().unwrap());
    says(&found, FailureKind::Misuse, &["nothing to check"]);
}

#[test]
fn a_closure_that_spawns_nothing_is_told_so() {
    let report = Checker::new().run(|| {
        let count = AtomicUsize::new(0);
        count.store(1, SeqCst);
    });
    assert!(report.failure().is_none() && report.complete());
    let text = report.to_string();
    assert!(text.starts_with("no failure in any interleaving (1 execution, 1 steps"), "{text}");
    assert!(text.contains("\nnote: the closure spawned no thread with gordian::thread"), "{text}");
}

#[test]
fn a_check_inside_a_check_is_an_error() {
    let sentence = "a check inside a check: the closure of a check, or a thread it spawned, starts another one; run them one \
                    after the other instead";
    let found = fails(|| {
        let inner = Checker::new().run(|| ());
        panic!("{}", inner.failure().unwrap().message());
    });
    says(&found, FailureKind::Panic, &[sentence]);
    let found = fails(|| thread::spawn(|| gordian::check(|| ())).join().unwrap());
    says(
        &found,
        FailureKind::Panic,
        &["main panicked: called `Result::unwrap()` on an `Err` value", "a check inside a check"],
    );
}

#[test]
fn a_real_thread_inside_a_check_is_an_error() {
    let found = fails(|| {
        let count = Arc::new(AtomicUsize::new(0));
        count.store(1, SeqCst);
        let other = Arc::clone(&count);
        let result = std::thread::spawn(move || other.load(SeqCst)).join();
        let message = result.unwrap_err();
        panic!("{}", message.downcast_ref::<String>().unwrap());
    });
    says(
        &found,
        FailureKind::Panic,
        &[
            "gordian: an object created at crates/gordian/tests/bad_input.rs:",
            "belongs to an execution that is running on another OS thread; threads inside a check must be started with \
             gordian::thread::spawn, not with std::thread::spawn",
        ],
    );
}

#[test]
fn handles_do_not_go_from_one_execution_to_the_next() {
    let kept = std::sync::Mutex::new(None);
    let found = fails(move || {
        let thread = thread::spawn(|| ());
        if let Some(old) = kept.lock().unwrap().replace(thread) {
            let _: Result<(), _> = thread::JoinHandle::join(old);
        }
        gordian::choose(2);
    });
    says(
        &found,
        FailureKind::Panic,
        &[
            "a JoinHandle that was made in one execution is used in another; make it inside the closure and do not keep it in a static",
        ],
    );
    let kept = std::sync::Mutex::new(None);
    let found = fails(move || {
        if let Some(old) = kept.lock().unwrap().replace(thread::current()) {
            thread::Thread::unpark(&old);
        }
        gordian::choose(2);
    });
    says(&found, FailureKind::Panic, &["a Thread that was made in one execution is used in another"]);
    let kept = std::sync::Mutex::new(None);
    let found = fails(move || {
        gordian::choose(2);
        let (sender, _receiver) = gordian::sync::mpsc::channel::<u32>();
        let old = kept.lock().unwrap().replace(sender);
        if let Some(old) = old {
            let _ = gordian::sync::mpsc::Sender::send(&old, 1);
        }
    });
    says(&found, FailureKind::Panic, &["a Sender that was made in one execution is used in another"]);
}

#[test]
fn a_forgotten_guard_shows_in_the_deadlock() {
    let found = fails(|| {
        let mutex = Arc::new(Mutex::new(0));
        let other = Arc::clone(&mutex);
        let thread = thread::spawn(move || std::mem::forget(other.lock()));
        thread.join().unwrap();
        drop(mutex.lock());
    });
    says(
        &found,
        FailureKind::Deadlock,
        &[
            "main: waits to lock mutex",
            "held by main.1 since",
            "which has ended without giving it back (a forgotten guard?)",
        ],
    );
}

#[test]
fn a_guard_forgotten_in_an_earlier_execution_is_named() {
    static MUTEX: Mutex<u32> = Mutex::new(0);
    let found = fails(|| {
        gordian::choose(2);
        std::mem::forget(MUTEX.lock());
    });
    says(
        &found,
        FailureKind::Panic,
        &["the Mutex is held outside of this execution: a guard was forgotten in an earlier execution"],
    );
}

#[test]
fn a_thread_may_outlive_the_closure_but_not_wait_for_ever() {
    let report = Checker::new().run(|| {
        let count = Arc::new(AtomicUsize::new(0));
        thread::spawn(move || count.fetch_add(1, SeqCst));
    });
    assert!(report.failure().is_none(), "{report}");
    let found = fails(|| drop(thread::spawn(thread::park)));
    says(
        &found,
        FailureKind::Deadlock,
        &[
            "deadlock: main.1 cannot go on, and nothing is left that could change that; the closure has returned, so these \
             threads outlive it: join them, or let them end by dropping what they wait for",
            "main.1: is parked and nobody unparks it",
        ],
    );
}

#[test]
fn a_stack_overflow_is_a_failure_and_not_the_end() {
    fn deeper(n: u64) -> u64 {
        let here = std::hint::black_box([n; 64]);
        if n == 0 { 0 } else { deeper(n - 1) + here[63] }
    }
    for size in [64 * 1024, 256 * 1024] {
        let report = Checker::new().stack_size(size).run(|| {
            let thread = thread::spawn(|| {
                gordian::choose(2);
                deeper(std::hint::black_box(1_000_000))
            });
            let _ = thread.join();
        });
        let kib = size / 1024;
        says(
            &failure(&report),
            FailureKind::Crash,
            &[&format!(
                "stack overflow in main.1: its stack of {kib} KiB is used up; if it needs more, give it more with Checker::stack_size"
            )],
        );
    }
}

#[test]
fn a_closure_that_remembers_is_caught_at_the_exact_step() {
    static CALLS: std::sync::atomic::AtomicUsize = std::sync::atomic::AtomicUsize::new(0);
    let found = fails(|| {
        let flag = Arc::new(AtomicUsize::new(0));
        let other = Arc::clone(&flag);
        let count = AtomicUsize::new(0);
        let thread = thread::spawn(move || other.store(1, SeqCst));
        if CALLS.fetch_add(1, SeqCst) == 0 {
            count.store(1, SeqCst); // first time
        } else {
            count.load(SeqCst); // later
        }
        flag.load(SeqCst);
        thread.join().unwrap();
    });
    let line = |of: &str| include_str!("bad_input.rs").lines().position(|l| l.ends_with(of)).unwrap() + 1;
    let file = "crates/gordian/tests/bad_input.rs";
    says(
        &found,
        FailureKind::Nondeterminism,
        &[
            &format!(
                "nondeterminism: at step 1 of 2 the same choices led elsewhere: expected main to store at {file}:{}, but that thread is about to load at {file}:{}.",
                line("// first time"),
                line("// later")
            ),
            "Usual causes: real time, random numbers",
        ],
    );
}

#[test]
fn the_step_limit_names_its_knob() {
    let report = Checker::new().steps(10).run(|| {
        let count = AtomicUsize::new(0);
        for _ in 0..20 {
            count.fetch_add(1, SeqCst);
        }
    });
    says(
        &failure(&report),
        FailureKind::StepLimit,
        &[
            "step limit: the execution took 10 steps",
            "raise the limit with Checker::steps or #[gordian::test(steps = N)]",
        ],
    );
}

#[test]
fn a_wrong_search_names_position_closest_word_and_list() {
    let report = Checker::new().search("dfs:slep").run(|| ());
    says(
        &failure(&report),
        FailureKind::Misuse,
        &[
            "unknown search \"dfs:slep\": it goes wrong at character 8 (did you mean \"dfs:sleep\"?); valid are auto, exhaustive, dfs",
        ],
    );
}

fn saved(name: &str, bytes: &[u8]) -> std::path::PathBuf {
    let path = std::env::temp_dir().join(format!("gordian-bad-input-{}-{name}.trace", std::process::id()));
    std::fs::write(&path, bytes).unwrap();
    path
}

#[test]
fn files_that_are_no_traces_are_told_apart() {
    for (name, bytes, sentence) in [
        (
            "empty",
            b"".as_slice(),
            "is empty; a trace file is written when a check fails, under target/gordian/<test>/",
        ),
        ("text", b"fn main() {}", "is not a Gordian trace (its first bytes are not GORDIAN)"),
        (
            "newer",
            b"GORDIAN\n\xff\x00rest",
            "was written by format version 255, this Gordian reads version 5; run the check again",
        ),
        ("cut", b"GORDIAN\n\x05\x00\x05ab", "is damaged or cut short"),
    ] {
        let path = saved(name, bytes);
        let error = Plan::load(&path).unwrap_err().to_string();
        assert!(error.contains(sentence) && error.starts_with(path.to_str().unwrap()), "{error}");
        std::fs::remove_file(path).unwrap();
    }
    let error = Plan::load("/nonexistent/1.trace").unwrap_err().to_string();
    assert!(error.starts_with("cannot read /nonexistent/1.trace: "), "{error}");
    still_works();
}

#[test]
fn every_damaged_file_is_refused_or_replayed_without_harm() {
    let body = || {
        let flag = Arc::new(AtomicUsize::new(0));
        let other = Arc::clone(&flag);
        thread::spawn(move || other.store(1, SeqCst));
        assert_eq!(flag.load(SeqCst), 0);
    };
    let found = fails(body);
    let path = saved("damaged", b"");
    found.plan().save(&path).unwrap();
    let good = std::fs::read(&path).unwrap();
    for at in 10..good.len() {
        let mut bad = good.clone();
        bad[at] ^= 0x55;
        std::fs::write(&path, &bad).unwrap();
        if let Ok(plan) = Plan::load(&path) {
            gordian::replay(&plan, body);
        }
        std::fs::write(&path, &good[..at]).unwrap();
        assert!(Plan::load(&path).is_err(), "cut at {at}");
    }
    std::fs::remove_file(path).unwrap();
    still_works();
}

#[test]
fn a_plan_of_another_test_names_both() {
    let body = || {
        gordian::choose(2);
        panic!("always");
    };
    let found = failure(&Checker::new().name("first").run(body));
    let report = Checker::new().name("second").replay(found.plan(), body);
    says(
        &failure(&report),
        FailureKind::Misuse,
        &[
            "this is an execution of the test first, but the test that runs is second; replay it with cargo test first -- --exact",
        ],
    );
    let report = Checker::new().name("first").replay(found.plan(), body);
    says(&failure(&report), FailureKind::Panic, &["main panicked: always"]);
}

#[test]
fn a_replay_of_a_changed_program_says_where_it_departed() {
    let found = fails(|| {
        let count = AtomicUsize::new(0);
        count.store(1, SeqCst); // recorded
        panic!("always");
    });
    let line = |of: &str| include_str!("bad_input.rs").lines().position(|l| l.ends_with(of)).unwrap() + 1;
    let file = "crates/gordian/tests/bad_input.rs";
    let report = gordian::replay(found.plan(), || {
        let count = AtomicUsize::new(0);
        count.load(SeqCst); // replayed
    });
    says(
        &failure(&report),
        FailureKind::Nondeterminism,
        &[&format!(
            "at step 1 of 1 the same choices led elsewhere: expected main to store at {file}:{}, but that thread is about to load at {file}:{}",
            line("// recorded"),
            line("// replayed")
        )],
    );
    let report = gordian::replay(found.plan(), || ());
    says(
        &failure(&report),
        FailureKind::Nondeterminism,
        &["expected main to store at", "but that thread has ended"],
    );
}

#[test]
fn a_replay_that_goes_on_after_the_end_says_so() {
    let longer = Arc::new(std::sync::atomic::AtomicBool::new(false));
    let body = {
        let longer = Arc::clone(&longer);
        move || {
            let count = AtomicUsize::new(0);
            for _ in 0..2 {
                count.store(1, SeqCst);
                assert!(longer.load(SeqCst), "stop here");
            }
        }
    };
    let found = fails(body.clone());
    longer.store(true, SeqCst);
    let report = gordian::replay(found.plan(), body);
    says(
        &failure(&report),
        FailureKind::Nondeterminism,
        &[
            "the replay departed after its last step 1: the recorded execution ended there, but main went on with store at",
        ],
    );
}
