//! `gordian replay FILE --debug`: the failing execution under gdb, stopped before its last step.
//!
//! Cargo builds the test, the test repeats what was saved with `GORDIAN_REPLAY`, and a script (`gordian.py`) gives gdb commands
//! that know steps and threads under test. Native programs are started by gdb itself (`native.rs`).

pub(crate) mod native;

use crate::test::build::{self, Program};
use crate::test::find;
use clap::ArgMatches;
use gordian_model::Recording;
use serde_json::{Value, json};
use std::io::IsTerminal;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

const SCRIPT: &str = include_str!("gordian.py");

/// Does what the command line says. The exit status is gdb's.
pub(crate) fn run(file: &Path, matches: &ArgMatches) -> Result<ExitCode, String> {
    let gdb = debugger()?;
    let recording = Recording::load(file).map_err(|error| error.to_string())?;
    if let Some(ended) = native::run(&gdb, file, &recording, matches) {
        return ended;
    }
    let test = recording.plan.program.clone();
    if test.is_empty() {
        return Err(format!(
            "{} was not saved by a test but by a program; start that in gdb yourself, with GORDIAN_REPLAY={} and a breakpoint",
            file.display(),
            file.display()
        ));
    }
    let arguments: Vec<String> = matches.get_many("CARGO TEST ARGS").unwrap_or_default().cloned().collect();
    let mut cargo = build::cargo();
    cargo.arg("test");
    let programs = build::build(cargo, &arguments)?;
    let program = holding(&test, &programs)?;
    let file = file.canonicalize().map_err(|error| format!("cannot find {}: {error}", file.display()))?;
    // They have to be said anew whenever gdb runs the program.
    let arguments = format!("{} --exact --include-ignored --nocapture", quoted(&test));
    let script = Script::new(recording.plan.prefix.len(), &json!({ "arguments": arguments }))?;
    let command = program.command();
    let mut gdb = Command::new(gdb);
    // As cargo would start the test, but for what is started.
    gdb.envs(command.get_envs().filter_map(|(key, value)| Some((key, value?))))
        .current_dir(program.folder())
        .env("GORDIAN_REPLAY", &file)
        // With one, a test has no thread of its own, by whose name `gordian::check` knows it.
        .env("RUST_TEST_THREADS", "2");
    start(gdb, script, &program.executable, matches)
}

/// Starts gdb with the script on a program.
fn start(mut gdb: Command, script: Script, program: &Path, matches: &ArgMatches) -> Result<ExitCode, String> {
    gdb.args(["-q", "-x"]).arg(&script.0);
    if matches.get_flag("batch") {
        gdb.arg("-batch");
    }
    for said in matches.get_many::<String>("command").unwrap_or_default() {
        gdb.args(["-ex", said]);
    }
    gdb.arg(program);
    let status = gdb.status().map_err(|error| format!("cannot start gdb: {error}"))?;
    drop(script);
    match status.code() {
        Some(0) => Ok(ExitCode::SUCCESS),
        _ => Err(format!("gdb ended with {status}")),
    }
}

/// rust-gdb, which shows the values of Rust's own types well, or gdb.
fn debugger() -> Result<PathBuf, String> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let find =
        |name: &str| std::env::split_paths(&path).map(|folder| folder.join(name)).find(|p| p.is_file());
    let Some(gdb) = find("gdb") else {
        return Err(
            "gdb is not there: install the package gdb (apt-get install gdb), or look at the failure with \
                    gordian report FILE"
                .to_owned(),
        );
    };
    // It comes with a toolchain, and needs gdb itself.
    let works =
        |path: &PathBuf| Command::new(path).arg("--version").output().is_ok_and(|o| o.status.success());
    Ok(find("rust-gdb").filter(works).unwrap_or(gdb))
}

/// The program with the test in it.
fn holding<'a>(test: &str, programs: &'a [Program]) -> Result<&'a Program, String> {
    let mut found: Vec<&Program> = Vec::new();
    for program in programs {
        if find::list(program, &[])?.iter().any(|name| name == test) {
            found.push(program);
        }
    }
    match found[..] {
        [program] => Ok(program),
        [] => Err(format!(
            "there is no test {test} in what cargo test builds here; go to its package, or ask for it as in gordian replay \
             FILE --debug -- -p NAME"
        )),
        _ => {
            let labels: Vec<&str> = found.iter().map(|program| program.label.as_str()).collect();
            Err(format!(
                "{} have a test {test}; say which, as in gordian replay FILE --debug -- --lib or -- --test NAME",
                labels.join(" and ")
            ))
        }
    }
}

/// The text as one word of a shell, which gdb starts the program with.
fn quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', "'\\''"))
}

/// The script, in a file as long as gdb runs.
struct Script(PathBuf);

impl Script {
    /// `more` is what the script is told besides, by name.
    fn new(steps: usize, more: &Value) -> Result<Script, String> {
        let path = std::env::temp_dir().join(format!("gordian-{}.py", std::process::id()));
        let plain = if std::io::stdout().is_terminal() { "False" } else { "True" };
        let first = if steps == 0 { "2**64 - 1".to_owned() } else { steps.to_string() };
        // A string in JSON is one in Python.
        let settings = format!(
            "total = {steps}\nfirst = {first}\nplain = {plain}\ngiven = json.loads({})\n",
            Value::from(more.to_string())
        );
        let settings = format!("import json\n{settings}");
        std::fs::write(&path, settings + SCRIPT)
            .map_err(|error| format!("cannot write {}: {error}", path.display()))?;
        Ok(Script(path))
    }
}

impl Drop for Script {
    fn drop(&mut self) {
        // It is in the folder for temporary files, so what cannot be removed now is removed by others.
        let _ = std::fs::remove_file(&self.0);
    }
}
