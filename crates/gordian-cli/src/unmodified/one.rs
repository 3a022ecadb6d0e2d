//! One test that knows nothing of Gordian: the program of tests is a native target, told to run this one only.

use super::Hooked;
use crate::native::{self, Program};
use crate::test::find::Case;
use clap::ArgMatches;
use gordian::__private::ForeignCheck;
use gordian_native::{Circumstances, Invocation, REFUSED_VARIABLE};
use serde::{Deserialize, Serialize};
use serde_json::json;
use std::path::PathBuf;
use std::process::{Command, ExitCode};
use std::time::Duration;

/// The first argument of the process that does it; the other is a [`Told`] as JSON.
pub(super) const ROLE: &str = "unmodified-test";

/// The most time of a test if nothing is said: one that was not made to be searched may have more interleavings than anybody waits for.
const TIME: Duration = Duration::from_secs(10);

/// What the program is told by its environment. std's harness starts a thread for the test even if it runs nothing else, and waits for it; it
/// runs the test itself if it can have no thread, and then there are only the threads of the test. A backtrace takes long, and where a failure
/// comes from is told anyway.
const VARIABLES: [(&str, &str); 2] = [(REFUSED_VARIABLE, "1"), ("RUST_BACKTRACE", "0")];

/// What holds for all tests of a run.
pub(crate) struct Order {
    saves_in: PathBuf,
    here: PathBuf,
    patience: Duration,
    rerun: bool,
    /// Crates without hooks.
    plain: Vec<String>,
}

/// What the process is told.
#[derive(Serialize, Deserialize)]
struct Told {
    name: String,
    words: Vec<String>,
    package: PathBuf,
    saves_in: PathBuf,
    here: PathBuf,
    patience: Duration,
    rerun: bool,
    plain: Vec<String>,
}

impl Order {
    pub(crate) fn new(hooked: &Hooked, matches: &ArgMatches) -> Result<Order, String> {
        let here = std::env::current_dir().map_err(|error| format!("there is no current folder: {error}"))?;
        let patience = *matches.get_one("patience").expect("it has a default");
        let plain = crate::command::without_hooks(matches);
        Ok(Order {
            saves_in: hooked.target.join("gordian"),
            here,
            patience,
            rerun: matches.get_flag("rerun"),
            plain,
        })
    }

    /// How long a test may be without an op.
    pub(crate) fn patience(&self) -> Duration {
        self.patience
    }

    /// The process that runs a test.
    pub(crate) fn command(&self, case: &Case<'_>) -> Result<Command, String> {
        let program = case.program;
        let executable = program.executable.strip_prefix(program.folder()).unwrap_or(&program.executable);
        let executable =
            executable.to_str().ok_or_else(|| format!("{} is no UTF-8", executable.display()))?;
        let mut words: Vec<String> =
            [executable, &case.name, "--exact", "--test-threads=1", "--nocapture"].map(str::to_owned).into();
        if case.ignored {
            words.push("--include-ignored".to_owned());
        }
        let told = Told {
            name: case.name.clone(),
            words,
            package: program.folder().to_owned(),
            saves_in: self.saves_in.clone(),
            here: self.here.clone(),
            patience: self.patience,
            rerun: self.rerun,
            plain: self.plain.clone(),
        };
        let told = serde_json::to_string(&told).map_err(|error| error.to_string())?;
        let me = std::env::current_exe().map_err(|error| format!("cannot find this program: {error}"))?;
        let mut command = program.command_for(&me);
        command.args([ROLE, &told]).envs(VARIABLES);
        Ok(command)
    }
}

/// Runs the test and leaves the report where the environment says.
pub(super) fn run(told: &str) -> Result<ExitCode, String> {
    let told: Told = serde_json::from_str(told)
        .map_err(|error| format!("{ROLE} is for cargo gordian test --unmodified only: {error}"))?;
    search(&told).inspect_err(|message| leave_error(message))
}

fn search(told: &Told) -> Result<ExitCode, String> {
    let package = told.package.display().to_string();
    let owned = |(name, value): (&str, &str)| (name.to_owned(), value.to_owned());
    let mut variables = vec![owned(("CARGO_MANIFEST_DIR", &package))];
    variables.extend(VARIABLES.map(owned));
    for key in [native::TRUST, native::POINTS] {
        variables.extend(std::env::var(key).ok().map(|names| (key.to_owned(), names)));
    }
    let circumstances = Circumstances { variables, folder: Some(package) };
    let invocation = Invocation { words: told.words.clone() };
    let check = ForeignCheck::new(
        &invocation.line_in(&circumstances),
        &told.name,
        told.rerun.then_some(("rerun", "true")),
    )?
    .at_most(TIME)
    .saves_in(told.saves_in.clone(), told.here.clone());
    let mut program = Program::start(&invocation, told.patience, &check)?;
    let report = check.run(&mut program, &mut |_| {});
    if let Some(refusal) = native::refusal(&report) {
        return Err(refusal);
    }
    let alone = program.threads() == 1 && report.failure().is_none();
    let text = match program.trusted(&told.plain).filter(|_| report.failure().is_none()) {
        _ if alone => "no threads".to_owned(),
        Some(trusted) => format!("{report}\n{trusted}"),
        None => report.to_string(),
    };
    let races = crate::races::listed(&program.races(&report));
    let text = if races.is_empty() { text } else { format!("{text}\n{}", races.trim_end()) };
    check.leave(&report, &text);
    Ok(ExitCode::from(u8::from(report.failure().is_some())))
}

/// A report that says why there is none.
fn leave_error(message: &str) {
    let Some(file) = std::env::var_os("GORDIAN_RESULT") else { return };
    let failure = json!({ "kind": "misuse", "message": message, "text": message });
    let record = json!({ "report": { "failures": [failure] }, "text": message });
    if let Err(error) = std::fs::write(&file, record.to_string()) {
        eprintln!("gordian: cannot write {}: {error}", file.display());
    }
}
