//! What can be done with a saved failure.

use gordian_model::Recording;
use gordian_report::{Look, Sources, Story};
use std::path::Path;

/// Prints what the failing execution did.
pub(crate) fn report(file: &Path, look: &Look) -> Result<(), String> {
    let recording = Recording::load(file).map_err(|error| error.to_string())?;
    if !recording.plan.program.is_empty() {
        println!("test {}", recording.plan.program);
    }
    let drawn = recording.trace.as_ref().and_then(|trace| {
        let names = recording.plan.names.as_ref()?;
        let (failure, insight) = (trace.failure()?, &recording.plan.insight);
        let story = Story { failure, trace, names, insight };
        Some(gordian_report::text(&story, &Sources::from_environment(), look))
    });
    match drawn {
        Some(text) => print!("{text}"),
        None if recording.text.is_empty() => {
            println!("a plan of {} steps, without a failure", recording.plan.prefix.len())
        }
        None => print!("{}", recording.text),
    }
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
    let test = match recording.plan.program.as_str() {
        "" => String::new(),
        name => format!(" {name} -- --exact"),
    };
    println!("{variable}={} cargo test{test}", file.display());
    Err(format!("a Rust test is {done} by cargo test, in its package, with the line above"))
}
