//! What can be done with a saved failure.

use gordian_model::Recording;
use std::path::Path;

/// Prints what the failing execution did.
pub(crate) fn report(file: &Path, width: usize) -> Result<(), String> {
    let recording = Recording::load(file).map_err(|error| error.to_string())?;
    if !recording.plan.program.is_empty() {
        println!("test {}", recording.plan.program);
    }
    let drawn = recording.trace.as_ref().and_then(|trace| {
        let names = recording.plan.names.as_ref()?;
        Some(gordian_report::text(trace.failure()?, trace, names, width))
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

/// Says how to replay it: the test is a function in somebody's crate, which cargo has to build and run.
pub(crate) fn replay(file: &Path) -> Result<(), String> {
    let recording = Recording::load(file).map_err(|error| error.to_string())?;
    let test = match recording.plan.program.as_str() {
        "" => String::new(),
        name => format!(" {name} -- --exact"),
    };
    println!("GORDIAN_REPLAY={} cargo test{test}", file.display());
    Err("a Rust test is replayed by cargo test, in its package, with the line above".to_owned())
}
