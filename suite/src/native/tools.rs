//! The commands that programs are built and searched with.

use super::{Language, Program, folder};
use gordian_native::hooks::{Library, rustc};
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

/// The commands of Gordian, built from this repository, and where programs are built.
pub struct Tools {
    /// `gordian`
    pub gordian: PathBuf,
    /// `cargo-gordian`
    pub cargo_gordian: PathBuf,
    library: Library,
    out: PathBuf,
}

/// How a search is called.
pub struct Call {
    /// The command with what chooses the program; settings are to follow, and then [`after`](Call::after).
    pub command: Command,
    /// What comes after the settings.
    pub after: Vec<PathBuf>,
}

impl Tools {
    /// Builds the commands with the profile of this program.
    pub fn build() -> Result<Tools, String> {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
        let mut cargo = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
        cargo.current_dir(&root).args(["build", "--quiet", "-p", "gordian-cli", "--bins"]);
        cargo.arg("--message-format=json-render-diagnostics").stderr(Stdio::inherit());
        if !cfg!(debug_assertions) {
            cargo.arg("--release");
        }
        let output = output(&mut cargo)?;
        if !output.status.success() {
            return Err(format!("gordian could not be built ({})", output.status));
        }
        let text = String::from_utf8_lossy(&output.stdout);
        let built: Vec<PathBuf> = text
            .lines()
            .filter_map(|line| {
                serde_json::from_str::<Value>(line).ok()?["executable"].as_str().map(PathBuf::from)
            })
            .collect();
        let named = |name: &str| {
            let found = built.iter().find(|path| path.file_stem().is_some_and(|stem| stem == name));
            found.cloned().ok_or_else(|| format!("cargo did not say where it has built {name}"))
        };
        let (gordian, cargo_gordian) = (named("gordian")?, named("cargo-gordian")?);
        let out = gordian.parent().unwrap_or(Path::new(".")).join("native-suite");
        std::fs::create_dir_all(&out)
            .map_err(|error| format!("{} cannot be made: {error}", out.display()))?;
        let library = Library::put(Some(&out)).map_err(|error| error.to_string())?;
        Ok(Tools { gordian, cargo_gordian, library, out })
    }

    /// Where programs are built, and where their failures are saved.
    pub fn out(&self) -> &Path {
        &self.out
    }

    /// Compiles a program with hooks and says how it is searched.
    pub fn compile(&self, program: &Program, fixed: bool) -> Result<Call, String> {
        let version = if fixed { "fixed" } else { "buggy" };
        let out = self.out.join(format!("{}-{version}", program.name.replace('/', "-")));
        match program.language {
            Language::C => self.gordian_cc("cc", &["-O1"], program, fixed, &out)?,
            Language::Cpp => self.gordian_cc("c++", &["-O1", "-std=c++20"], program, fixed, &out)?,
            Language::Rust => self.rustc(program, fixed, &out)?,
            Language::Crates => {
                let features: &[&str] = if fixed { &["--features=fixed"] } else { &[] };
                return Ok(self.cargo(program, "crates", version, features));
            }
            Language::Published => {
                let package = if fixed { "published/fixed" } else { "published/defective" };
                return Ok(self.cargo(program, package, version, &[]));
            }
        }
        let mut command = Command::new(&self.gordian);
        command.arg("run");
        Ok(Call { command, after: vec!["--".into(), out] })
    }

    fn gordian_cc(
        &self,
        which: &str,
        options: &[&str],
        program: &Program,
        fixed: bool,
        out: &Path,
    ) -> Result<(), String> {
        let mut command = Command::new(&self.gordian);
        command.arg(which).args(["-g", "-Wall", "-Werror", "-pthread"]).args(options);
        if fixed {
            command.arg("-DFIXED");
        }
        succeeds(command.arg("-o").arg(out).arg(&program.source))
    }

    /// There is no command for a single file of Rust, so the options are those that cargo is given.
    fn rustc(&self, program: &Program, fixed: bool, out: &Path) -> Result<(), String> {
        let mut command = Command::new("rustc");
        command.args(["-g", "--edition", "2024", "--check-cfg", "cfg(fixed)", "--target", rustc::TARGET]);
        command.args(rustc::COMPILE).args(rustc::link(&self.library)).env(rustc::ALLOWED.0, rustc::ALLOWED.1);
        if fixed {
            command.args(["--cfg", "fixed"]);
        }
        succeeds(command.arg("-o").arg(out).arg(&program.source))
    }

    /// Cargo builds when it is called; a folder for each version, so that both can be run at the same time.
    fn cargo(&self, program: &Program, package: &str, version: &str, features: &[&str]) -> Call {
        let mut command = Command::new(&self.cargo_gordian);
        command.args(["gordian", "run", "--unmodified", "--locked", "--bin", program.stem()]).args(features);
        command.arg("--manifest-path").arg(folder().join(package).join("Cargo.toml"));
        command.arg("--target-dir").arg(self.out.join(format!("{}-{version}", package.replace('/', "-"))));
        Call { command, after: Vec::new() }
    }
}

/// Is there a compiler of that name?
pub fn is_there(compiler: &str) -> bool {
    Command::new(compiler)
        .arg("--version")
        .stdin(Stdio::null())
        .output()
        .is_ok_and(|said| said.status.success())
}

/// What a command prints.
pub(super) fn output(command: &mut Command) -> Result<Output, String> {
    let name = command.get_program().to_owned();
    command.stdin(Stdio::null()).output().map_err(|error| format!("cannot start {}: {error}", name.display()))
}

fn succeeds(command: &mut Command) -> Result<(), String> {
    let output = output(command)?;
    if output.status.success() {
        return Ok(());
    }
    Err(format!("{command:?} ended with {}:\n{}", output.status, String::from_utf8_lossy(&output.stderr)))
}
