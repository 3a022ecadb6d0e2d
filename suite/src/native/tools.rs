//! The commands that programs are built and searched with.

use super::{Language, Program, folder};
use gordian_native::hooks::{Library, rustc};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Output, Stdio};

/// The commands of Gordian, and where programs are built.
pub struct Tools {
    /// The program of this package, which is both commands too: see [`command`].
    program: PathBuf,
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

/// Says which of Gordian's commands the program of this package is to be. Cargo hands it on when it calls the program in place of the compiler.
const COMMAND: &str = "SUITE_COMMAND";
const GORDIAN: &str = "gordian";
const CARGO_GORDIAN: &str = "cargo-gordian";

/// Does what one of Gordian's commands does, if that is what this process was started for. So they are always of the same build as the suite, and nothing has to be
/// built first.
pub fn command() -> Option<ExitCode> {
    match std::env::var(COMMAND).ok()?.as_str() {
        GORDIAN => Some(gordian_cli::gordian()),
        CARGO_GORDIAN => Some(gordian_cli::cargo_gordian()),
        _ => None,
    }
}

impl Tools {
    /// `program` is that of this package; programs are built below its folder.
    pub fn new(program: PathBuf) -> Result<Tools, String> {
        let out = program.parent().unwrap_or(Path::new(".")).join("native-suite");
        std::fs::create_dir_all(&out)
            .map_err(|error| format!("{} cannot be made: {error}", out.display()))?;
        let library = Library::put(Some(&out)).map_err(|error| error.to_string())?;
        Ok(Tools { program, library, out })
    }

    fn command(&self, name: &str) -> Command {
        let mut command = Command::new(&self.program);
        command.env(COMMAND, name);
        command
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
        let mut command = self.command(GORDIAN);
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
        let mut command = self.command(GORDIAN);
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
        let mut command = self.command(CARGO_GORDIAN);
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
