//! What is around a check that is a test: the package, where failures are saved, and the one that is to be repeated.

use crate::report::Failure;
use crate::settings;
use gordian_model::{FailureKind, FileError, Recording};
use std::fs::OpenOptions;
use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};

/// The package that a check belongs to.
#[derive(Clone, Debug)]
pub(crate) struct Surroundings {
    pub(crate) package: PathBuf,
    /// Are failures saved?
    pub(crate) saves: bool,
}

/// A saved execution that is to be repeated, and the path it is known by.
pub(crate) struct Replay {
    pub(crate) recording: Recording,
    pub(crate) shown: PathBuf,
    /// It is to be said what the failure needs.
    pub(crate) explains: bool,
    /// A debugger is to stop it before this step.
    pub(crate) stop_at: Option<u64>,
}

impl Surroundings {
    /// `built` is the folder of the package when it was built.
    pub(crate) fn new(built: Option<&str>) -> Surroundings {
        let run = std::env::var_os("CARGO_MANIFEST_DIR").map(PathBuf::from);
        let built = built.map(PathBuf::from).filter(|folder| folder.is_dir());
        let package = run.or(built).or_else(|| std::env::current_dir().ok()).unwrap_or_default();
        Surroundings { package, saves: true }
    }

    pub(crate) fn load(&self, path: &Path) -> Result<Replay, FileError> {
        let found = settings::find_trace(path, &self.package);
        let recording = Recording::load(&found)?;
        Ok(Replay { recording, shown: path.to_owned(), explains: false, stop_at: None })
    }

    /// Saves a failing execution and adds the line that repeats it.
    pub(crate) fn save(&self, failure: &mut Failure, folder: Option<&Path>) {
        if !self.saves || matches!(failure.kind(), FailureKind::Misuse | FailureKind::NotCovered) {
            return;
        }
        let name = failure.plan().program.clone();
        let folder = folder.map_or_else(|| settings::trace_folder(&self.package), Path::to_owned);
        let folder = folder.join(file_name(&name));
        match write(&failure.recording(), &folder) {
            Ok(path) => {
                let shown = settings::shown(&path, &self.package);
                let line = format!(
                    "saved: {} (gordian report shows it again)\nreplay: GORDIAN_REPLAY={} {}",
                    shown.display(),
                    quoted(&shown.to_string_lossy()),
                    self.command(&name)
                );
                failure.set_saved(Some(path), line);
            }
            Err(error) => {
                let remark = format!(
                    "the trace could not be saved under {}: {error}; choose another folder with GORDIAN_REPORT",
                    folder.display()
                );
                failure.set_saved(None, remark);
            }
        }
    }

    /// The command that runs this test, and only this, again.
    fn command(&self, name: &str) -> String {
        let program = std::env::current_exe().unwrap_or_default();
        let stem = program.file_stem().unwrap_or_default().to_string_lossy();
        let place = program.parent().and_then(Path::file_name).unwrap_or_default().to_string_lossy();
        // In a workspace the name of the package makes the line work in every folder of it.
        let package = match std::env::var("CARGO_PKG_NAME") {
            Ok(package) if !self.package.join("Cargo.lock").exists() => format!(" -p {package}"),
            _ => String::new(),
        };
        match (&*place, name) {
            ("examples", "") => format!("cargo run{package} --example {stem}"),
            ("debug" | "release", "") => format!("cargo run{package} --bin {stem}"),
            (_, "") => format!("cargo test{package}"),
            _ => format!("cargo test{package} {name} -- --exact"),
        }
    }
}

/// The name of a test as the name of a folder.
pub(crate) fn file_name(test: &str) -> String {
    let allowed = |c: char| c.is_alphanumeric() || "_-. ".contains(c) || (c == ':' && cfg!(unix));
    match test {
        "" => "unnamed".to_owned(),
        _ => test.chars().map(|c| if allowed(c) { c } else { '-' }).collect(),
    }
}

/// Writes to the first number that is free, or that holds the same execution already: a test that is run again and fails in
/// the same way has one file.
pub(crate) fn write(recording: &Recording, folder: &Path) -> std::io::Result<PathBuf> {
    std::fs::create_dir_all(folder)?;
    let bytes = recording.to_bytes();
    for n in 1u32.. {
        let path = folder.join(format!("{n}.trace"));
        match OpenOptions::new().write(true).create_new(true).open(&path) {
            Ok(mut file) => return file.write_all(&bytes).map(|()| path),
            Err(error) if error.kind() == ErrorKind::AlreadyExists => {
                // How much was tried may differ, where time was the limit.
                if Recording::load(&path).is_ok_and(|old| is_same(&old, recording)) {
                    return std::fs::write(&path, bytes).map(|()| path);
                }
            }
            Err(error) => return Err(error),
        }
    }
    Err(ErrorKind::AlreadyExists.into())
}

/// Are they of the same execution, with the same end?
fn is_same(a: &Recording, b: &Recording) -> bool {
    let failure = |r: &Recording| r.trace.as_ref().and_then(|t| t.failure().cloned());
    a.plan.program == b.plan.program && a.plan.prefix == b.plan.prefix && failure(a) == failure(b)
}

/// The text as one word of a shell.
pub(crate) fn quoted(text: &str) -> String {
    let plain = text.chars().all(|c| c.is_ascii_alphanumeric() || "_-./:+@%,=".contains(c));
    if plain { text.to_owned() } else { format!("'{}'", text.replace('\'', "'\\''")) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use gordian_model::Plan;

    #[test]
    fn the_same_failure_is_saved_once_and_another_gets_the_next_number() {
        let folder = std::env::temp_dir().join(format!("gordian-save-{}", std::process::id()));
        let _ = std::fs::remove_dir_all(&folder);
        let name = |path: PathBuf| path.file_name().unwrap().to_string_lossy().into_owned();
        let one = Recording::of(Plan { program: "one".to_owned(), ..Plan::default() });
        let two = Recording::of(Plan { program: "two".to_owned(), ..Plan::default() });
        let later = Recording { text: "as it looks now".to_owned(), ..one.clone() };
        assert_eq!(name(write(&one, &folder).unwrap()), "1.trace");
        assert_eq!(name(write(&two, &folder).unwrap()), "2.trace");
        let path = write(&later, &folder).unwrap();
        assert_eq!(Recording::load(&path).unwrap().text, later.text);
        assert_eq!(name(path), "1.trace");
        std::fs::remove_dir_all(&folder).unwrap();
    }

    #[test]
    fn a_path_with_spaces_is_quoted_for_the_shell() {
        assert_eq!(quoted("target/gordian/a::b/1.trace"), "target/gordian/a::b/1.trace");
        assert_eq!(quoted("my target/it's"), "'my target/it'\\''s'");
    }
}
