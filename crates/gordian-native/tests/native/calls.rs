//! The calls that are taken over, as the book lists them: made from the source of the runtime. `UPDATE_SNAPSHOTS=1` writes the list.

use crate::compile::compiled;
use crate::search;
use std::collections::BTreeMap;
use std::path::Path;

/// The functions that a file of the runtime defines for programs.
fn defined(source: &str) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    let mut in_table = false;
    for line in source.lines() {
        let line = line.trim();
        let word = |text: &str| {
            let end = text.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(text.len());
            text[..end].to_owned()
        };
        // `name, 2 => implementation`, in an entry of its own.
        if let Some((name, rest)) = line.split_once(", ")
            && rest.contains(" => ")
            && rest.starts_with(|c: char| c.is_ascii_digit())
            && word(name) == name
        {
            names.push(name.to_owned());
        }
        // `name, c"name", ...;` in a table.
        in_table = match line {
            "plain! {" | "refuse! {" | "spawn! {" | "variadic! {" | "opens! {" | "opens_at! {"
            | "streams! {" => true,
            "}" => false,
            _ => in_table,
        };
        if in_table && line.contains(", c\"") {
            names.push(word(line));
        }
        if let Some(rest) =
            line.strip_prefix("pub unsafe extern \"C\" fn ").filter(|rest| !rest.starts_with('$'))
        {
            names.push(word(rest));
        }
    }
    names.sort();
    names.dedup();
    names
}

fn lists() -> String {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../gordian-runtime/src/linux");
    let mut files: BTreeMap<&str, Vec<String>> = BTreeMap::new();
    let of = |file: &str| {
        defined(&std::fs::read_to_string(folder.join(file)).expect("the runtime is beside this package"))
    };
    let mut out = String::from("| | taken over |\n|---|---|\n");
    for (file, what) in [
        ("thread.rs", "threads"),
        ("cancel.rs", "cancelling threads"),
        ("mutex.rs", "mutexes and spin locks"),
        ("rwlock.rs", "readers-writer locks"),
        ("condvar.rs", "condition variables"),
        ("barrier.rs", "barriers"),
        ("semaphore.rs", "semaphores"),
        ("once.rs", "one-time initialisation"),
        ("futex.rs", "futexes: wait, wake, bitsets, requeue"),
        ("c11.rs", "the threads of C11"),
        ("time.rs", "time"),
        ("random.rs", "random numbers"),
        ("end.rs", "the end"),
        ("start.rs", "processors"),
        ("sigwait.rs", "waiting for signals"),
        ("masks.rs", "blocking signals"),
        ("identity.rs", "numbers of processes and threads, and files of random numbers"),
        ("blocks.rs", "the heap, in programs with hooks"),
    ] {
        let names = of(file);
        assert!(!names.is_empty(), "{file}");
        let names: Vec<String> = names.iter().map(|name| format!("`{name}`")).collect();
        out += &format!("| {what} | {} |\n", names.join(", "));
        files.insert(file, names);
    }
    let refused = of("refused.rs");
    let refused: Vec<String> = refused.iter().map(|name| format!("`{name}`")).collect();
    out += &format!("\nRefused: {}.\n", refused.join(", "));
    out
}

#[test]
fn the_book_lists_the_calls_that_are_taken_over() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/native.md");
    let page = std::fs::read_to_string(&path).expect("the book is in the repository");
    let (start, end) = ("<!-- calls -->\n", "<!-- end of calls -->");
    let (before, rest) = page.split_once(start).expect("a place for the list");
    let (_, after) = rest.split_once(end).expect("the end of it");
    let new = format!("{before}{start}\n{}\n{end}{after}", lists());
    if std::env::var_os("UPDATE_SNAPSHOTS").is_some() {
        std::fs::write(&path, new).expect("writable");
    } else {
        assert!(
            page == new,
            "docs/native.md does not list what the runtime takes over; UPDATE_SNAPSHOTS=1 rewrites it"
        );
    }
}

#[test]
fn a_process_is_the_same_in_every_execution() {
    let Some(program) = compiled("identity.c", &[]) else { return };
    let found = search(&program, &[], "exhaustive");
    let failure = found.failure.as_ref().map(|(failure, _)| &failure.message);
    assert_eq!((failure, found.complete), (None, true), "{}", found.guarantee);
    assert!(found.executions > 1);
}
