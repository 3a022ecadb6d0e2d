//! The session of the README, from an empty directory: the code on the page is compiled and run, and what the page shows is what it
//! prints, but for times and numbers of OS threads.

use std::path::{Path, PathBuf};
use std::process::Command;

const ROOT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");

/// The blocks of code on the page, in order.
fn blocks(page: &str, language: &str) -> Vec<String> {
    let fence = format!("```{language}\n");
    let parts = page.split(&fence).skip(1);
    parts.map(|part| part.split("```").next().unwrap_or_default().to_owned()).collect()
}

struct Session {
    crate_: PathBuf,
    target: PathBuf,
}

impl Session {
    /// What the command prints, and whether it succeeds.
    fn cargo(&self, arguments: &[&str], environment: &[(&str, &str)]) -> (String, bool) {
        let output = Command::new(env!("CARGO"))
            .args(arguments)
            .current_dir(&self.crate_)
            .env("CARGO_TARGET_DIR", &self.target)
            .env("NO_COLOR", "1")
            .env("COLUMNS", "80")
            .env("LC_ALL", "C")
            .env_remove("GORDIAN_REPLAY")
            .env_remove("RUST_BACKTRACE")
            .envs(environment.iter().copied())
            .output()
            .unwrap();
        let text = [output.stdout, output.stderr].map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
        (text.concat(), output.status.success())
    }

    fn write(&self, code: &str) {
        std::fs::write(self.crate_.join("src/lib.rs"), code).unwrap();
    }
}

/// The lines of the page that are the same in every run.
fn lasting(block: &str) -> impl Iterator<Item = &str> {
    let varies = |line: &str| {
        line.is_empty()
            || line.starts_with('$')
            || line.starts_with("...")
            || line.starts_with("thread '")
            || line.contains("µs")
            || line.contains("ms)")
            || line.contains("target/gordian")
    };
    block.lines().filter(move |line| !varies(line))
}

#[track_caller]
fn shows(printed: &str, block: &str) {
    let mut looked = 0;
    for line in lasting(block) {
        looked += 1;
        assert!(printed.contains(line.trim_end()), "the page shows\n{line}\nbut this is printed:\n{printed}");
    }
    assert!(looked > 0, "nothing to compare in\n{block}");
}

#[test]
fn the_session_of_the_readme_works_as_it_is_written() {
    let page = std::fs::read_to_string(Path::new(ROOT).join("README.md")).unwrap();
    let (code, shown) = (blocks(&page, "rust"), blocks(&page, "text"));
    let [before, test, fix] = &code[..3] else { panic!("the code, its test and the fix") };
    let session = Session {
        crate_: Path::new(env!("CARGO_TARGET_TMPDIR")).join("newcomer"),
        target: Path::new(env!("CARGO_TARGET_TMPDIR")).join("newcomer-target"),
    };
    let _ = std::fs::remove_dir_all(&session.crate_);
    std::fs::create_dir_all(session.crate_.join("src")).unwrap();
    let manifest = format!(
        "[package]\nname = \"tickets\"\nversion = \"0.1.0\"\nedition = \"2024\"\n\n[dev-dependencies]\ngordian = {{ path = \"{}\" }}\n\n[workspace]\n",
        env!("CARGO_MANIFEST_DIR")
    );
    std::fs::write(session.crate_.join("Cargo.toml"), manifest).unwrap();
    // The versions that this workspace was built with are there without a network.
    std::fs::copy(Path::new(ROOT).join("Cargo.lock"), session.crate_.join("Cargo.lock")).unwrap();

    session.write(&format!("{before}\n{test}"));
    let (printed, passed) = session.cargo(&["test", "--offline"], &[]);
    assert!(!passed, "the bug is found:\n{printed}");
    shows(&printed, &shown[0]);

    let name = "tests::the_last_ticket_is_sold_once";
    // Cargo was told of another place for what it builds, which is where failures are saved too.
    let saved = printed.lines().find_map(|line| line.trim().strip_prefix("replay: GORDIAN_REPLAY=")).unwrap();
    let saved = saved.split(' ').next().unwrap();
    let (printed, passed) =
        session.cargo(&["test", "--offline", name, "--", "--exact"], &[("GORDIAN_REPLAY", saved)]);
    assert!(!passed, "the replay fails again:\n{printed}");
    shows(&printed, &shown[1]);
    assert!(printed.contains("the same failure in the same 4 steps"), "{printed}");

    let start = before.find("    /// Sells one ticket").unwrap();
    let fixed = format!("{}{fix}}}\n\n{test}", &before[..start]);
    session.write(&fixed);
    let (printed, passed) = session.cargo(&["test", "--offline", "--", "--show-output"], &[]);
    assert!(passed, "{printed}");
    shows(&printed, &shown[2]);
}
