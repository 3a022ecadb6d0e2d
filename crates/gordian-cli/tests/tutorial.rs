//! The tutorial, from an empty directory: its commands are typed as they stand, its code is put where it says, and what it shows is
//! what is printed, but for times.

use std::collections::hash_map::DefaultHasher;
use std::hash::{Hash, Hasher};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

const ROOT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");

/// A person with a terminal.
struct Newcomer {
    folder: PathBuf,
    /// `cargo` and the installed commands.
    path: std::ffi::OsString,
}

impl Newcomer {
    /// Starts in an empty directory, with Gordian in a folder beside.
    fn new() -> Newcomer {
        // Not below this workspace, where cargo would take a new crate for a part of it. The name is the same in the next run, so
        // that what was built for this one can be used again.
        let mut hasher = DefaultHasher::new();
        ROOT.hash(&mut hasher);
        let all = std::env::temp_dir().join(format!("gordian-tutorial-{:x}", hasher.finish()));
        let folder = all.join("work");
        let _ = std::fs::remove_dir_all(&folder);
        std::fs::create_dir_all(&folder).unwrap();
        link(&Path::new(ROOT).canonicalize().unwrap(), &folder.join("gordian"));
        let commands = Path::new(env!("CARGO_BIN_EXE_gordian")).parent().unwrap().to_owned();
        let cargo = Path::new(env!("CARGO")).parent().unwrap().to_owned();
        let before = std::env::var_os("PATH").unwrap_or_default();
        let path = std::env::join_paths([commands, cargo].into_iter().chain(std::env::split_paths(&before)))
            .unwrap();
        Newcomer { folder, path }
    }

    /// Types a command, and gives what is printed.
    fn types(&mut self, line: &str) -> String {
        if let Some(folder) = line.strip_prefix("cd ") {
            self.folder.push(folder);
            // What this person has built before, and the versions that are there without a network.
            let built = self.folder.parent().unwrap().parent().unwrap().join("target");
            std::fs::create_dir_all(&built).unwrap();
            link(&built, &self.folder.join("target"));
            let _ = std::fs::remove_dir_all(built.join("gordian"));
            std::fs::copy(Path::new(ROOT).join("Cargo.lock"), self.folder.join("Cargo.lock")).unwrap();
            return String::new();
        }
        let mut command = Command::new("sh");
        command.args(["-c", &format!("{line} 2>&1")]).current_dir(&self.folder).env("PATH", &self.path);
        // Nothing of the one who runs this test, but a terminal of a common size.
        for (variable, _) in std::env::vars_os() {
            let name = variable.to_string_lossy();
            let foreign = ["CARGO_", "GORDIAN_", "RUST_"].iter().any(|prefix| name.starts_with(prefix));
            if (foreign && name != "CARGO_HOME") || name == "CARGO" {
                command.env_remove(&variable);
            }
        }
        let output = command
            .env("CARGO_NET_OFFLINE", "true")
            .env("COLUMNS", "80")
            .env("TERM", "dumb")
            .env("LC_ALL", "C")
            // Tests are told of in the order in which they end.
            .env("RUST_TEST_THREADS", "1")
            .output()
            .expect("a shell");
        String::from_utf8_lossy(&output.stdout).into_owned()
    }

    fn code(&self) -> String {
        std::fs::read_to_string(self.folder.join("src/lib.rs")).unwrap()
    }

    /// Puts a piece of code where the page says: the whole file at first, then another `sell`, or a test below the first.
    fn writes(&self, piece: &str) {
        let code = match piece {
            _ if piece.starts_with("#[cfg(test)]") => piece.to_owned(),
            _ if piece.contains("fn sell(") => {
                let before = self.code();
                let start = before.find("    /// Sells one ticket").unwrap();
                let end = start + before[start..].find("\n    }\n").unwrap() + "\n    }\n".len();
                format!("{}{piece}{}", &before[..start], &before[end..])
            }
            _ => {
                let before = self.code();
                let end = before.rfind("}\n").unwrap();
                format!("{}\n{piece}{}", &before[..end], &before[end..])
            }
        };
        std::fs::write(self.folder.join("src/lib.rs"), code).unwrap();
    }
}

fn link(to: &Path, at: &Path) {
    std::os::unix::fs::symlink(to, at).unwrap();
}

/// Without times, which are others in every run.
fn without_times(line: &str) -> String {
    let is_time = |word: &str| {
        let word = word.trim_end_matches(')');
        let number = word.trim_end_matches(|c: char| c.is_alphabetic());
        !number.is_empty()
            && number.parse::<f64>().is_ok()
            && ["s", "ms", "µs", "ns"].contains(&&word[number.len()..])
    };
    let words: Vec<&str> =
        line.trim_end().split(' ').map(|word| if is_time(word) { "TIME" } else { word }).collect();
    words.join(" ")
}

/// The lines that the page shows are printed in this order, and where it has no `...` nothing else is.
#[track_caller]
fn shows(command: &str, printed: &str, shown: &[&str]) {
    let all: Vec<String> = printed.lines().map(without_times).collect();
    let wrong = |line: &str| panic!("$ {command}\nthe page shows\n{line}\nbut this is printed:\n{printed}");
    let mut at = 0;
    let mut anything = false;
    for line in shown {
        if *line == "..." {
            anything = true;
            continue;
        }
        let line = without_times(line);
        match all[at..].iter().position(|printed| *printed == line) {
            Some(skipped) if anything || skipped == 0 => at += skipped + 1,
            _ => wrong(&line),
        }
        anything = false;
    }
    if !anything && at < all.len() {
        wrong("(nothing more)");
    }
}

/// The blocks of the page: language and text.
fn blocks(page: &str) -> Vec<(&str, &str)> {
    let inner = page.split("```").skip(1).step_by(2);
    inner.filter_map(|block| block.split_once('\n')).collect()
}

#[cfg(unix)]
#[test]
fn the_tutorial_works_as_it_is_written() {
    let start = Instant::now();
    let page = std::fs::read_to_string(Path::new(ROOT).join("docs/tutorial.md")).unwrap();
    let mut newcomer = Newcomer::new();
    let mut typed = 0;
    for (language, text) in blocks(&page) {
        match language {
            "rust" => newcomer.writes(text),
            "console" => {
                let mut lines = text.lines().peekable();
                while let Some(line) = lines.next() {
                    let command = line.strip_prefix("$ ").expect("a command");
                    let mut shown = Vec::new();
                    while let Some(line) = lines.next_if(|line| !line.starts_with("$ ")) {
                        shown.push(line);
                    }
                    typed += 1;
                    if command.contains("--debug") && !has_gdb() {
                        println!("skipped: {command} (install gdb)");
                        continue;
                    }
                    shows(command, &newcomer.types(command), &shown);
                }
            }
            other => panic!("a block of {other:?}"),
        }
    }
    assert!(typed > 8, "{typed}");
    println!("{typed} commands in {:?}", start.elapsed());
    assert!(start.elapsed() < Duration::from_secs(600), "ten minutes: {:?}", start.elapsed());
    let last = newcomer.code();
    assert!(last.contains("fetch_update") && !last.contains("compare_exchange"), "{last}");
    let code: Vec<&str> = blocks(&page).into_iter().filter(|b| b.0 == "rust").map(|b| b.1).collect();
    the_guide_shows_what_is_said(&mut newcomer, code[0], code[2]);
}

/// The guide shows what `cargo gordian test` says of the first code with both tests.
#[track_caller]
fn the_guide_shows_what_is_said(newcomer: &mut Newcomer, first: &str, second: &str) {
    newcomer.writes(first);
    newcomer.writes(second);
    let printed = newcomer.types("cargo gordian test");
    let printed: Vec<String> = printed.lines().map(without_times).collect();
    let guide = std::fs::read_to_string(Path::new(ROOT).join("docs/guide.md")).unwrap();
    let block = guide.split("```text\n$ cargo gordian test\n").nth(1).expect("a session");
    for line in block.split("```").next().unwrap().lines().filter(|line| !line.is_empty() && *line != "...") {
        let line = without_times(line);
        assert!(printed.contains(&line), "the guide shows\n{line}\nbut this is printed:\n{printed:#?}");
    }
}

/// Where everything is to be checked, it has to be there.
fn has_gdb() -> bool {
    let path = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&path).any(|folder| folder.join("gdb").is_file())
        || std::env::var_os("CI").is_some()
}
