//! What can be done with a saved failure.

use gordian_model::Recording;
use gordian_report::{Look, Page, Sources, Story};
use std::path::Path;

/// Prints what the failing execution did.
pub(crate) fn report(file: &Path, look: &Look) -> Result<(), String> {
    let recording = Recording::load(file).map_err(|error| error.to_string())?;
    if !recording.plan.program.is_empty() {
        println!("test {}", recording.plan.program);
    }
    match drawn(&recording, &sources_near(file), look) {
        Some(text) => print!("{text}"),
        None if recording.text.is_empty() => {
            println!("a plan of {} steps, without a failure", recording.plan.prefix.len())
        }
        None => print!("{}", recording.text),
    }
    Ok(())
}

/// The source is near the person, or near the target folder that the trace lies in.
fn sources_near(file: &Path) -> Sources {
    let near = file.canonicalize().ok().and_then(|file| Some(file.parent()?.to_owned()));
    Sources::from_environment().and_near(&near.unwrap_or_default())
}

/// What a person reads of a saved failure.
pub(crate) fn drawn(recording: &Recording, sources: &Sources, look: &Look) -> Option<String> {
    let (trace, names) = recording.trace.as_ref().zip(recording.plan.names.as_ref())?;
    let story = Story { failure: trace.failure()?, trace, names, insight: &recording.plan.insight };
    Some(gordian_report::text(&story, sources, look))
}

/// Writes it as a page.
pub(crate) fn html(file: &Path, out: &Path) -> Result<(), String> {
    let recording = Recording::load(file).map_err(|error| error.to_string())?;
    let failed = recording.trace.as_ref().and_then(|trace| Some((trace, trace.failure()?)));
    let Some(((trace, failure), names)) = failed.zip(recording.plan.names.as_ref()) else {
        return Err(format!(
            "{} holds a plan without a failure, so there is nothing to show",
            file.display()
        ));
    };
    let sources = sources_near(file);
    let replay = command("GORDIAN_REPLAY", file, &recording);
    let page = gordian_report::html(&Page {
        test: &recording.plan.program,
        failure,
        trace,
        names,
        original: recording.original.as_ref().map(|trace| (trace, names)),
        insight: &recording.plan.insight,
        exploration: recording.exploration.as_ref(),
        replay: Some(&replay),
        sources: &sources,
    });
    std::fs::write(out, page).map_err(|error| format!("cannot write {}: {error}", out.display()))?;
    println!("written to {}", out.display());
    Ok(())
}

/// Says how to replay it.
pub(crate) fn replay(file: &Path) -> Result<(), String> {
    hand_over(file, "GORDIAN_REPLAY", "replayed")
}

/// Says how to find out what it needs.
pub(crate) fn explain(file: &Path) -> Result<(), String> {
    hand_over(file, "GORDIAN_EXPLAIN", "explained")
}

/// The test is a function in somebody's crate, which cargo has to build and run.
fn hand_over(file: &Path, variable: &str, done: &str) -> Result<(), String> {
    let recording = Recording::load(file).map_err(|error| error.to_string())?;
    if gordian_native::Invocation::read(&recording.plan.program).is_some() {
        return Err(format!(
            "{} is a failure of a native program, which cannot be {done} yet",
            file.display()
        ));
    }
    println!("{}", command(variable, file, &recording));
    Err(format!("a Rust test is {done} by cargo test, in its package, with the line above"))
}

fn command(variable: &str, file: &Path, recording: &Recording) -> String {
    if gordian_native::Invocation::read(&recording.plan.program).is_some() {
        return format!("gordian replay {}", file.display());
    }
    let test = match recording.plan.program.as_str() {
        "" => String::new(),
        name => format!(" {name} -- --exact"),
    };
    format!("{variable}={} cargo test{test}", file.display())
}
