//! Native programs under gdb. The failure is repeated once by the fork server, which finds out all that has to be known before (threads,
//! places, what is trusted). Then gdb starts the program with the runtime in it, as often as somebody wants to go back, and without a host.

use super::{Script, quoted, start};
use crate::native;
use clap::ArgMatches;
use gordian_model::{Recording, ThreadId};
use gordian_native::{Circumstances, Direct, Invocation, STOP};
use gordian_report::{Look, Moment, Sources};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

/// Runs gdb on a native program; nothing if the failure is not that of one.
pub(super) fn run(
    gdb: &Path,
    file: &Path,
    recording: &Recording,
    matches: &ArgMatches,
) -> Option<Result<ExitCode, String>> {
    let invocation = Invocation::read(&recording.plan.program)?;
    let circumstances = Circumstances::read(&recording.plan.program)?;
    let mut more = vec!["--debug".to_owned()];
    for said in matches.get_many::<String>("command").unwrap_or_default() {
        more.extend(["--command".to_owned(), said.clone()]);
    }
    if matches.get_flag("batch") {
        more.push("--batch".to_owned());
    }
    let elsewhere = native::elsewhere(file, &circumstances, &more);
    Some(elsewhere.unwrap_or_else(|| debug(gdb, file, recording, &invocation, matches)))
}

fn debug(
    gdb: &Path,
    file: &Path,
    recording: &Recording,
    invocation: &Invocation,
    matches: &ArgMatches,
) -> Result<ExitCode, String> {
    let folder = Folder::new()?;
    let (direct, repeated) = native::prepare(file, recording, invocation, &folder.0)?;
    let known = folder.0.join("repeated.trace");
    repeated.save(&known).map_err(|error| error.to_string())?;
    let words: Vec<String> = invocation.words[1..].iter().map(|word| quoted(word)).collect();
    let variables = direct.variables().into_iter().map(|(name, value)| quoted(&format!("{name}={value}")));
    let command = std::env::current_exe().map_err(|error| format!("cannot find this program: {error}"))?;
    let more = json!({
        "arguments": words.join(" "),
        "native": {
            "environment": variables.collect::<Vec<_>>().join(" "),
            "stop": STOP,
            "library": folder.0.join("runtime.so"),
            "stopped": folder.0.join("stopped"),
            "moment": [command, PathBuf::from("moment"), known],
        },
    });
    let steps = repeated.trace.as_ref().map_or(0, |trace| trace.len());
    start(Command::new(gdb), Script::new(steps, &more)?, &direct.program, matches)
}

/// Prints what there is where a native program has stopped, for the script: the steps so far, and what each thread does next.
pub(crate) fn moment(known: &Path, stopped: &Path) -> Result<(), String> {
    let known = Recording::load(known).map_err(|error| error.to_string())?;
    let bytes =
        std::fs::read(stopped).map_err(|error| format!("cannot read {}: {error}", stopped.display()))?;
    let (Some(trace), Some(names)) = (Direct::read(&bytes), &known.plan.names) else {
        return Err("what the program says cannot be read".to_owned());
    };
    let look = Look::from_environment(false).detailed(true);
    let moment = Moment::new(&trace, known.trace.as_ref(), names, &Sources::from_environment(), &look);
    let threads: Vec<Value> = (0..names.threads() as u32)
        .map(|number| {
            let (next, place) = moment.next(ThreadId(number)).unwrap_or_default();
            json!({ "name": names.thread(ThreadId(number)), "next": next, "place": place })
        })
        .collect();
    // The program itself knows places by number only, so what has failed is said as it was found out before.
    let failed = trace.failure().map(|failure| {
        let again = known.trace.as_ref().and_then(|trace| trace.failure());
        again.filter(|again| again.kind == failure.kind).unwrap_or(failure).message.clone()
    });
    println!("{}", json!({ "failed": failed, "threads": threads, "table": moment.table() }));
    Ok(())
}

/// A folder as long as gdb runs.
struct Folder(PathBuf);

impl Folder {
    fn new() -> Result<Folder, String> {
        let path = std::env::temp_dir().join(format!("gordian-debug-{}", std::process::id()));
        std::fs::create_dir_all(&path).map_err(|error| format!("cannot make {}: {error}", path.display()))?;
        Ok(Folder(path))
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        // It is among the temporary files, so what cannot be removed now is removed by others.
        let _ = std::fs::remove_dir_all(&self.0);
    }
}
