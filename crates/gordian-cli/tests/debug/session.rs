//! A crate with failing tests, and gdb on their saved failures.

use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::OnceLock;

pub const ROOT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");

/// Does the test if there is a debugger. Where everything is to be checked, it has to be there.
pub fn with_debugger(test: impl FnOnce()) {
    let path = std::env::var_os("PATH").unwrap_or_default();
    match std::env::split_paths(&path).any(|folder| folder.join("gdb").is_file()) {
        true if !cfg!(target_arch = "x86_64") => println!("skipped: stacks are read on x86-64 alone"),
        true => test(),
        false if std::env::var_os("CI").is_some() => panic!("no debugger: install gdb"),
        false => println!("skipped: no debugger (install gdb)"),
    }
}

/// The crate. Its tests fail, which saves what they did; all tests here share it, because building it takes a while.
fn crate_() -> &'static Path {
    static CRATE: OnceLock<PathBuf> = OnceLock::new();
    CRATE.get_or_init(|| {
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("debugged");
        let write = |name: &str, text: &str| {
            let path = folder.join(name);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            // Written anew even if it is there: cargo goes by its time, and the folder for what is built is shared with another crate of this name.
            std::fs::write(path, text).unwrap();
        };
        let manifest = format!(
            "[package]\nname = \"tickets\"\nversion = \"0.1.0\"\nedition = \"2024\"\n\n[dev-dependencies]\ngordian = {{ path = \"{}\" }}\n\n[workspace]\n",
            Path::new(ROOT).join("crates/gordian").display()
        );
        write("Cargo.toml", &manifest);
        // The code of the README, as a newcomer has it.
        let page = std::fs::read_to_string(Path::new(ROOT).join("README.md")).unwrap();
        let code: Vec<&str> =
            page.split("```rust\n").skip(1).filter_map(|part| part.split("```").next()).collect();
        write("src/lib.rs", &format!("{}\n{}", code[0], code[1]));
        write("tests/kinds.rs", include_str!("kinds.rs"));
        let lock = Path::new(ROOT).join("Cargo.lock");
        std::fs::copy(lock, folder.join("Cargo.lock")).unwrap();
        let _ = std::fs::remove_dir_all(folder.join("reports"));
        let cargo = ["test", "--offline", "--no-fail-fast"];
        let output = like_a_terminal(Command::new(env!("CARGO")).args(cargo), &folder).output().unwrap();
        let said = String::from_utf8_lossy(&output.stdout);
        assert!(said.contains("replay: GORDIAN_REPLAY="), "{said}{}", String::from_utf8_lossy(&output.stderr));
        folder
    })
}

pub fn like_a_terminal<'a>(command: &'a mut Command, folder: &Path) -> &'a mut Command {
    command
        .current_dir(folder)
        // What the tests of the README build can be used again.
        .env("CARGO_TARGET_DIR", Path::new(env!("CARGO_TARGET_TMPDIR")).join("newcomer-target"))
        .env("GORDIAN_REPORT", folder.join("reports"))
        .env("COLUMNS", "80")
        .env("LC_ALL", "C")
        .env("TERM", "dumb")
        // A person's own settings of gdb do not count.
        .env("XDG_CONFIG_HOME", folder)
        .env_remove("RUST_BACKTRACE")
}

/// `gordian replay --debug` on the saved failure of a test.
pub fn replay(test: &str) -> Command {
    let file = crate_().join(format!("reports/{test}/1.trace"));
    let mut command = Command::new(env!("CARGO_BIN_EXE_gordian"));
    command.arg("replay").arg(file).arg("--debug");
    like_a_terminal(&mut command, crate_());
    command
}

/// What was printed.
pub fn texts(output: &Output) -> (String, String) {
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (text(&output.stdout), text(&output.stderr))
}

/// What gdb says at the start, and then to each of the commands; what the test program prints is left out.
pub fn gdb(test: &str, commands: &[&str]) -> Vec<String> {
    answers(replay(test), crate_(), commands, &["--", "--offline"])
}

/// The same for a command that starts gdb, with a folder for files and what the command ends with.
pub fn answers(mut command: Command, folder: &Path, commands: &[&str], last: &[&str]) -> Vec<String> {
    const END: &str = "@@ that was it @@";
    command.arg("--batch");
    let all = std::iter::once("").chain(commands.iter().copied());
    for said in all {
        if !said.is_empty() {
            // An error is an answer, too, and not the end of it.
            let caught = format!(
                "python\ntry:\n  gdb.execute({said:?})\nexcept gdb.error as error:\n  print(error)\nend"
            );
            let file = folder.join(format!("said-{:x}.gdb", hash(&caught)));
            std::fs::write(&file, caught).unwrap();
            command.args(["--command", &format!("source {}", file.display())]);
        }
        command.args(["--command", &format!("echo {END}\\n")]);
    }
    let output = command.args(last).stdin(Stdio::null()).output().unwrap();
    let (out, err) = texts(&output);
    assert!(output.status.success(), "{out}{err}");
    let mut answers: Vec<String> = out.split(&format!("{END}\n")).map(without_the_test).collect();
    answers.pop();
    assert_eq!(answers.len(), commands.len() + 1, "{out}{err}");
    answers
}

fn hash(text: &str) -> u64 {
    use std::hash::{DefaultHasher, Hash, Hasher};
    let mut hasher = DefaultHasher::new();
    text.hash(&mut hasher);
    hasher.finish()
}

fn without_the_test(said: &str) -> String {
    let lines = said.lines().filter(|line| !line.is_empty() && *line != "running 1 test");
    lines.map(|line| format!("{line}\n")).collect()
}
