//! `gordian run`: unmodified programs.

use crate::cc::become_it;
use crate::command::{RUN_SETTINGS, without_hooks};
use clap::ArgMatches;
use gordian::__private::{Foreign, ForeignCheck};
use gordian::{FailureKind, Report};
use gordian_model::{Names, Plan, Recording, Trace};
use gordian_native::{Circumstances, Invocation, Native};
use gordian_search::Target;
use indicatif::{ProgressBar, ProgressStyle};
use std::io::Write;
use std::path::Path;
use std::process::{Command, ExitCode};
use std::time::Duration;

/// A native program as a target that can be checked.
pub(crate) struct Program {
    native: Native,
    /// What the user trusts.
    trusted: Vec<String>,
}

/// The setting for what is trusted, which a replay needs as well.
pub(crate) const TRUST: &str = "GORDIAN_TRUST";

impl Program {
    pub(crate) fn start(
        invocation: &Invocation,
        patience: Duration,
        trusted: Vec<String>,
        rerun: bool,
    ) -> Result<Program, String> {
        let mut native = Native::start(invocation, patience).map_err(|error| error.to_string())?;
        native.trust(trusted.clone());
        native.rerun(rerun);
        Ok(Program { native, trusted })
    }

    /// How many threads there were, in all executions together.
    pub(crate) fn threads(&self) -> usize {
        self.native.names().threads()
    }

    /// What turned out about running again in one process.
    pub(crate) fn note(&self) -> Option<&'static str> {
        self.native.keeps_state().then_some(
            "the program keeps state between runs that is not in its memory (descriptors, files, signals), so --rerun was left out: every execution had a process of its own",
        )
    }

    /// What a result without a failure takes for granted; `plain` are crates without hooks.
    pub(crate) fn trusted(&self, plain: &[String]) -> Option<String> {
        if !self.native.is_hooked() {
            let trusted = "memory was not watched: the program has no hooks, so what threads share must be protected by the calls that \
                           Gordian controls, or an order of accesses may have been missed";
            return Some(trusted.to_owned());
        }
        let mut parts = Vec::new();
        if !plain.is_empty() {
            parts.push(format!("memory was not watched in {}, compiled without hooks", plain.join(", ")));
        }
        if !self.trusted.is_empty() {
            parts.push(format!("{} was trusted, and runs in single steps", self.trusted.join(", ")));
        }
        (!parts.is_empty()).then(|| parts.join("; "))
    }
}

impl Target for Program {
    fn run(&mut self, plan: &Plan) -> &Trace {
        self.native.run(plan)
    }

    fn run_named(&mut self, plan: &Plan) -> (&Trace, Option<&Names>) {
        self.native.run_named(plan)
    }
}

impl Foreign for Program {
    fn names(&self) -> &Names {
        self.native.names()
    }

    fn number_threads(&mut self, names: &Names) {
        self.native.number_threads(names);
    }

    fn starts_again(&mut self) -> bool {
        self.native.starts_again()
    }

    fn distrust(&mut self) -> bool {
        self.native.distrust()
    }
}

/// Searches the interleavings of a program.
pub(crate) fn run(matches: &ArgMatches) -> Result<ExitCode, String> {
    let words = matches.get_many::<String>("PROGRAM").into_iter().flatten().cloned().collect();
    search(&Invocation { words }, matches)
}

/// The same for a program that was found in another way.
pub(crate) fn search(invocation: &Invocation, matches: &ArgMatches) -> Result<ExitCode, String> {
    let said = RUN_SETTINGS.iter().filter_map(|&key| Some((key, matches.get_one::<String>(key)?.as_str())));
    let said: Vec<(&str, &str)> = said.collect();
    let first = check(invocation, &Circumstances::default(), said.clone())?;
    let trusted = first.trusted();
    let variables: Vec<(String, String)> =
        if trusted.is_empty() { Vec::new() } else { vec![(TRUST.to_owned(), trusted.join(","))] };
    let check = check(invocation, &Circumstances { folder: None, variables }, said)?;
    let patience = *matches.get_one::<Duration>("patience").expect("it has a default");
    let mut program = Program::start(invocation, patience, trusted, matches.get_flag("rerun"))?;
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
    if let Some(note) = program.note() {
        eprintln!("{note}");
    }
    let alone = program.threads() == 1 && report.failure().is_none();
    if alone && (report.steps() == 0 || program.native.is_hooked()) {
        let calls =
            if program.native.is_hooked() { "" } else { " and made none of the calls that Gordian controls" };
        return Err(format!(
            "nothing to check: the program started no thread{calls}, so there is only one execution; give it arguments with which it does"
        ));
    }
    told(&report, program.trusted(&without_hooks(matches)), matches.get_flag("json"))
}

fn check<'a>(
    invocation: &Invocation,
    circumstances: &Circumstances,
    said: impl IntoIterator<Item = (&'a str, &'a str)>,
) -> Result<ForeignCheck, String> {
    let first = invocation.words.first().map_or("", String::as_str);
    let folder = Path::new(first).file_name().unwrap_or_default().to_string_lossy();
    ForeignCheck::new(&invocation.line_in(circumstances), &folder, said)
}

/// Why the program could not be checked, if it did something that is not supported.
pub(crate) fn refusal(report: &Report) -> Option<String> {
    let misuse = report.failure().filter(|failure| failure.kind() == FailureKind::Misuse)?;
    let place = misuse.notes().next().map_or_else(String::new, |note| format!("; {note}"));
    Some(format!("{}{}{place}", misuse.message(), at(misuse)))
}

fn told(report: &Report, trusted: Option<String>, json: bool) -> Result<ExitCode, String> {
    if let Some(refusal) = refusal(report) {
        return Err(refusal);
    }
    let failure = report.failure();
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
    let circumstances = Circumstances::read(&recording.plan.program)?;
    Some(match elsewhere(file, &circumstances) {
        Some(elsewhere) => elsewhere,
        None => again(file, &recording, &invocation),
    })
}

/// A test is replayed in the folder of its package, by another process; nothing if this one is there already.
fn elsewhere(file: &Path, circumstances: &Circumstances) -> Option<Result<ExitCode, String>> {
    let Circumstances { folder, variables } = circumstances;
    let folder = folder.as_ref().map(Path::new);
    let there = |folder: &&Path| folder.canonicalize().ok() == std::env::current_dir().ok();
    let is_set = |(name, value): &(String, String)| std::env::var(name).is_ok_and(|set| set == *value);
    let moves = folder.filter(|folder| !there(folder));
    if moves.is_none() && variables.iter().all(is_set) {
        return None;
    }
    let start = || -> std::io::Result<ExitCode> {
        let mut command = Command::new(std::env::current_exe()?);
        command.arg("replay").envs(variables.iter().map(|(name, value)| (name, value)));
        match moves {
            Some(folder) => command.current_dir(folder).arg(std::path::absolute(file)?),
            None => command.arg(file),
        };
        become_it(command)
    };
    let told = |error| format!("cannot replay it in {}: {error}", folder.unwrap_or(Path::new(".")).display());
    Some(start().map_err(told))
}

fn again(file: &Path, recording: &Recording, invocation: &Invocation) -> Result<ExitCode, String> {
    // What was trusted is in the environment by now.
    let check = check(invocation, &Circumstances::default(), [])?;
    let mut program = Program::start(invocation, Duration::from_secs(10), check.trusted(), false)?;
    let report = check.replay(&mut program, recording, file);
    told(&report, program.trusted(&[]), false)
}
