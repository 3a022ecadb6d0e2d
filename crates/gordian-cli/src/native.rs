//! `gordian run`: unmodified programs.

use crate::command::RUN_SETTINGS;
use clap::ArgMatches;
use gordian::__private::{Foreign, ForeignCheck};
use gordian::{FailureKind, Report};
use gordian_model::{Names, Plan, Recording, Trace};
use gordian_native::{Invocation, Native};
use gordian_search::Target;
use indicatif::{ProgressBar, ProgressStyle};
use std::io::Write;
use std::path::Path;
use std::process::ExitCode;
use std::time::Duration;

/// A native program as a target that can be checked.
struct Program(Native);

impl Target for Program {
    fn run(&mut self, plan: &Plan) -> &Trace {
        self.0.run(plan)
    }

    fn run_named(&mut self, plan: &Plan) -> (&Trace, Option<&Names>) {
        self.0.run_named(plan)
    }
}

impl Foreign for Program {
    fn names(&self) -> &Names {
        self.0.names()
    }

    fn number_threads(&mut self, names: &Names) {
        self.0.number_threads(names);
    }

    fn starts_again(&mut self) -> bool {
        self.0.starts_again()
    }

    fn distrust(&mut self) -> bool {
        self.0.distrust()
    }
}

/// Searches the interleavings of a program.
pub(crate) fn run(matches: &ArgMatches) -> Result<ExitCode, String> {
    let words = matches.get_many::<String>("PROGRAM").into_iter().flatten().cloned().collect();
    let invocation = Invocation { words };
    let said = RUN_SETTINGS.iter().filter_map(|&key| Some((key, matches.get_one::<String>(key)?.as_str())));
    let check = check(&invocation, said)?;
    let patience = *matches.get_one::<Duration>("patience").expect("it has a default");
    let mut program = start(&invocation, patience)?;
    let bar = ProgressBar::new_spinner();
    bar.set_style(ProgressStyle::with_template("{spinner} {elapsed} {msg}").expect("it is written here"));
    let (mut executions, mut steps) = (0u64, 0u64);
    let report = check.run(&mut program, &mut |trace| {
        executions += 1;
        steps += trace.len() as u64;
        if executions.is_multiple_of(64) {
            let rate = executions as f64 / bar.elapsed().as_secs_f64().max(0.001);
            bar.set_message(format!("{executions} executions, {rate:.0} a second, {steps} steps"));
            bar.tick();
        }
    });
    bar.finish_and_clear();
    if report.steps() == 0 && report.failure().is_none() && program.0.names().threads() == 1 {
        return Err(
            "nothing to check: the program started no thread and made none of the calls that Gordian controls, so there is only one \
             execution; give it arguments with which it does"
                .to_owned(),
        );
    }
    told(&report, &program, matches.get_flag("json"))
}

fn check<'a>(
    invocation: &Invocation,
    said: impl IntoIterator<Item = (&'a str, &'a str)>,
) -> Result<ForeignCheck, String> {
    let first = invocation.words.first().map_or("", String::as_str);
    let folder = Path::new(first).file_name().unwrap_or_default().to_string_lossy();
    ForeignCheck::new(&invocation.line(), &folder, said)
}

fn start(invocation: &Invocation, patience: Duration) -> Result<Program, String> {
    Native::start(invocation, patience).map(Program).map_err(|error| error.to_string())
}

fn told(report: &Report, program: &Program, json: bool) -> Result<ExitCode, String> {
    let failure = report.failure();
    if let Some(misuse) = failure.filter(|failure| failure.kind() == FailureKind::Misuse) {
        let place = misuse.notes().next().map_or_else(String::new, |note| format!("; {note}"));
        return Err(format!("{}{}{place}", misuse.message(), at(misuse)));
    }
    let trusted = "memory was not watched: the program has no hooks, so what threads share must be protected by the calls that \
                   Gordian controls, or an order of accesses may have been missed";
    let trusted = (!program.0.is_hooked()).then_some(trusted);
    // Whoever reads may have gone away, which changes nothing about what was found.
    let mut out = std::io::stdout().lock();
    if json {
        let mut value: serde_json::Value = serde_json::from_str(&report.to_json()).unwrap_or_default();
        value["trusted"] = trusted.into();
        let _ = writeln!(out, "{value}");
    } else {
        let _ = writeln!(out, "{report}");
        if let Some(trusted) = trusted.filter(|_| failure.is_none()) {
            let _ = writeln!(out, "{trusted}");
        }
    }
    Ok(ExitCode::from(u8::from(failure.is_some())))
}

/// Where a failure showed, to be put behind what it is.
fn at(failure: &gordian::Failure) -> String {
    let names = failure.plan().names.as_ref();
    let site = failure.trace().failure().map(|f| f.site);
    let place = names.zip(site).and_then(|(names, site)| names.site(site));
    place.map_or_else(String::new, |site| format!(" ({site})"))
}

/// Replays a saved failure; nothing if it is not that of a native program.
pub(crate) fn replay(file: &Path) -> Option<Result<ExitCode, String>> {
    let recording = Recording::load(file).ok()?;
    let invocation = Invocation::read(&recording.plan.program)?;
    Some(again(file, &recording, &invocation))
}

fn again(file: &Path, recording: &Recording, invocation: &Invocation) -> Result<ExitCode, String> {
    let check = check(invocation, [])?;
    let mut program = start(invocation, Duration::from_secs(10))?;
    let report = check.replay(&mut program, recording, file);
    told(&report, &program, false)
}
