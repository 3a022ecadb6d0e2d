//! `cargo gordian test --unmodified` and `cargo gordian run --unmodified` as a person meets them: on a workspace of plain Rust, which cargo
//! builds without a network.
#![cfg(all(target_os = "linux", target_arch = "x86_64", target_env = "gnu"))]

mod workspace;

use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicUsize, Ordering};
use workspace::workspace;

struct Ended {
    /// Where failures were saved, in this run alone.
    reports: PathBuf,
    status: Option<i32>,
    out: String,
    err: String,
}

fn command(program: &str) -> Command {
    let mut command = Command::new(program);
    command.env("COLUMNS", "80").env("TERM", "dumb").env("LC_ALL", "C").env_remove("CARGO_TARGET_DIR");
    // What cargo sets for this test program.
    command.env_remove("LD_LIBRARY_PATH");
    command
}

fn ended(mut command: Command, reports: PathBuf) -> Ended {
    let output = command.output().expect("it was built");
    let text = |bytes| String::from_utf8(bytes).expect("text");
    Ended { reports, status: output.status.code(), out: text(output.stdout), err: text(output.stderr) }
}

fn run(folder: &Path, arguments: &[&str]) -> Ended {
    static RUNS: AtomicUsize = AtomicUsize::new(0);
    let reports = workspace().unwrap().join(format!("reports-{}", RUNS.fetch_add(1, Ordering::Relaxed)));
    let _ = std::fs::remove_dir_all(&reports);
    let mut command = command(env!("CARGO_BIN_EXE_cargo-gordian"));
    command.arg("gordian").args(arguments).current_dir(folder).env("GORDIAN_REPORT", &reports);
    ended(command, reports)
}

fn test(arguments: &[&str]) -> Ended {
    let mut all = vec!["test", "--unmodified", "--offline", "--workspace"];
    all.extend(arguments);
    run(workspace().unwrap(), &all)
}

impl Ended {
    #[track_caller]
    fn with(self, status: i32) -> Ended {
        assert_eq!(self.status, Some(status), "{}\n{}", self.out, self.err);
        self
    }

    #[track_caller]
    fn says(&self, part: &str) {
        // Lines are broken somewhere.
        let out = self.out.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(
            self.out.contains(part) || out.contains(part.trim()),
            "{part:?} is not in:\n{}\n{}",
            self.out,
            self.err
        );
    }

    fn json(&self) -> Vec<Value> {
        let parse = |line| serde_json::from_str(line).unwrap_or_else(|error| panic!("{error}: {line}"));
        self.out.lines().map(parse).collect()
    }
}

fn script(path: &Path, text: &str) {
    std::fs::write(path, format!("#!/bin/sh\n{text}")).unwrap();
    std::fs::set_permissions(path, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
}

#[test]
fn a_bug_in_a_dependency_is_found_saved_and_replayed_from_anywhere() {
    let Some(workspace) = workspace() else { return };
    let found = test(&["an_update_is_lost"]).with(1);
    found.says("FAILED  tests::an_update_is_lost\n");
    found.says(", as a thread panicked at");
    found.says("lost <one>");
    found.says("counter/src/lib.rs");
    found.says("\n1 test: 1 failed (");
    found.says("tests in the documentation are not run with --unmodified\n");
    let trace = found.reports.join("tests::an_update_is_lost/1.trace");
    found.says(&format!("replay: gordian replay {}", trace.strip_prefix(workspace).unwrap().display()));
    assert!(trace.with_extension("html").is_file());
    for folder in [workspace, &workspace.join("shop"), Path::new("/")] {
        let mut command = command(env!("CARGO_BIN_EXE_gordian"));
        command.arg("replay").arg(&trace).current_dir(folder);
        ended(command, PathBuf::new()).with(1).says(": the same failure in the same ");
    }
    // The same again is the same failure.
    let before = std::fs::read_dir(trace.parent().unwrap()).unwrap().count();
    let mut command = command(env!("CARGO_BIN_EXE_cargo-gordian"));
    command.args(["test", "--unmodified", "--offline", "--workspace", "an_update_is_lost"]);
    command.current_dir(workspace).env("GORDIAN_REPORT", &found.reports);
    ended(command, PathBuf::new()).with(1);
    assert_eq!(std::fs::read_dir(trace.parent().unwrap()).unwrap().count(), before);
}

#[test]
fn what_is_compiled_without_hooks_is_a_single_step() {
    let Some(workspace) = workspace() else { return };
    // On the way: another wrapper is used too, so it has to be compiled anew.
    for old in std::fs::read_dir(workspace.join("target/gordian")).into_iter().flatten().flatten() {
        if old.file_name().to_string_lossy().starts_with("unmodified-") {
            std::fs::remove_dir_all(old.path()).unwrap();
        }
    }
    let (wrapper, calls) = (workspace.join("wrapper"), workspace.join("calls"));
    let _ = std::fs::remove_file(&calls);
    script(&wrapper, &format!("echo \"$@\" >> {}\nexec \"$@\"\n", calls.display()));
    let mut command = command(env!("CARGO_BIN_EXE_cargo-gordian"));
    command.args(["test", "--unmodified", "--offline", "--workspace", "an_update_is_lost"]);
    command.args(["--plain", "counter", "--executions", "300"]);
    command.current_dir(workspace).env("RUSTC_WRAPPER", wrapper);
    let ended = ended(command, PathBuf::new()).with(0);
    ended.says("memory was not watched in counter, compiled without hooks");
    let calls = std::fs::read_to_string(calls).expect("it was called");
    let of = |name: &str| {
        let found = calls.lines().find(|line| line.contains(&format!("--crate-name {name} ")));
        found.unwrap_or_else(|| panic!("{name} was not compiled:\n{calls}"))
    };
    assert!(of("shop").contains(" -Zsanitizer=thread "));
    for name in ["counter", "derived", "build_script_build"] {
        assert!(!of(name).contains("sanitizer=thread"), "{name}");
    }
}

#[test]
fn tests_pass_fail_and_are_ignored_as_in_cargo_test() {
    let Some(_) = workspace() else { return };
    let ended = test(&["--json", "--executions", "200"]).with(1);
    assert_eq!(
        ended.err,
        "gordian: derived is a procedural macro, a part of the compiler that has no hooks: its tests are not run (1)\n\
         gordian: shop::own has a harness of its own, so its tests cannot be told apart and are not run\n"
    );
    let mut tests = ended.json();
    tests.sort_by_key(|test| test["name"].to_string());
    let verdicts: Vec<(&str, &str)> =
        tests.iter().map(|t| (t["name"].as_str().unwrap(), t["verdict"].as_str().unwrap())).collect();
    assert_eq!(
        verdicts,
        [
            ("tests::a_message_is_waited_for", "passed"),
            ("tests::an_update_is_lost", "failed"),
            ("tests::an_update_is_not_always_lost", "failed"),
            ("tests::it_has_the_folder_and_the_variables_of_cargo_test", "passed"),
            ("tests::left_out", "ignored"),
            ("tests::starts_a_process", "error"),
            ("tests::updates_count", "passed"),
        ],
        "{}",
        ended.out
    );
    assert!(tests[5]["failure"]["message"].as_str().unwrap().contains("not supported yet"), "{}", tests[5]);
    assert!(tests[0]["executions"].as_u64().unwrap() > 1);
    let failure = &tests[2]["failure"];
    assert!(failure["message"].as_str().unwrap().contains("status 101"), "{failure}");
}

#[test]
fn a_test_without_threads_passes_and_says_so() {
    let Some(_) = workspace() else { return };
    let ended = test(&["it_has_the_folder"]).with(0);
    assert!(
        ended.out.starts_with(
            "passed  tests::it_has_the_folder_and_the_variables_of_cargo_test\n        no threads\n"
        ),
        "{}",
        ended.out
    );
}

#[test]
fn ignored_tests_and_junit_are_as_for_other_tests() {
    let Some(workspace) = workspace() else { return };
    let file = workspace.join("junit.xml");
    let ended = test(&["left_out", "--include-ignored", "--junit", file.to_str().unwrap()]).with(1);
    ended.says("it was run");
    let text = std::fs::read_to_string(&file).unwrap();
    let document = roxmltree::Document::parse(&text).expect("it is XML");
    assert_eq!(document.root_element().attribute("failures"), Some("1"));
    let listed = test(&["--list", "u"]).with(0);
    assert!(listed.out.contains("tests::left_out (ignored)\n"), "{}", listed.out);
}

#[test]
fn a_program_is_built_with_hooks_and_run() {
    let Some(workspace) = workspace() else { return };
    let shop = workspace.join("shop");
    let found = run(&shop, &["run", "--unmodified", "--offline"]).with(1);
    found.says(", as a thread panicked at ");
    found.says("shop/src/bin/open.rs:");
    let fine = run(&shop, &["run", "--unmodified", "--offline", "--json", "--", "atomically"]).with(0);
    let json = &fine.json()[0];
    assert_eq!((&json["complete"], &json["trusted"]), (&true.into(), &Value::Null), "{json}");
    // It also runs by itself.
    let program = "target/gordian/unmodified/x86_64-unknown-linux-gnu/debug/open";
    assert!(Command::new(workspace.join(program)).status().unwrap().success());
    // Lines are known with optimisations too, which throw them away otherwise.
    let fast = run(&shop, &["run", "--unmodified", "--offline", "--release"]).with(1);
    fast.says(":12");
    let nothing = run(&shop, &["run", "--unmodified", "--offline", "--bin", "close"]).with(2);
    assert!(nothing.err.starts_with("gordian: nothing to check: "), "{}", nothing.err);
}

#[test]
fn what_cannot_be_done_ends_with_status_two() {
    let Some(workspace) = workspace() else { return };
    let broken = test(&["--features", "shop/broken"]).with(2);
    assert!(broken.err.contains("error: broken on purpose"), "{}", broken.err);
    assert!(broken.err.contains("gordian: the tests could not be built: "), "{}", broken.err);
    let other = test(&["--", "--target", "wasm32-wasip1"]).with(2);
    assert_eq!(
        other.err,
        "gordian: --target wasm32-wasip1: hooks are there for x86_64-unknown-linux-gnu only\n"
    );
    let none = test(&["an_updaet_is_lost"]).with(2);
    assert!(none.err.contains("no test without #[gordian::test] has \"an_updaet_is_lost\" in its name (did you mean tests::an_update_is_lost?)"), "{}", none.err);
    let without = run(workspace, &["run"]).with(2);
    assert!(without.err.contains("--unmodified"), "{}", without.err);
    let mut old = command(env!("CARGO_BIN_EXE_cargo-gordian"));
    let fake = workspace.join("rustc");
    let says = "[ \"$1\" = -vV ] && { echo 'rustc 1.50.0'; echo 'host: x86_64-unknown-linux-gnu'; exit; }";
    script(&fake, &format!("{says}\necho 'error: unknown codegen option' >&2\nexit 1\n"));
    old.args(["test", "--unmodified"]).current_dir(workspace).env("RUSTC", &fake);
    let old = ended(old, PathBuf::new()).with(2);
    assert_eq!(
        old.err,
        "gordian: rustc 1.50.0 cannot compile with hooks (error: unknown codegen option); rustc 1.95 or newer can\n"
    );
}
