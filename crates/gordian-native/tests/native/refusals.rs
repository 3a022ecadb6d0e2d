//! What cannot be run, or not under control, gets a sentence, and leaves no process behind.

use crate::compile::compiled;
use crate::{search, start};
use gordian_model::FailureKind::{self, *};
use gordian_model::Plan;
use gordian_native::{Invocation, Native};
use gordian_search::{Limits, Target, explore};
use std::time::Duration;

fn refusal(program: &str) -> String {
    let invocation = Invocation { words: vec![program.to_owned()] };
    match Native::start(&invocation, Duration::from_secs(1)) {
        Ok(_) => panic!("{program} was started"),
        Err(error) => error.to_string(),
    }
}

#[test]
fn what_cannot_be_run_is_refused_with_a_reason() {
    let folder = std::path::PathBuf::from(env!("CARGO_TARGET_TMPDIR"));
    let file = |name: &str, bytes: &[u8], mode: u32| {
        use std::os::unix::fs::PermissionsExt;
        let path = folder.join(name);
        let _ = std::fs::remove_file(&path);
        std::fs::write(&path, bytes).unwrap();
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(mode)).unwrap();
        refusal(path.to_str().unwrap())
    };
    assert!(refusal("./no-such-thing").contains("there is no program"));
    assert!(file("plain", b"\x7fELF", 0o644).contains("it has no execute permission"));
    assert!(file("setuid", b"\x7fELF", 0o4755).contains("setuid"));
    assert!(file("script", b"#!/bin/sh\ntrue\n", 0o755).contains("is a script, and what runs it is /bin/sh"));
    assert!(file("text", b"hello", 0o755).contains("neither a program nor a script"));
    assert!(file("other", b"\x7fELF\x01\x01\x01", 0o755).contains("no program for Linux on x86-64"));
    if let Some(program) = compiled("awkward.c", &["-static"]) {
        assert!(refusal(&program).contains("is linked statically"));
    }
}

fn ends_with(program: &str, case: &str, kind: FailureKind, says: &str) {
    let mut native = start(program, &[case]);
    let limits = Limits { executions: Some(3), ..Limits::default() };
    let found = explore(&mut native, &"exhaustive".parse().unwrap(), limits, Plan::default(), |_, _| {});
    let (failure, _) = found.failure.unwrap_or_else(|| panic!("{case}: {}", found.guarantee));
    assert_eq!(failure.kind, kind, "{case}: {}", failure.message);
    assert!(failure.message.contains(says), "{case}: {}", failure.message);
}

#[test]
fn what_is_not_under_control_is_named() {
    let Some(program) = compiled("awkward.c", &[]) else { return };
    for (case, kind, says) in [
        ("fork", Misuse, "main calls fork, which is not supported yet"),
        ("system", Misuse, "main calls system, which is not supported yet"),
        ("exec", Misuse, "main calls execl, which is not supported yet"),
        ("spin", Stuck, "main has not come to a call that Gordian controls"),
        ("pipe", Stuck, "main has not come to a call that Gordian controls"),
        ("deep", Crash, "main has used up its stack"),
        ("kill", Crash, "signal 15"),
        ("circle", StepLimit, "--steps"),
    ] {
        ends_with(&program, case, kind, says);
    }
}

#[test]
fn a_stuck_program_says_where_it_is() {
    let Some(program) = compiled("awkward.c", &[]) else { return };
    let mut native = start(&program, &["pipe"]);
    let trace = native.run(&Plan::default()).clone();
    let failure = trace.failure().expect("it is stuck");
    assert!(
        failure
            .notes
            .iter()
            .any(|note| note.text.contains("called from") && note.text.contains("awkward.c:"))
    );
    // The next execution begins afresh.
    assert!(native.run(&Plan::default()).failure().is_some());
}

#[test]
fn much_output_and_many_threads_are_borne() {
    let Some(program) = compiled("awkward.c", &[]) else { return };
    let found = search(&program, &["print"], "exhaustive");
    assert!(found.complete && found.failure.is_none());
    let mut native = start(&program, &["many"]);
    let limits = Limits { executions: Some(2), ..Limits::default() };
    let found = explore(&mut native, &"random".parse().unwrap(), limits, Plan::default(), |_, _| {});
    assert!(found.failure.is_none() && found.executions == 2, "{:?}", found.failure.map(|f| f.0.message));
}

#[test]
fn no_process_is_left_behind() {
    let Some(program) = compiled("awkward.c", &["-DLEFT"]) else { return };
    let mut native = start(&program, &[""]);
    native.run(&Plan::default());
    let alive = || {
        let processes = std::fs::read_dir("/proc").unwrap().flatten();
        let programs = processes.filter_map(|entry| std::fs::read_link(entry.path().join("exe")).ok());
        programs.filter(|path| path.to_str() == Some(&program)).count()
    };
    assert_eq!(alive(), 1, "the fork server");
    drop(native);
    assert_eq!(alive(), 0);
}
