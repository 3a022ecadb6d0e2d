//! Lets cargo build the tests, and takes from what it says which programs they are in.

use serde_json::Value;
use std::ffi::OsString;
use std::io::{BufRead, BufReader, IsTerminal};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// A program that cargo has built.
#[derive(Debug, Default)]
pub(crate) struct Program {
    pub(crate) executable: PathBuf,
    pub(crate) package: String,
    pub(crate) version: String,
    pub(crate) manifest: PathBuf,
    /// The target in the package, and its kind as cargo names it.
    pub(crate) target: String,
    pub(crate) kind: String,
    /// What people know it by: the package, and the target unless it is the library.
    pub(crate) label: String,
    /// Was it built to be tested?
    pub(crate) is_test: bool,
    /// The library's documentation may have tests too, which are not in here.
    pub(crate) has_documentation: bool,
}

impl Program {
    /// The folder of the package.
    pub(crate) fn folder(&self) -> &Path {
        self.manifest.parent().unwrap_or(Path::new("."))
    }

    /// A command that runs it as cargo would.
    pub(crate) fn command(&self) -> Command {
        self.command_for(&self.executable)
    }

    /// A command that runs something else in its place.
    pub(crate) fn command_for(&self, executable: &Path) -> Command {
        let mut command = Command::new(executable);
        command
            .current_dir(self.folder())
            .env("CARGO_MANIFEST_DIR", self.folder())
            .env("CARGO_MANIFEST_PATH", &self.manifest)
            .env("CARGO_PKG_NAME", &self.package)
            .env("CARGO_PKG_VERSION", &self.version)
            .stdin(Stdio::null());
        let variable = match () {
            () if cfg!(windows) => "PATH",
            () if cfg!(target_os = "macos") => "DYLD_FALLBACK_LIBRARY_PATH",
            () => "LD_LIBRARY_PATH",
        };
        // Dynamic libraries of the workspace are beside the program, or a folder above it. Those of the compiler are needed by its parts.
        let compiler = Some(&self.kind).filter(|&kind| kind == "proc-macro").and_then(|_| libraries());
        let beside = self.executable.ancestors().skip(1).take(2).map(Path::to_owned).chain(compiler);
        let before = std::env::var_os(variable).unwrap_or_default();
        let paths = beside.chain(std::env::split_paths(&before).filter(|path| !path.as_os_str().is_empty()));
        if let Ok(paths) = std::env::join_paths(paths) {
            command.env(variable, paths);
        }
        command
    }

    /// From what cargo says about something it has built; nothing if it cannot be run.
    fn from_message(line: &str) -> Option<Program> {
        let message: Value = serde_json::from_str(line).ok()?;
        if message["reason"] != "compiler-artifact" {
            return None;
        }
        let is_test = message["profile"]["test"] == true;
        let executable = PathBuf::from(message["executable"].as_str()?);
        let manifest = PathBuf::from(message["manifest_path"].as_str()?);
        let (package, version) = package(message["package_id"].as_str()?);
        let target = message["target"]["name"].as_str()?.to_owned();
        let kind = message["target"]["kind"][0].as_str()?.to_owned();
        let has_documentation = message["target"]["doctest"] == true;
        let label = match &*kind {
            "bin" => format!("{package}::bin/{target}"),
            "test" => format!("{package}::{target}"),
            "example" => format!("{package}::example/{target}"),
            "bench" => format!("{package}::bench/{target}"),
            _ => package.clone(),
        };
        Some(Program {
            executable,
            package,
            version,
            manifest,
            target,
            kind,
            label,
            is_test,
            has_documentation,
        })
    }
}

/// Where the compiler has its libraries.
fn libraries() -> Option<PathBuf> {
    let compiler = std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
    let output = Command::new(compiler).arg("--print=target-libdir").output().ok()?;
    Some(PathBuf::from(String::from_utf8(output.stdout).ok()?.trim()))
}

/// Name and version out of a package id: `path+file:///a/name#0.1.0` or `path+file:///a/b#name@0.1.0`.
fn package(id: &str) -> (String, String) {
    let (place, fragment) = id.rsplit_once('#').unwrap_or((id, ""));
    let (name, version) = fragment.split_once('@').unwrap_or_else(|| {
        let place = place.split('?').next().unwrap_or(place);
        (place.rsplit('/').next().unwrap_or_default(), fragment)
    });
    (name.to_owned(), version.to_owned())
}

/// The cargo that this was started by, or the one that is there.
pub(crate) fn cargo() -> Command {
    Command::new(std::env::var_os("CARGO").unwrap_or_else(|| OsString::from("cargo")))
}

/// Builds the tests with a cargo that is told to test. Errors of the build are shown by cargo.
pub(crate) fn build(mut cargo: Command, arguments: &[String]) -> Result<Vec<Program>, String> {
    if arguments.iter().any(|argument| argument == "--") {
        return Err(
            "what follows -- is for cargo test, and a second -- would be for the test programs, which take nothing here; a \
             FILTER goes before the first, as in cargo gordian test FILTER -- --release"
                .to_owned(),
        );
    }
    cargo.arg("--no-run");
    let programs = run(cargo, arguments, "the tests could not be built: cargo test --no-run")?;
    Ok(programs.into_iter().filter(|program| program.is_test).collect())
}

/// Builds programs with a cargo that is told to build.
pub(crate) fn build_programs(cargo: Command, arguments: &[String]) -> Result<Vec<Program>, String> {
    let programs = run(cargo, arguments, "the program could not be built: cargo build")?;
    Ok(programs.into_iter().filter(|program| !program.is_test).collect())
}

fn run(mut cargo: Command, arguments: &[String], failed: &str) -> Result<Vec<Program>, String> {
    cargo.arg("--message-format=json-render-diagnostics");
    // Progress is for people who watch; errors and warnings are shown anyway.
    let said = |argument: &String| ["-q", "--quiet", "-v", "-vv", "--verbose"].contains(&argument.as_str());
    if !std::io::stderr().is_terminal() && !arguments.iter().any(said) {
        cargo.arg("--quiet");
    }
    let mut child = cargo
        .args(arguments)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .spawn()
        .map_err(|error| format!("cannot start {}: {error}", cargo.get_program().display()))?;
    let lines = BufReader::new(child.stdout.take().expect("piped")).lines();
    let mut programs: Vec<Program> =
        lines.map_while(Result::ok).filter_map(|line| Program::from_message(&line)).collect();
    let status = child.wait().map_err(|error| format!("cannot wait for cargo: {error}"))?;
    match status.success() {
        true => {
            // Cargo tells of them in the order in which they happen to be ready.
            programs.sort_by(|a, b| a.label.cmp(&b.label));
            Ok(programs)
        }
        false => Err(format!("{failed} ended with {status}")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_package_id_has_a_name_and_a_version() {
        for (id, name) in [
            ("path+file:///home/me/tickets#0.1.0", "tickets"),
            ("path+file:///home/me/elsewhere#tickets@0.1.0", "tickets"),
            ("git+https://example.org/tickets?branch=main#0.1.0", "tickets"),
        ] {
            assert_eq!(package(id), (name.to_owned(), "0.1.0".to_owned()), "{id}");
        }
    }

    #[test]
    fn what_holds_tests_is_told_from_other_programs() {
        let message = |test: bool, kind: &str| {
            serde_json::json!({
                "reason": "compiler-artifact", "package_id": "path+file:///w/p#0.1.0", "manifest_path": "/w/p/Cargo.toml",
                "target": { "name": "sells", "kind": [kind] }, "profile": { "test": test }, "executable": "/t/sells-1",
            })
            .to_string()
        };
        let label = |line: &str| Program::from_message(line).map(|program| program.label);
        assert_eq!(label(&message(true, "lib")).as_deref(), Some("p"));
        assert_eq!(label(&message(true, "test")).as_deref(), Some("p::sells"));
        assert_eq!(label(&message(true, "bin")).as_deref(), Some("p::bin/sells"));
        let is_test = |test| Program::from_message(&message(test, "bin")).unwrap().is_test;
        assert_eq!((is_test(true), is_test(false)), (true, false));
        assert_eq!(label("Compiling"), None);
    }
}
