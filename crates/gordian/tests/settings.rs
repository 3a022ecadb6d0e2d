//! `#[gordian::test]` and `gordian::check` as a user meets them: with an environment, a `gordian.toml`, saved failures and
//! replays. Each test runs this program again with one of the tests in `programs`.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// What the tests below run, one at a time, in a process of its own.
mod programs {
    use gordian::sync::Mutex;
    use gordian::sync::atomic::{AtomicUsize, Ordering::*};
    use gordian::thread;
    use std::sync::Arc;

    fn lost_update() {
        let count = Arc::new(AtomicUsize::new(0));
        let other = Arc::clone(&count);
        let thread = thread::spawn(move || other.store(other.load(SeqCst) + 1, SeqCst));
        count.store(count.load(SeqCst) + 1, SeqCst);
        thread.join().unwrap();
        assert_eq!(count.load(SeqCst), 2);
    }

    #[gordian::test]
    #[ignore = "a program for the other tests"]
    fn fails() {
        lost_update();
    }

    #[gordian::test]
    #[ignore = "a program for the other tests"]
    fn fails_too() {
        lost_update();
    }

    #[gordian::test]
    #[ignore = "a program for the other tests"]
    fn unlocks() {
        let mutex = Mutex::new(());
        drop(mutex.lock());
        panic!("always");
    }

    #[test]
    #[ignore = "a program for the other tests"]
    fn plain() {
        gordian::check(lost_update);
    }

    #[gordian::test(search = "dfs", executions = 3)]
    #[ignore = "a program for the other tests"]
    fn passes() {
        let count = Arc::new(AtomicUsize::new(0));
        let threads = [1, 2, 4].map(|n| {
            let count = Arc::clone(&count);
            thread::spawn(move || count.fetch_add(n, SeqCst))
        });
        for thread in threads {
            thread.join().unwrap();
        }
        assert_eq!(count.load(SeqCst), 7);
    }

    #[gordian::test(search = "dsf")]
    #[ignore = "a program for the other tests"]
    fn wrong_search() {}

    #[gordian::test(should_fail = "panic")]
    #[ignore = "a program for the other tests"]
    fn fails_otherwise() {
        let mutex = Mutex::new(());
        let _first = mutex.lock();
        let _second = mutex.lock();
    }

    #[gordian::test(should_fail)]
    #[ignore = "a program for the other tests"]
    fn should_fail_but_does_not() {
        AtomicUsize::new(0).load(SeqCst);
    }

    #[gordian::test]
    #[ignore = "a program for the other tests"]
    fn does_not_cover() {
        if AtomicUsize::new(0).load(SeqCst) == 1 {
            gordian::cover!("one");
        }
    }

    // What follows passes, and is run as it stands.

    #[gordian::test(should_fail)]
    fn a_failure_is_what_was_asked_for() {
        lost_update();
    }

    #[gordian::test(should_fail = "deadlock")]
    fn a_failure_of_the_kind_that_was_asked_for() {
        let mutex = Mutex::new(());
        let _first = mutex.lock();
        let _second = mutex.lock();
    }

    #[gordian::test(should_fail = "panic")]
    fn an_error_is_a_failure() -> Result<(), String> {
        if AtomicUsize::new(1).load(SeqCst) == 1 { Err("one".to_owned()) } else { Ok(()) }
    }

    #[gordian::test]
    fn a_result_is_fine() -> Result<(), std::num::ParseIntError> {
        let n: usize = "1".parse()?;
        AtomicUsize::new(n).load(SeqCst);
        Ok(())
    }

    #[gordian::test]
    #[should_panic(expected = "on purpose")]
    fn should_panic_is_kept() {
        AtomicUsize::new(0).load(SeqCst);
        panic!("on purpose");
    }

    #[gordian::test(
        search = "exhaustive",
        executions = 1_000,
        time = "10s",
        seed = 7,
        steps = 20_000,
        fair_rounds = 16,
        stack_size = 131_072,
        leaks = false,
        weak_failures = true,
        spurious_wakeups = true,
        cover = "deep"
    )]
    fn every_option_is_accepted() {
        gordian::cover!("here");
        if gordian::choose(2) == 1 {
            deep();
        }
    }

    fn deep() {
        gordian::cover!("deep");
    }
}

/// A folder that stands for the package of the program that is run, and the program.
struct Package {
    folder: PathBuf,
}

impl Package {
    fn new(name: &str) -> Package {
        let folder = std::env::temp_dir().join(format!("gordian-settings-{}-{name}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        Package { folder }
    }

    fn run(&self, test: &str, environment: &[(&str, &str)]) -> String {
        let (ok, text) = self.try_run(test, environment);
        assert!(!ok, "{test} passed:\n{text}");
        text
    }

    fn passes(&self, test: &str, environment: &[(&str, &str)]) -> String {
        let (ok, text) = self.try_run(test, environment);
        assert!(ok, "{text}");
        text
    }

    fn try_run(&self, test: &str, environment: &[(&str, &str)]) -> (bool, String) {
        let Output { status, stdout, stderr } = Command::new(std::env::current_exe().unwrap())
            .args([&format!("programs::{test}"), "--exact", "--ignored", "--nocapture"])
            .current_dir(&self.folder)
            .env_clear()
            .env("CARGO_MANIFEST_DIR", &self.folder)
            .env("CARGO_TARGET_DIR", self.folder.join("target"))
            .envs(environment.iter().copied())
            .output()
            .unwrap();
        let text = String::from_utf8(stdout).unwrap() + &String::from_utf8(stderr).unwrap();
        assert!(text.contains("running 1 test"), "{text}");
        (status.success(), text)
    }

    fn trace(&self, test: &str, n: u32) -> PathBuf {
        let folder = if cfg!(unix) { format!("programs::{test}") } else { format!("programs--{test}") };
        Path::new("target/gordian").join(folder).join(format!("{n}.trace"))
    }
}

impl Drop for Package {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.folder);
    }
}

#[track_caller]
fn has(text: &str, part: &str) {
    assert!(text.contains(part), "{part:?} is not in:\n{text}");
}

/// From the failure to the names of the objects.
fn failure(text: &str) -> &str {
    let start = text.find("main panicked").unwrap_or_else(|| panic!("{text}"));
    let end = text[start..].find("\nobjects").unwrap_or_else(|| panic!("{text}"));
    &text[start..start + end]
}

#[test]
fn a_failure_is_saved_once_and_the_line_that_is_printed_repeats_it() {
    let package = Package::new("save");
    let text = package.run("fails", &[]);
    let trace = package.trace("fails", 1);
    let line = format!("replay: GORDIAN_REPLAY={} cargo test programs::fails -- --exact", trace.display());
    assert!(text.lines().any(|l| l == line), "{line}\nis not in:\n{text}");
    has(&text, &format!("\nsaved: {} (gordian report shows it again)\n", trace.display()));
    let page = trace.with_extension("html");
    let report = format!("report: {}", page.display());
    assert_eq!(text.lines().skip_while(|l| *l != line).nth(1), Some(report.as_str()), "{text}");
    let page = std::fs::read_to_string(package.folder.join(page)).expect("written beside the trace");
    has(&page, "<title>panic: programs::fails</title>");
    has(&page, &line["replay: ".len()..]);
    package.run("fails", &[]);
    assert!(package.folder.join(&trace).exists());
    assert!(!package.folder.join(package.trace("fails", 2)).exists());

    let again = package.run("fails", &[("GORDIAN_REPLAY", trace.to_str().unwrap())]);
    assert_eq!(failure(&again), failure(&text));
    has(&again, &format!("replayed {}: the same failure in the same 5 steps", trace.display()));
}

#[test]
fn a_failure_is_made_small_unless_that_is_not_wanted() {
    let package = Package::new("minimise");
    let random = ("GORDIAN_SEARCH", "random");
    has(&package.run("fails", &[random]), "\nminimised: ");
    let found = package.run("fails", &[random, ("GORDIAN_MINIMISE", "0")]);
    assert!(!found.contains("\nminimised: ") && !found.contains("\nwhy: "), "{found}");
    has(
        &package.run("fails", &[("GORDIAN_MINIMISE", "few"), ("COLUMNS", "400")]),
        "GORDIAN_MINIMISE=\"few\": expected a number of executions, such as 1000, or 0 to show failures as they are found",
    );
}

#[test]
fn every_step_is_shown_if_that_is_wanted() {
    let package = Package::new("detailed");
    let folded = package.run("unlocks", &[]);
    has(&folded, "1-2   lock mutex@38, unlock");
    let detailed = package.run("unlocks", &[("GORDIAN_DETAILED", "1")]);
    has(&detailed, "1     lock mutex@38");
    has(&detailed, "2     unlock mutex@38");
}

#[test]
fn a_saved_failure_is_explained() {
    let package = Package::new("explain");
    package.run("fails", &[]);
    let trace = package.trace("fails", 1);
    let text = package.run("fails", &[("GORDIAN_EXPLAIN", trace.to_str().unwrap())]);
    has(&text, &format!("replayed {}: the same failure in the same 5 steps", trace.display()));
    has(&text, "it needs 1 preemption at 1 variable, 2 threads (found in ");
    let text = package.run("fails", &[("GORDIAN_EXPLAIN", "missing.trace"), ("COLUMNS", "400")]);
    has(&text, "GORDIAN_EXPLAIN: cannot read missing.trace: ");
}

#[test]
fn a_check_is_named_after_its_test() {
    let package = Package::new("check");
    has(&package.run("plain", &[]), "cargo test programs::plain -- --exact");
    assert!(package.folder.join(package.trace("plain", 1)).exists());
}

#[test]
fn a_trace_of_another_test_names_both() {
    let package = Package::new("other");
    package.run("fails", &[]);
    let trace = package.trace("fails", 1);
    let text = package.run("fails_too", &[("GORDIAN_REPLAY", trace.to_str().unwrap()), ("COLUMNS", "400")]);
    has(
        &text,
        &format!(
            "GORDIAN_REPLAY={}: this is an execution of the test programs::fails, but the test that runs is programs::fails_too; replay it with cargo test programs::fails -- --exact",
            trace.display()
        ),
    );
}

#[test]
fn a_file_that_is_no_trace_is_an_error() {
    let package = Package::new("file");
    let path = package.folder.join("x.trace");
    for (bytes, sentence) in [
        (b"".as_slice(), "x.trace is empty"),
        (b"nonsense", "x.trace is not a Gordian trace"),
        (b"GORDIAN\n\x63\x00", "x.trace was written by format version 99"),
        (b"GORDIAN\n\x05\x00\x05", "x.trace is damaged or cut short"),
    ] {
        std::fs::write(&path, bytes).unwrap();
        let text = package.run("fails", &[("GORDIAN_REPLAY", "x.trace"), ("COLUMNS", "400")]);
        has(&text, &format!("GORDIAN_REPLAY: {sentence}"));
    }
    let text = package.run("passes", &[("GORDIAN_REPLAY", "missing.trace"), ("COLUMNS", "400")]);
    has(&text, "GORDIAN_REPLAY: cannot read missing.trace: ");
}

#[test]
fn the_environment_beats_the_attribute_which_beats_the_file() {
    let package = Package::new("order");
    let three = "no failure in the 3 executions tried; stopped by the limit of 3 executions";
    has(&package.passes("passes", &[]), three);
    std::fs::write(package.folder.join("gordian.toml"), "executions = 2\n").unwrap();
    has(&package.passes("passes", &[]), three);
    has(&package.passes("passes", &[("GORDIAN_EXECUTIONS", "1")]), "no failure in the 1 execution tried");
    std::fs::write(package.folder.join("gordian.toml"), "steps = 2\n").unwrap();
    has(&package.run("passes", &[]), "step limit: the execution took 2 steps");
    let all = package.passes(
        "passes",
        &[("GORDIAN_STEPS", "100"), ("GORDIAN_EXECUTIONS", "100_000"), ("GORDIAN_SEARCH", "exhaustive")],
    );
    has(&all, "no failure in any interleaving (6 executions");
}

#[test]
fn mistakes_in_the_settings_fail_the_test_with_a_position() {
    let package = Package::new("mistakes");
    let wide = ("COLUMNS", "400");
    has(
        &package.run("passes", &[("GORDIAN_TIME", "soon"), wide]),
        "GORDIAN_TIME=\"soon\": expected a number with a unit (ms, s, m, h), such as 10s",
    );
    has(
        &package.run("passes", &[("GORDIAN_TIEM", "1s"), wide]),
        "unknown environment variable GORDIAN_TIEM (did you mean GORDIAN_TIME?)",
    );
    has(
        &package.run("wrong_search", &[wide]),
        "#[gordian::test(search = \"dsf\")]: unknown search \"dsf\": it goes wrong at character 2",
    );
    std::fs::write(package.folder.join("gordian.toml"), "\n  executoins = 2\n").unwrap();
    has(
        &package.run("passes", &[wide]),
        "gordian.toml:2:3: unknown key executoins (did you mean executions?); valid are search, executions",
    );
}

#[test]
fn traces_go_to_the_folder_that_was_asked_for() {
    let package = Package::new("report");
    let text = package.run("fails", &[("GORDIAN_REPORT", "elsewhere")]);
    has(&text, "GORDIAN_REPLAY=elsewhere/programs::fails/1.trace");
    let again = package.run("fails", &[("GORDIAN_REPLAY", "elsewhere/programs::fails/1.trace")]);
    has(&again, "the same failure in the same 5 steps");
    std::fs::write(package.folder.join("blocked"), "").unwrap();
    let text = package.run("fails", &[("GORDIAN_REPORT", "blocked"), ("COLUMNS", "400")]);
    has(&text, "the trace could not be saved under blocked/programs::fails: ");
    has(&text, "choose another folder with GORDIAN_REPORT");
}

#[test]
fn a_program_that_runs_tests_gets_their_reports() {
    let package = Package::new("result");
    let file = package.folder.join("result.json");
    let result = ("GORDIAN_RESULT", file.to_str().unwrap());
    let read = || -> serde_json::Value {
        serde_json::from_str(&std::fs::read_to_string(&file).expect("it was written")).expect("it is JSON")
    };
    package.run("fails", &[result]);
    let fails = read();
    assert_eq!(fails["name"], "programs::fails");
    assert_eq!(fails["report"]["failures"][0]["kind"], "panic");
    let text = fails["text"].as_str().unwrap();
    assert!(text.starts_with(fails["report"]["failures"][0]["text"].as_str().unwrap()), "{text}");
    package.run("should_fail_but_does_not", &[result]);
    assert_eq!((&read()["should_fail"], &read()["report"]["complete"]), (&"".into(), &true.into()));
    // Also when there is no search at all.
    package.run("wrong_search", &[result]);
    assert_eq!(read()["report"]["failures"][0]["kind"], "misuse");
    let text = package.passes("passes", &[("GORDIAN_RESULT", "/nonexistent/x.json")]);
    has(&text, "GORDIAN_RESULT: cannot write /nonexistent/x.json: ");
}

#[test]
fn should_fail_wants_a_failure_of_that_kind() {
    let package = Package::new("should-fail");
    has(&package.run("fails_otherwise", &[]), "should_fail = \"panic\": a deadlock was found instead");
    has(
        &package.run("should_fail_but_does_not", &[]),
        "should_fail: a failure was expected, but there is no failure in any interleaving",
    );
}

#[test]
fn markers_in_the_function_must_be_reached() {
    let package = Package::new("cover");
    has(
        &package.run("does_not_cover", &[("COLUMNS", "400")]),
        "not covered: no execution reached one; the search is complete, so none can",
    );
}
