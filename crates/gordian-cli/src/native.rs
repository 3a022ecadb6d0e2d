//! `gordian run`: unmodified programs.

use crate::cc::become_it;
use crate::command::{RUN_SETTINGS, without_hooks};
use crate::races::{self, Access, Passed};
use clap::ArgMatches;
use gordian::__private::{Foreign, ForeignCheck};
use gordian::{FailureKind, Report};
use gordian_model::{Inputs, Names, Plan, Races, Recording, Side, Trace};
use gordian_native::{Circumstances, Direct, Invocation, Native};
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
    /// The variables to which accesses are steps, if not all are.
    points: Vec<String>,
    /// What becomes of data races.
    races: Races,
    /// Where it gets times and random numbers from.
    inputs: Inputs,
}

/// The setting for what is trusted, which a replay needs as well.
pub(crate) const TRUST: &str = "GORDIAN_TRUST";

/// The same for the variables that were chosen.
pub(crate) const POINTS: &str = "GORDIAN_POINTS";

impl Program {
    pub(crate) fn start(
        invocation: &Invocation,
        patience: Duration,
        check: &ForeignCheck,
    ) -> Result<Program, String> {
        let mut native = Native::start(invocation, patience).map_err(|error| error.to_string())?;
        let trusted = check.trusted();
        native.trust(trusted.clone());
        let points = check.points();
        native.choose(&points).map_err(|error| error.to_string())?;
        native.rerun(check.rerun());
        Ok(Program { native, trusted, points, races: check.races(), inputs: check.inputs() })
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
        let mut parts = Vec::new();
        if self.inputs != Inputs::Virtual {
            parts.push(
                "times and random numbers were real and recorded: with others the program may do something else (inputs)"
                    .to_owned(),
            );
        }
        if !self.native.is_hooked() {
            let trusted = "memory was not watched: the program has no hooks, so what threads share must be protected by the calls that \
                           Gordian controls, or an order of accesses may have been missed";
            parts.insert(0, trusted.to_owned());
            return Some(parts.join("; "));
        }
        if !plain.is_empty() {
            parts.push(format!("memory was not watched in {}, compiled without hooks", plain.join(", ")));
        }
        if !self.trusted.is_empty() {
            parts.push(format!("{} was trusted, and runs in single steps", self.trusted.join(", ")));
        }
        if !self.points.is_empty() {
            let names = self.points.join(", ");
            parts.push(format!(
                "accesses to other variables than {names} were no steps, and data races were not judged (points = {names})"
            ));
        } else if self.races == Races::Ignore {
            parts.push("data races were not judged (races = ignore)".to_owned());
        }
        (!parts.is_empty()).then(|| parts.join("; "))
    }

    /// The data races that were passed over, each with both stacks.
    pub(crate) fn races(&mut self, report: &Report) -> Vec<Passed> {
        let told = |program: &mut Program, side: &Side| Access {
            thread: program.native.names().thread(side.thread),
            write: side.write,
            place: program.native.names().place(side.site),
            stack: program.native.stack(side.site),
        };
        let races: Vec<_> = report.races().iter().map(|race| race.sides).collect();
        races.iter().map(|sides| Passed { accesses: sides.each_ref().map(|side| told(self, side)) }).collect()
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
    let said: Vec<(&str, &str)> =
        said.chain(matches.get_flag("rerun").then_some(("rerun", "true"))).collect();
    let first = check(invocation, &Circumstances::default(), said.clone())?;
    let said_of = [(TRUST, first.trusted()), (POINTS, first.points())];
    let said_of = said_of.into_iter().filter(|(_, names)| !names.is_empty());
    let variables = said_of.map(|(key, names)| (key.to_owned(), names.join(","))).collect();
    let check = check(invocation, &Circumstances { folder: None, variables }, said)?;
    let patience = *matches.get_one::<Duration>("patience").expect("it has a default");
    let mut program = Program::start(invocation, patience, &check)?;
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
    let races = program.races(&report);
    told(&report, &races, program.trusted(&without_hooks(matches)), matches.get_flag("json"))
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

fn told(report: &Report, races: &[Passed], trusted: Option<String>, json: bool) -> Result<ExitCode, String> {
    if let Some(refusal) = refusal(report) {
        return Err(refusal);
    }
    let failure = report.failure();
    // Whoever reads may have gone away, which changes nothing about what was found.
    let mut out = std::io::stdout().lock();
    if json {
        let mut value: serde_json::Value = serde_json::from_str(&report.to_json()).unwrap_or_default();
        value["trusted"] = trusted.into();
        value["races"] = races.iter().map(Passed::to_json).collect();
        let _ = writeln!(out, "{value}");
    } else {
        let _ = writeln!(out, "{report}");
        let _ = write!(out, "{}", races::listed(races));
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
    Some(match elsewhere(file, &circumstances, &[]) {
        Some(elsewhere) => elsewhere,
        None => again(file, &recording, &invocation),
    })
}

/// A test is replayed in the folder of its package, by another process; nothing if this one is there already.
pub(crate) fn elsewhere(
    file: &Path,
    circumstances: &Circumstances,
    more: &[String],
) -> Option<Result<ExitCode, String>> {
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
        command.args(more);
        become_it(command)
    };
    let told = |error| format!("cannot replay it in {}: {error}", folder.unwrap_or(Path::new(".")).display());
    Some(start().map_err(told))
}

/// Repeats a saved failure once, and leaves what a debugger needs to repeat it in a folder; with it comes what happened.
pub(crate) fn prepare(
    file: &Path,
    recording: &Recording,
    invocation: &Invocation,
    folder: &Path,
) -> Result<(Direct, Recording), String> {
    let check = check(invocation, &Circumstances::default(), [])?;
    let mut program = Program::start(invocation, Duration::from_secs(10), &check)?;
    let report = check.replay(&mut program, recording, file);
    if let Some(refusal) = refusal(&report) {
        return Err(refusal);
    }
    let Some(failure) = report.failure() else { return Err(report.to_string()) };
    let plan = Plan { names: Some(program.native.names().clone()), ..recording.plan.clone() };
    let direct = program
        .native
        .leave(folder)
        .map_err(|error| format!("cannot write to {}: {error}", folder.display()))?;
    Ok((direct, Recording { trace: Some(failure.trace().clone()), ..Recording::of(plan) }))
}

fn again(file: &Path, recording: &Recording, invocation: &Invocation) -> Result<ExitCode, String> {
    // What was trusted is in the environment by now.
    let check = check(invocation, &Circumstances::default(), [])?;
    let mut program = Program::start(invocation, Duration::from_secs(10), &check)?;
    let report = check.replay(&mut program, recording, file);
    told(&report, &[], program.trusted(&[]), false)
}
