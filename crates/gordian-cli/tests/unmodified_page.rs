//! The page on unmodified Rust, from an empty folder: its commands are typed as they stand, its code is put where it says, and what it shows
//! is what is printed, but for times.
#![cfg(all(target_os = "linux", target_arch = "x86_64", target_env = "gnu"))]

use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};
use std::process::Command;

const ROOT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");

/// Types a command, and gives what is printed.
fn types(line: &str, folder: &Path) -> String {
    let commands = Path::new(env!("CARGO_BIN_EXE_gordian")).parent().unwrap().to_owned();
    let cargo = Path::new(env!("CARGO")).parent().unwrap().to_owned();
    let before = std::env::var_os("PATH").unwrap_or_default();
    let path = std::env::join_paths([commands, cargo].into_iter().chain(std::env::split_paths(&before)));
    let mut command = Command::new("sh");
    command.args(["-c", &format!("{line} 2>&1")]).current_dir(folder).env("PATH", path.unwrap());
    // Nothing of the one who runs this test.
    for (variable, _) in std::env::vars_os() {
        let name = variable.to_string_lossy();
        let foreign = ["CARGO_", "GORDIAN_", "RUST_"].iter().any(|prefix| name.starts_with(prefix));
        if (foreign && name != "CARGO_HOME") || name == "CARGO" {
            command.env_remove(&variable);
        }
    }
    command.env("CARGO_NET_OFFLINE", "true").env("COLUMNS", "80").env("TERM", "dumb").env("LC_ALL", "C");
    String::from_utf8_lossy(&command.output().expect("a shell").stdout).into_owned()
}

/// The line without what is another in every run: times.
fn lasting(line: &str) -> String {
    let time = |word: &str| {
        let word = word.trim_matches(|c: char| !c.is_alphanumeric());
        word.starts_with(|c: char| c.is_ascii_digit()) && word.ends_with('s')
    };
    line.split_whitespace().map(|word| if time(word) { "#" } else { word }).collect::<Vec<_>>().join(" ")
}

/// Another body for the function that has the same first line.
fn mended(code: &str, function: &str) -> String {
    let first = function.lines().next().expect("a function");
    let start = code.find(first).unwrap_or_else(|| panic!("there is no {first}"));
    let end = start + code[start..].find("\n    }\n").expect("it ends") + "\n    }\n".len();
    format!("{}{function}{}", &code[..start], &code[end..])
}

#[test]
fn the_page_is_what_happens() {
    if let Err(error) = Command::new("cc").arg("--version").output() {
        assert!(std::env::var_os("CI").is_none(), "there is no C compiler: {error}");
        eprintln!("skipped: there is no C compiler, so nothing can be linked: {error}");
        return;
    }
    // Not below this workspace, where cargo would take a new crate for a part of it.
    let mut hasher = DefaultHasher::new();
    ROOT.hash(&mut hasher);
    let mut folder: PathBuf = std::env::temp_dir().join(format!("gordian-unmodified-{:x}", hasher.finish()));
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).unwrap();
    let all = folder.clone();
    let page = std::fs::read_to_string(Path::new(ROOT).join("docs/unmodified-rust.md")).expect("the page");
    let mut compared = 0;
    let mut blocks = page.split("\n```").skip(1);
    while let (Some(block), Some(_)) = (blocks.next(), blocks.next()) {
        let (kind, text) = block.split_once('\n').expect("a first line");
        let code = folder.join("src/lib.rs");
        match kind {
            "rust" if text.contains("#[cfg(test)]") => std::fs::write(code, format!("{text}\n")).unwrap(),
            "rust" => {
                let mended = mended(&std::fs::read_to_string(&code).unwrap(), &format!("{text}\n"));
                std::fs::write(code, mended).unwrap();
            }
            "text" => {
                let mut said = String::new();
                for line in text.lines() {
                    if let Some(line) = line.strip_prefix("$ ") {
                        said = types(line, &folder);
                        if let Some(into) = line.strip_prefix("cd ") {
                            folder.push(into);
                        }
                    } else if line != "..." {
                        let is_said = said.lines().any(|said| lasting(said) == lasting(line));
                        assert!(is_said, "{line:?} is not in:\n{said}");
                        compared += 1;
                    }
                }
            }
            _ => {}
        }
    }
    assert!(compared > 20, "only {compared} lines");
    std::fs::remove_dir_all(all).unwrap();
}
