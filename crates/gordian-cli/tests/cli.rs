//! The command as a person meets it.

use std::path::PathBuf;
use std::process::{Command, Stdio};

fn gordian(arguments: &[&str]) -> (Option<i32>, String, String) {
    let output = Command::new(env!("CARGO_BIN_EXE_gordian"))
        .args(arguments)
        .env("COLUMNS", "80")
        .output()
        .expect("it was built");
    let text = |bytes| String::from_utf8(bytes).expect("text");
    (output.status.code(), text(output.stdout), text(output.stderr))
}

fn saved(name: &str) -> PathBuf {
    let report = gordian::Checker::new().name("tests::mine").run(|| {
        gordian::choose(2);
        panic!("always");
    });
    let path = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
    report.failure().expect("it panics").save(&path).expect("writable");
    path
}

#[test]
fn the_demo_finds_replays_and_proves() {
    let (status, out, err) = gordian(&["demo"]);
    assert_eq!((status, err.as_str()), (Some(0), ""), "{out}");
    for part in [
        "main panicked: overdrawn\n",
        "step  main                          main.1\n",
        "the replay failed in the same way, in the same 10 steps\n",
        "as a page for the browser: ",
        "no failure in any interleaving (2 executions",
    ] {
        assert!(out.contains(part), "{part:?} is not in:\n{out}");
    }
    let page = out.lines().find_map(|line| line.strip_prefix("as a page for the browser: ")).unwrap();
    let page = std::fs::read_to_string(page).expect("the demo wrote it");
    assert!(page.contains("<title>panic: demo</title>") && page.contains("pub fn two_withdrawals"));
    let is_path = |line: &str| line.starts_with("saved to") || line.starts_with("as a page");
    let long: Vec<&str> = out.lines().filter(|l| l.chars().count() > 80 && !is_path(l)).collect();
    assert!(long.is_empty(), "{long:?}");
}

#[test]
fn it_ends_without_a_word_when_nobody_reads_what_it_prints() {
    let mut command = Command::new(env!("CARGO_BIN_EXE_gordian"));
    let mut running =
        command.arg("demo").stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("built");
    drop(running.stdout.take());
    let output = running.wait_with_output().expect("it ends");
    assert_eq!((output.status.code(), String::from_utf8_lossy(&output.stderr).as_ref()), (Some(141), ""));
}

#[test]
fn a_saved_failure_is_shown() {
    let path = saved("report.trace");
    let (status, out, _) = gordian(&["report", path.to_str().unwrap()]);
    assert_eq!(status, Some(0));
    assert!(out.starts_with("test tests::mine\nmain panicked: always\n"), "{out}");
    assert!(out.contains("choose 0 of 2"), "{out}");
}

#[test]
fn a_saved_failure_is_written_as_a_page() {
    let path = saved("page.trace");
    let page = path.with_extension("html");
    let (status, out, err) = gordian(&["report", path.to_str().unwrap(), "--html", page.to_str().unwrap()]);
    assert_eq!((status, out, err), (Some(0), format!("written to {}\n", page.display()), String::new()));
    let page = std::fs::read_to_string(page).expect("it was written");
    assert!(page.contains("<title>panic: tests::mine</title>"));
    // The source is found from here.
    assert!(page.contains("gordian::choose(2);"));

    let (status, _, err) = gordian(&["report", path.to_str().unwrap(), "--html", "/nonexistent/x.html"]);
    assert_eq!(status, Some(2));
    assert!(err.starts_with("gordian: cannot write /nonexistent/x.html: "), "{err}");
}

#[test]
fn a_saved_failure_is_shown_as_the_terminal_can_and_with_every_step_if_wanted() {
    let report = gordian::Checker::new().run(|| {
        let lock = gordian::sync::Mutex::new(());
        drop(lock.lock());
        panic!("always");
    });
    let path = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("detailed.trace");
    report.failure().expect("it panics").save(&path).expect("writable");
    let path = path.to_str().unwrap();
    let (_, folded, _) = gordian(&["report", path]);
    assert!(folded.contains("1-2   lock lock, unlock"), "{folded}");
    let (_, detailed, _) = gordian(&["report", "--detailed", path]);
    assert!(detailed.contains("1     lock lock") && detailed.contains("2     unlock lock"), "{detailed}");
    let with = |variables: &[(&str, &str)]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_gordian"));
        command.args(["report", path]).envs(variables.iter().copied());
        String::from_utf8(command.output().expect("it was built").stdout).expect("text")
    };
    assert!(with(&[("LC_ALL", "C.UTF-8"), ("TERM", "xterm")]).contains('│'));
    for plain in [&[("LC_ALL", "C.UTF-8"), ("TERM", "dumb")], &[("LC_ALL", "C"), ("TERM", "xterm")]] {
        let out = with(plain);
        assert!(out.is_ascii(), "{out}");
    }
}

#[test]
fn replaying_and_explaining_are_the_business_of_cargo() {
    let path = saved("replay.trace");
    for (command, variable, done) in
        [("replay", "GORDIAN_REPLAY", "replayed"), ("explain", "GORDIAN_EXPLAIN", "explained")]
    {
        let (status, out, err) = gordian(&[command, path.to_str().unwrap()]);
        assert_eq!(status, Some(2));
        assert_eq!(out, format!("{variable}={} cargo test tests::mine -- --exact\n", path.display()));
        assert!(err.contains(&format!("a Rust test is {done} by cargo test")), "{err}");
    }
}

#[test]
fn mistakes_end_with_status_two() {
    let (status, _, err) = gordian(&["report", "/nonexistent"]);
    assert_eq!(status, Some(2));
    assert!(err.starts_with("gordian: cannot read /nonexistent: "), "{err}");
    let (status, _, err) = gordian(&["dmeo"]);
    assert_eq!(status, Some(2));
    assert!(err.contains("demo"), "{err}");
    assert_eq!(gordian(&[]).0, Some(2));
}

#[test]
fn shells_can_complete_what_is_typed() {
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let (status, out, _) = gordian(&["completions", shell]);
        assert_eq!(status, Some(0));
        assert!(out.contains("explain") && out.contains("detailed"), "{shell}:\n{out}");
        let (_, cargo, _) = gordian(&["completions", shell, "cargo-gordian"]);
        assert!(cargo.contains("cargo-gordian") && cargo.contains("budget"), "{shell}:\n{cargo}");
    }
    let (status, _, err) = gordian(&["completions", "bsh"]);
    assert_eq!(status, Some(2));
    assert!(err.contains("'bash'"), "{err}");
}

#[test]
fn every_command_has_a_man_page() {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("man");
    let (status, out, err) = gordian(&["man", folder.to_str().unwrap()]);
    assert_eq!((status, out, err), (Some(0), format!("written to {}\n", folder.display()), String::new()));
    for (page, part) in [
        ("gordian.1", "concurrency bugs"),
        ("gordian-report.1", "\\-\\-detailed"),
        ("cargo-gordian-test.1", "\\-\\-budget"),
    ] {
        let text =
            std::fs::read_to_string(folder.join(page)).unwrap_or_else(|error| panic!("{page}: {error}"));
        assert!(text.contains(part), "{page}:\n{text}");
    }
}
