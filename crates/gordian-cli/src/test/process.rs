//! One test in a process of its own, so that one that ends its process or hangs does no harm to the others.

use super::find::Case;
use super::outcome::Outcome;
use crate::unmodified::Order;
use serde_json::Value;
use std::collections::VecDeque;
use std::io::Read;
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

/// What a test is told.
pub(crate) struct Told<'a> {
    /// `GORDIAN_` variables.
    pub(crate) variables: &'a [(String, String)],
    /// The most time for this test.
    pub(crate) budget: Option<Duration>,
    /// When it is stopped by force.
    pub(crate) patience: Option<Duration>,
    /// How wide texts may be.
    pub(crate) columns: Option<usize>,
    /// Where it leaves its report.
    pub(crate) result: &'a Path,
    /// It knows nothing of Gordian: how it is run.
    pub(crate) unmodified: Option<&'a Order>,
}

/// How much of what a test prints is kept, in bytes.
const KEPT: usize = 4096;

/// Runs a test. `watch` is told from time to time how many executions there were.
pub(crate) fn run(case: &Case<'_>, told: &Told<'_>, watch: impl FnMut(u64)) -> Outcome {
    let start = Instant::now();
    // One of another run must not be taken for this one's.
    let _ = std::fs::remove_file(told.result);
    let mut command = match told.unmodified.map(|order| order.command(case)) {
        None => {
            let mut command = case.program.command();
            command.args([&*case.name, "--exact", "--include-ignored", "--nocapture"]);
            command
        }
        Some(Ok(command)) => command,
        Some(Err(error)) => return Outcome::error(error),
    };
    command.envs(told.variables.iter().map(|(key, value)| (key, value))).env("GORDIAN_RESULT", told.result);
    if let Some(budget) = told.budget {
        command.env("GORDIAN_BUDGET", format!("{}ms", budget.as_millis().max(1)));
    }
    if let Some(columns) = told.columns {
        command.env("COLUMNS", columns.to_string());
    }
    let (child, reader) = match start_with_output(command) {
        Ok(started) => started,
        Err(error) => {
            return Outcome::error(format!("cannot start {}: {error}", case.program.executable.display()));
        }
    };
    let read = || -> Value {
        let text = std::fs::read_to_string(told.result).unwrap_or_default();
        serde_json::from_str(&text).unwrap_or_default()
    };
    let mut watch = watch;
    let ended = wait(child, told.patience, || {
        if let Some(executions) = read()["executions"].as_u64() {
            watch(executions);
        }
    });
    let printed = reader.join().unwrap_or_default();
    match ended {
        // It is not the test that has ended then, but the one who searches.
        Ok(Some(status)) if told.unmodified.is_some() && !read()["report"].is_object() => {
            Outcome::error(format!(
                "the search ended with {status}, which is a bug of Gordian; the last it printed:\n{}",
                printed.trim()
            ))
        }
        Ok(Some(status)) => Outcome::ended(&read(), status, start.elapsed(), &printed),
        Ok(None) => Outcome::stuck(&read(), start.elapsed(), &printed),
        Err(error) => Outcome::error(format!("cannot wait for the test: {error}")),
    }
}

type Reader = std::thread::JoinHandle<String>;

/// Starts it with one pipe for all that it prints, and a thread that keeps the last of it.
fn start_with_output(mut command: Command) -> std::io::Result<(Child, Reader)> {
    let (reader, writer) = std::io::pipe()?;
    let child = command.stdout(writer.try_clone()?).stderr(writer).stdin(Stdio::null()).spawn()?;
    // The command keeps its ends of the pipe open, and with them the pipe.
    drop(command);
    Ok((child, std::thread::spawn(move || last_of(reader))))
}

fn last_of(mut from: impl Read) -> String {
    let mut kept = VecDeque::new();
    let mut buffer = [0; 4096];
    while let Ok(n @ 1..) = from.read(&mut buffer) {
        kept.extend(&buffer[..n]);
        kept.drain(..kept.len().saturating_sub(KEPT));
    }
    String::from_utf8_lossy(kept.make_contiguous()).into_owned()
}

/// Waits for the end; nothing if it had to be stopped.
fn wait(
    mut child: Child,
    patience: Option<Duration>,
    mut meanwhile: impl FnMut(),
) -> std::io::Result<Option<ExitStatus>> {
    let start = Instant::now();
    let mut told = start;
    let mut pause = Duration::from_millis(1);
    loop {
        if let Some(status) = child.try_wait()? {
            return Ok(Some(status));
        }
        if patience.is_some_and(|patience| start.elapsed() > patience) {
            child.kill()?;
            child.wait()?;
            return Ok(None);
        }
        if told.elapsed() > Duration::from_millis(250) {
            told = Instant::now();
            meanwhile();
        }
        std::thread::sleep(pause);
        pause = (pause * 2).min(Duration::from_millis(50));
    }
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    #[test]
    fn the_last_that_is_printed_is_kept() {
        let mut command = Command::new("sh");
        command.args(["-c", "seq 1 5000; echo last >&2"]);
        let (child, reader) = start_with_output(command).unwrap();
        assert!(wait(child, None, || {}).unwrap().unwrap().success());
        let text = reader.join().unwrap();
        assert!(text.len() <= KEPT && text.ends_with("4999\n5000\nlast\n"), "{text}");
    }

    #[test]
    fn patience_ends() {
        let mut command = Command::new("sleep");
        command.arg("600");
        let (child, reader) = start_with_output(command).unwrap();
        let mut told = 0;
        let ended = wait(child, Some(Duration::from_millis(700)), || told += 1).unwrap();
        assert!(ended.is_none() && told >= 1);
        assert_eq!(reader.join().unwrap(), "");
    }
}
