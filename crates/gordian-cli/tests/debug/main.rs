//! `gordian replay FILE --debug` in real sessions of gdb.

#[cfg(all(target_os = "linux", target_arch = "x86_64", target_env = "gnu"))]
mod native;
mod session;

use session::{ROOT, gdb, replay, texts, with_debugger};
use std::io::Write;
use std::path::Path;
use std::process::Stdio;

const KINDS: &str = include_str!("kinds.rs");

/// The line with this comment, as it is shown for the frame of a function: `(tests/kinds.rs:12)`.
fn line(comment: &str) -> String {
    let found = KINDS.lines().position(|line| line.ends_with(&format!("// {comment}")));
    format!("(tests/kinds.rs:{})", found.unwrap_or_else(|| panic!("no line {comment}")) + 1)
}

#[track_caller]
fn has(answer: &str, part: &str) {
    assert!(answer.contains(part), "{part:?} is not in:\n{answer}");
}

/// The part of `gordian threads` about one thread.
fn thread(threads: &str, name: &str) -> String {
    let is_head = |line: &&str| !line.starts_with("    ");
    let is_its = |line: &&str| line.get(2..).is_some_and(|rest| rest.split(' ').next() == Some(name));
    let mut lines = threads.lines().skip_while(|line| !(is_head(line) && is_its(line)));
    let head = lines.next().unwrap_or_else(|| panic!("no {name} in\n{threads}"));
    let frames: Vec<&str> = lines.take_while(|line| !is_head(line)).collect();
    format!("{head}\n{}", frames.join("\n"))
}

#[test]
fn the_page_shows_what_gdb_says() {
    with_debugger(|| {
        let path = Path::new(ROOT).join("docs/debugger.md");
        let page = std::fs::read_to_string(&path).unwrap();
        let mark = "<!-- session: tickets -->\n```text\n";
        let (before, rest) = page.split_once(mark).expect("a session");
        let (shown, after) = rest.split_once("```\n<!-- end -->").expect("it ends");
        let first = shown.lines().next().unwrap();
        assert!(first.ends_with("/1.trace --debug"), "{first}");
        let commands: Vec<&str> = shown.lines().filter_map(|line| line.strip_prefix("(gdb) ")).collect();
        assert!(commands.len() > 4);
        let answers = gdb("tests::the_last_ticket_is_sold_once", &commands);
        let mut should = format!("{first}\n{}", answers[0]);
        for (command, answer) in commands.iter().zip(&answers[1..]) {
            should += &format!("(gdb) {command}\n{answer}");
        }
        if std::env::var_os("UPDATE_SNAPSHOTS").is_some() {
            std::fs::write(&path, format!("{before}{mark}{should}```\n<!-- end -->{after}")).unwrap();
        }
        assert_eq!(shown, should, "the page is out of date: run once with UPDATE_SNAPSHOTS=1");
    });
}

#[test]
fn it_goes_to_any_step_and_back() {
    with_debugger(|| {
        let answers =
            gdb("three_add", &["gordian step 1", "gordian step", "gordian step 4", "gordian step 2"]);
        let [last, first, second, fourth, second_again] = &answers[..] else { panic!("{answers:?}") };
        has(last, "before step 5 of 5: main: load count");
        has(first, "before step 1 of 5: ");
        has(second, "before step 2 of 5: ");
        has(fourth, "before step 4 of 5: ");
        assert_eq!(second, second_again);
        // The line of the user's code is shown, whatever lies between.
        has(first, "let seen = count.load(SeqCst); // add reads");
        has(first, &format!("kinds::add {}", line("add reads")));
        has(fourth, "count.store(seen + 1, SeqCst); // add writes");
    });
}

#[test]
fn every_thread_is_listed_with_its_own_stack_and_what_it_does_next() {
    with_debugger(|| {
        let answers =
            gdb("three_add", &["gordian step 2", "gordian threads", "gordian end", "gordian threads"]);
        let threads = &answers[2];
        let main = thread(threads, "main");
        has(&main, "waits for main.1 to end");
        has(&main, &format!("kinds::three_add::three_add::{{closure#1}} {}", line("main joins")));
        // One has read and is about to write, the other is about to read.
        let [one, other] = ["main.1", "main.2"].map(|name| thread(threads, name));
        let (writes, reads) = if one.contains("store count") { (one, other) } else { (other, one) };
        has(&writes, "store count");
        has(&writes, &format!("kinds::add {}", line("add writes")));
        has(&reads, "load count");
        has(&reads, &format!("kinds::add {}", line("add reads")));
        for stack in [writes, reads] {
            has(&stack, &line("in a thread"));
        }
        has(&answers[3], "the failure, after 5 steps: main panicked: 1");
        has(&answers[3], "// main panics");
        let main = thread(&answers[4], "main");
        has(&main, "fails here");
        has(&main, &line("main panics"));
        has(&thread(&answers[4], "main.1"), "has ended");
    });
}

#[test]
fn another_thread_can_be_looked_at_and_the_first_again() {
    with_debugger(|| {
        let commands = [
            "gordian thread main.1",
            "info symbol $pc",
            "gordian thread main",
            "bt -frame-info short-location",
            "gordian steps",
        ];
        let answers = gdb("deadlock", &commands);
        has(&answers[1], "main.1: lock locks.1");
        has(&answers[1], "kinds::deadlock::deadlock::{closure#0}");
        has(&answers[3], &format!("kinds::deadlock::deadlock {}", line("main waits")));
        has(&answers[4], "kinds::deadlock::deadlock");
        has(&answers[5], "lock locks.0");
    });
}

#[test]
fn the_threads_of_a_deadlock_are_where_they_wait() {
    with_debugger(|| {
        let answers = gdb("deadlock", &["gordian end", "gordian threads"]);
        has(&answers[1], "deadlock: main -> main.1 -> main wait for each other");
        has(&answers[1], "// main waits");
        let main = thread(&answers[2], "main");
        has(&main, "lock locks.1: blocked, held by main.1");
        has(&main, &line("main waits"));
        let other = thread(&answers[2], "main.1");
        has(&other, "lock locks.0: blocked, held by main");
        has(&other, &line("the other waits"));
    });
}

#[test]
fn a_loop_that_waits_for_ever_is_shown_although_the_runtime_steps_for_it() {
    with_debugger(|| {
        let answers = gdb("livelock", &["gordian end", "gordian threads"]);
        has(&answers[1], "livelock: ");
        let other = thread(&answers[2], "main.1");
        has(&other, "load ready for ever");
        has(&other, &line("loops for ever"));
    });
}

#[test]
fn a_data_race_is_shown_where_it_happens() {
    with_debugger(|| {
        let answers = gdb("data_race", &["gordian step 1"]);
        has(&answers[0], "the failure, after 0 steps: data race: ");
        has(&answers[0], "// races");
        assert_eq!(answers[1], "gordian: there is no step 1: the execution has 0 steps\n");
    });
}

#[test]
fn a_late_step_is_reached_without_stopping_before() {
    with_debugger(|| {
        let answers = gdb("late", &["gordian step 1000", "gordian step 1999"]);
        has(&answers[0], "before step 2001 of 2001: main: load count");
        has(&answers[1], "before step 1000 of 2001: main.1: fetch_add count");
        has(&answers[2], "// many times");
    });
}

#[test]
fn what_cannot_be_done_is_said_with_what_can() {
    with_debugger(|| {
        let commands = ["gordian step 9", "gordian leap", "gordian thread nobody", "gordian help"];
        let answers = gdb("deadlock", &commands);
        assert_eq!(answers[1], "gordian: there is no step 9: the execution has 2 steps\n");
        assert_eq!(answers[2], "gordian: there is no command 'leap'; gordian help lists them\n");
        assert_eq!(answers[3], "gordian: there is no thread 'nobody'; there are main, main.1\n");
        has(&answers[4], "gordian threads      the threads under test");
    });
}

#[test]
fn commands_come_from_standard_input_too() {
    with_debugger(|| {
        let mut command = replay("deadlock");
        command.args(["--", "--offline"]).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let said =
            b"gordian step 1\ngordian thread nobody\ngordian threads\ncontinue\ncontinue\ngordian threads\n";
        child.stdin.take().unwrap().write_all(said).unwrap();
        let output = child.wait_with_output().unwrap();
        let (out, err) = texts(&output);
        assert!(output.status.success(), "{out}{err}");
        has(&out, "before step 1 of 2: main: lock locks.0");
        has(&out, "* main ");
        // Going on by gdb's own command ends at the failure.
        has(&out, "the failure, after 2 steps: deadlock");
        has(&err, "the same failure in the same 2 steps");
        has(&err, "there is no thread 'nobody'");
        has(&err, "the program is not stopped at a step");
    });
}

#[test]
fn without_gdb_it_says_which_package_has_it() {
    let file = Path::new(ROOT).join("README.md");
    let output = std::process::Command::new(env!("CARGO_BIN_EXE_gordian"))
        .arg("replay")
        .arg(file)
        .arg("--debug")
        .env("PATH", env!("CARGO_TARGET_TMPDIR"))
        .output()
        .unwrap();
    let (_, err) = texts(&output);
    assert_eq!(output.status.code(), Some(2));
    has(&err, "gdb is not there: install the package gdb (apt-get install gdb)");
}
