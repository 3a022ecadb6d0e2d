//! `cargo gordian test` as a person meets it: on a crate of its own, which cargo builds without a network.

use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};

const MANIFEST: &str = r#"
[package]
name = "tickets"
version = "0.1.0"
edition = "2024"

[features]
broken = []

[dev-dependencies]
gordian = { path = "GORDIAN" }

[workspace]

# Where more is thrown away, tests must be found too.
[profile.dev]
opt-level = 3

[profile.dev.package."*"]
opt-level = 0
"#;

const LIBRARY: &str = r#"
#[cfg(feature = "broken")]
compile_error!("broken on purpose");

#[cfg(test)]
mod tests {
    use gordian::sync::atomic::{AtomicUsize, Ordering::SeqCst};
    use gordian::thread;
    use std::sync::Arc;

    fn both(add: fn(&AtomicUsize)) {
        let count = Arc::new(AtomicUsize::new(0));
        let other = Arc::clone(&count);
        let thread = thread::spawn(move || add(&other));
        add(&count);
        thread.join().unwrap();
        assert!(count.load(SeqCst) == 2, "lost <one>");
    }

    fn in_two_steps(count: &AtomicUsize) {
        count.store(count.load(SeqCst) + 1, SeqCst);
    }

    fn in_one_step(count: &AtomicUsize) {
        count.fetch_add(1, SeqCst);
    }

    #[gordian::test]
    fn an_update_is_lost() {
        both(in_two_steps);
    }

    #[gordian::test]
    fn updates_count() {
        both(in_one_step);
    }

    #[gordian::test(should_fail)]
    fn updates_are_lost_as_expected() {
        both(in_two_steps);
    }

    #[gordian::test]
    fn ends_the_process() {
        AtomicUsize::new(0).load(SeqCst);
        println!("a last word");
        std::process::abort();
    }

    #[gordian::test(search = "dsf")]
    #[ignore]
    fn misused() {
        both(in_one_step);
    }

    #[test]
    fn an_ordinary_test_is_left_alone() {
        panic!("it was run");
    }
}
"#;

const MORE: &str = r#"
#[gordian::test(time = "10s")]
fn every_choice_is_tried() {
    for _ in 0..40 {
        gordian::choose(40);
    }
}
"#;

/// The crate under test; every test here shares it, because building it takes a while.
fn tickets() -> &'static Path {
    static TICKETS: OnceLock<PathBuf> = OnceLock::new();
    TICKETS.get_or_init(|| {
        let here = Path::new(env!("CARGO_MANIFEST_DIR"));
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("tickets");
        let write = |name: &str, text: &str| {
            let path = folder.join(name);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            // Left as it is, cargo need not build it again.
            if std::fs::read_to_string(&path).ok().as_deref() != Some(text) {
                std::fs::write(path, text).unwrap();
            }
        };
        let gordian = here.parent().unwrap().join("gordian");
        write("Cargo.toml", &MANIFEST.replace("GORDIAN", gordian.to_str().unwrap()));
        write("src/lib.rs", LIBRARY);
        write("tests/more.rs", MORE);
        // The same versions as here, which are there already.
        let lock = here.parent().unwrap().parent().unwrap().join("Cargo.lock");
        std::fs::copy(lock, folder.join("Cargo.lock")).unwrap();
        folder
    })
}

struct Ended {
    /// Where failures were saved, in this run alone.
    reports: PathBuf,
    status: Option<i32>,
    out: String,
    err: String,
}

fn run(arguments: &[&str], for_cargo: &[&str]) -> Ended {
    static RUNS: AtomicUsize = AtomicUsize::new(0);
    let reports = tickets().join(format!("reports-{}", RUNS.fetch_add(1, Ordering::Relaxed)));
    let _ = std::fs::remove_dir_all(&reports);
    let output = Command::new(env!("CARGO_BIN_EXE_cargo-gordian"))
        .args(["gordian", "test"])
        .args(arguments)
        .args(["--", "--offline"])
        .args(for_cargo)
        .current_dir(tickets())
        .env("CARGO_TARGET_DIR", tickets().join("target"))
        .env("GORDIAN_REPORT", &reports)
        .env("COLUMNS", "80")
        .env("TERM", "dumb")
        .output()
        .expect("it was built");
    let text = |bytes| String::from_utf8(bytes).expect("text");
    Ended { reports, status: output.status.code(), out: text(output.stdout), err: text(output.stderr) }
}

impl Ended {
    #[track_caller]
    fn with(self, status: i32) -> Ended {
        assert_eq!(self.status, Some(status), "{}\n{}", self.out, self.err);
        self
    }

    #[track_caller]
    fn says(&self, part: &str) {
        assert!(self.out.contains(part), "{part:?} is not in:\n{}\n{}", self.out, self.err);
    }

    fn json(&self) -> Vec<Value> {
        let parse = |line| serde_json::from_str(line).unwrap_or_else(|error| panic!("{error}: {line}"));
        self.out.lines().map(parse).collect()
    }
}

#[test]
fn what_passes_says_what_is_guaranteed() {
    let ended = run(&["updates_count"], &[]).with(0);
    assert!(ended.out.starts_with("passed  tests::updates_count\n"), "{}", ended.out);
    ended.says("        no failure in any interleaving (2 executions, 6 steps, ");
    ended.says("\n1 test: 1 passed (2 executions, ");
    assert_eq!(ended.err, "", "progress is for terminals");
    let expected = run(&["as_expected"], &[]).with(0);
    expected.says("failed, as it should: main panicked: lost <one>\n");
    assert!(!expected.out.contains("searched to the end"), "{}", expected.out);
}

#[test]
fn what_fails_is_shown_and_named_in_the_summary() {
    let ended = run(&["update"], &[]).with(1);
    ended.says("FAILED  tests::an_update_is_lost\nmain panicked: lost <one>\n  at src/lib.rs:17\n");
    ended.says("the interleaving: 5 steps, 2 switches, 1 preemption\n");
    ended.says("cargo test tests::an_update_is_lost -- --exact\n");
    ended.says("\n3 tests: 2 passed, 1 failed (");
    let page = ended.reports.join("tests::an_update_is_lost/1.html");
    let shown = page.strip_prefix(tickets()).unwrap();
    ended.says(&format!("\n  tests::an_update_is_lost: panic\n    {}\n", shown.display()));
    assert!(page.is_file());
}

#[test]
fn a_test_that_ends_its_process_does_no_harm_to_others() {
    let ended = run(&["e"], &[]).with(1);
    ended.says("FAILED  tickets tests::ends_the_process\nthe process of the test ended before the search did: signal: 6");
    ended.says("the last it printed:\na last word\n");
    ended.says("passed  tickets tests::updates_count\n");
    ended.says("ignored tickets tests::misused\n");
}

#[test]
fn tests_are_listed_and_ordinary_ones_are_not() {
    let ended = run(&["--list"], &[]).with(0);
    assert_eq!(
        ended.out,
        "tickets tests::an_update_is_lost\n\
         tickets tests::ends_the_process\n\
         tickets tests::misused (ignored)\n\
         tickets tests::updates_are_lost_as_expected\n\
         tickets tests::updates_count\n\
         tickets::more every_choice_is_tried\n"
    );
    let listed = run(&["--list", "--json", "update"], &[]).with(0).json();
    let names: Vec<&str> = listed.iter().map(|test| test["name"].as_str().unwrap()).collect();
    assert_eq!(
        names,
        ["tests::an_update_is_lost", "tests::updates_are_lost_as_expected", "tests::updates_count"]
    );
    assert_eq!((&listed[0]["package"], &listed[0]["ignored"]), (&"tickets".into(), &false.into()));
}

#[test]
fn programs_get_an_object_for_each_test() {
    let ended = run(&["--json", "update"], &[]).with(1);
    assert_eq!(ended.err, "");
    let mut tests = ended.json();
    tests.sort_by_key(|test| test["name"].to_string());
    assert_eq!(tests.len(), 3);
    let failed = &tests[0];
    assert_eq!((&failed["name"], &failed["verdict"]), (&"tests::an_update_is_lost".into(), &"failed".into()));
    let failure = &failed["failure"];
    assert_eq!(
        (&failure["kind"], &failure["message"]),
        (&"panic".into(), &"main panicked: lost <one>".into())
    );
    let trace = Path::new(failure["trace"].as_str().unwrap());
    assert!(gordian::Plan::load(trace).is_ok(), "{}", trace.display());
    assert!(Path::new(failure["report"].as_str().unwrap()).is_file());
    let passed = &tests[2];
    assert_eq!(passed["verdict"], "passed");
    assert_eq!(passed["guarantee"], "no failure in any interleaving");
    assert_eq!(
        (&passed["executions"], &passed["steps"], &passed["complete"]),
        (&2.into(), &6.into(), &true.into())
    );
    let statistics = &passed["statistics"];
    assert_eq!(
        (&statistics["classes"], &statistics["steps"]["median"], &statistics["cut"]),
        (&2.into(), &3.into(), &0.into())
    );
    assert!(statistics["preemptions"].is_u64() && statistics["outside"]["waits"].is_u64());
    assert!(passed["failure"].is_null() && passed["elapsed"].as_f64().unwrap() > 0.0);
}

#[test]
fn ci_systems_get_xml() {
    let file = tickets().join("junit.xml");
    run(&["--junit", file.to_str().unwrap(), "update"], &[]).with(1);
    let text = std::fs::read_to_string(&file).unwrap();
    let document = roxmltree::Document::parse(&text).expect("it is XML");
    let cases: Vec<_> = document.descendants().filter(|node| node.has_tag_name("testcase")).collect();
    assert_eq!(cases.len(), 3);
    assert_eq!(document.root_element().attribute("failures"), Some("1"));
    let failure = cases[0].first_element_child().unwrap();
    assert_eq!(failure.tag_name().name(), "failure");
    assert_eq!(failure.attribute("message"), Some("main panicked: lost <one>"));
    assert!(failure.text().unwrap().contains("\nthe interleaving: 5 steps"));
    assert!(
        cases[2].first_element_child().unwrap().text().unwrap().starts_with("no failure in any interleaving")
    );

    let ended = run(&["--junit", "/nonexistent/x.xml", "updates_count"], &[]).with(2);
    assert!(ended.err.starts_with("gordian: cannot write /nonexistent/x.xml: "), "{}", ended.err);
}

#[test]
fn settings_reach_the_tests() {
    let ended =
        run(&["updates_count", "--search", "random", "--executions", "1_0", "--seed", "7"], &[]).with(0);
    ended.says("no failure in the 10 executions tried");
    ended.says("1 of those that passed was not searched to the end");
    // The attribute asks for ten seconds, of which the budget leaves less.
    let start = std::time::Instant::now();
    let limited = run(&["every_choice", "--budget", "300ms"], &[]).with(0);
    limited.says("stopped by the time limit of ");
    assert!(!limited.out.contains("time limit of 10s"), "{}", limited.out);
    assert!(start.elapsed().as_secs() < 9);
}

#[test]
fn the_command_works_without_cargo_too() {
    for arguments in [&["gordian", "test", "--help"][..], &["test", "--help"]] {
        let output =
            Command::new(env!("CARGO_BIN_EXE_cargo-gordian")).args(arguments).output().expect("it was built");
        let out = String::from_utf8(output.stdout).expect("text");
        assert!(
            output.status.success() && out.contains("Usage: cargo gordian test [OPTIONS] [FILTER]"),
            "{out}"
        );
    }
}

#[test]
fn what_cannot_be_done_ends_with_status_two() {
    let broken = run(&[], &["--features", "broken"]).with(2);
    assert!(broken.err.contains("error: broken on purpose"), "{}", broken.err);
    assert!(broken.err.contains("gordian: the tests could not be built: "), "{}", broken.err);
    let wrong = run(&["--search", "dsf"], &[]).with(2);
    let sentence = "invalid value 'dsf' for '--search <S>': unknown search \"dsf\": it goes wrong at character 2 (did you mean \"dfs\"?)";
    assert!(wrong.err.contains(sentence), "{}", wrong.err);
    let option = run(&["--serch", "dfs"], &[]).with(2);
    assert!(option.err.contains("'--search'"), "{}", option.err);
    let none = run(&["updates_cuont"], &[]).with(2);
    let sentence =
        "gordian: no #[gordian::test] has \"updates_cuont\" in its name (did you mean tests::updates_count?)";
    assert!(none.err.starts_with(sentence), "{}", none.err);
    let misused = run(&["--include-ignored", "misused"], &[]).with(2);
    misused.says("ERROR   tests::misused\n#[gordian::test(search = \"dsf\")]: unknown search");
    let twice = run(&[], &["--", "--nocapture"]).with(2);
    assert!(twice.err.contains("a second -- would be for the test programs"), "{}", twice.err);
}
