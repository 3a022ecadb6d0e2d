//! Checks of targets that are no closures: what front ends of other kinds share with tests.

use crate::checker::Checker;
use crate::insight::{Looked, look_into};
use crate::record::Progress;
use crate::report::Report;
use crate::settings::{self, Settings, Wrong};
use crate::surroundings::{Surroundings, file_name, quoted, write};
use gordian_model::{FailureKind, Inputs, Insight, Names, Plan, Planned, Races, Recording, Step, Trace};
use gordian_search::{Guarantee, Statistics, Summary, Target};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// A target with names.
pub trait Foreign: Target {
    /// The names that its traces use.
    fn names(&self) -> &Names;

    /// Threads are to get the numbers that they have in these names. Called before the first execution.
    fn number_threads(&mut self, names: &Names);

    /// Must a search begin again, because what steps depend on has been found to be otherwise?
    fn starts_again(&mut self) -> bool;

    /// A search came to something that cannot be if it knows what steps depend on. May it begin again with more of them?
    fn distrust(&mut self) -> bool;
}

/// How a foreign target is checked.
#[derive(Debug)]
pub struct ForeignCheck {
    checker: Checker,
    settings: Settings,
    /// Where it is checked, and under which name failures are saved.
    here: PathBuf,
    folder: String,
    /// Where failures are saved if nothing is said.
    saves_in: PathBuf,
}

impl ForeignCheck {
    /// `program` is what the target is known by, `folder` the name of the folder for its failures. Settings are keys and texts; they
    /// beat the environment, which beats `gordian.toml` in the current folder.
    pub fn new<'a>(
        program: &str,
        folder: &str,
        said: impl IntoIterator<Item = (&'a str, &'a str)>,
    ) -> Result<ForeignCheck, String> {
        let here = std::env::current_dir().unwrap_or_default();
        let mut settings = Settings::default();
        for (key, text) in said {
            settings.set(key, text).map_err(|wrong| match wrong {
                Wrong::Key => format!("unknown setting {key}"),
                Wrong::Value(expected) => format!("--{key} {text}: {expected}"),
            })?;
        }
        let environment = settings::environment()?;
        let mut settings = settings.or(environment.settings).or(settings::file(&here)?);
        if let Some(budget) = environment.budget {
            settings.time = Some(settings.time.map_or(budget, |time| time.min(budget)));
        }
        let checker = Checker { name: program.to_owned(), ..Checker::new() };
        let saves_in = here.join("target/gordian");
        Ok(ForeignCheck { checker, settings, here, folder: folder.to_owned(), saves_in })
    }

    /// Failures are saved below this folder if nothing is said, and paths are shown as somebody in that one sees them.
    pub fn saves_in(self, folder: PathBuf, seen_from: PathBuf) -> ForeignCheck {
        ForeignCheck { saves_in: folder, here: seen_from, ..self }
    }

    /// The code of a native program that is trusted: names of crates, parts of paths of functions or of files.
    pub fn trusted(&self) -> Vec<String> {
        listed(self.settings.trust.as_deref())
    }

    /// The variables to which accesses are steps, if not all are.
    pub fn points(&self) -> Vec<String> {
        listed(self.settings.points.as_deref())
    }

    /// Where times and random numbers come from.
    pub fn inputs(&self) -> Inputs {
        self.settings.inputs.unwrap_or_default()
    }

    /// Are executions made in one process?
    pub fn rerun(&self) -> bool {
        self.settings.rerun.unwrap_or_default()
    }

    /// What becomes of data races.
    pub fn races(&self) -> Races {
        self.settings.races.unwrap_or_default()
    }

    /// Searches until a failure, the end, or a limit; a failure is saved. `tell` is called after each execution.
    pub fn run(&self, target: &mut dyn Foreign, tell: &mut dyn FnMut(&Trace)) -> Report {
        let mut progress = Progress::wanted();
        let tell: &mut dyn FnMut(&Trace) = &mut |trace| {
            if let Some(progress) = &mut progress {
                progress.count(trace.len());
            }
            tell(trace);
        };
        let mut plan = Plan::default();
        plan.options.races = self.races();
        plan.options.inputs = self.inputs();
        let mut summary = Summary::new(plan.clone());
        self.checker.search_in(target, &self.settings, &mut summary, tell);
        let departed = |summary: &Summary| {
            summary.failure.as_ref().is_some_and(|(failure, _)| failure.kind == FailureKind::Nondeterminism)
        };
        while target.starts_again() || (departed(&summary) && target.distrust()) {
            // Races stay what they are.
            plan.points = std::mem::take(&mut summary.plan.points);
            let mut races = std::mem::take(&mut summary.races);
            summary = Summary::new(plan.clone());
            self.checker.search_in(target, &self.settings, &mut summary, tell);
            races.retain(|race| summary.races.iter().all(|again| again.places() != race.places()));
            summary.races.splice(..0, races);
        }
        let points = self.points();
        if !points.is_empty() {
            let guarantee = std::mem::replace(&mut summary.guarantee, Guarantee::Failed);
            summary.guarantee = guarantee.at(format!("{} and calls", points.join(", ")));
        }
        let failure = summary.failure.take().map(|(failure, trace)| {
            let (failure, looked) = if trace.failure() != Some(&failure) {
                (failure, Looked { trace: *trace, original: None, insight: Insight::default() })
            } else {
                let looked = look_into(target, *trace, &summary.plan, &self.settings, true);
                (looked.trace.failure().cloned().unwrap_or(failure), looked)
            };
            self.checker.failure(failure, looked, &summary.plan, target.names(), &self.settings)
        });
        let mut report = Report::new(summary, failure.into_iter().collect());
        self.save(&mut report);
        report
    }

    /// Stops after this time if nothing is said about when to stop.
    pub fn at_most(mut self, time: Duration) -> ForeignCheck {
        if self.settings.executions.is_none() {
            self.settings.time.get_or_insert(time);
        }
        self
    }

    /// Leaves the report for the program that started this one, if it wants to know, and this text for people.
    pub fn leave(&self, report: &Report, text: &str) {
        crate::record::write(&self.checker.name, None, report, text);
    }

    fn save(&self, report: &mut Report) {
        let Some(failure) = report.failure_mut().filter(|failure| failure.kind() != FailureKind::Misuse)
        else {
            return;
        };
        let folder = self.settings.report.clone().unwrap_or_else(|| self.saves_in.clone());
        let folder = folder.join(file_name(&self.folder));
        match write(&failure.recording(), &folder) {
            Ok(path) => {
                let shown = path.strip_prefix(&self.here).unwrap_or(&path).to_owned();
                let line = format!(
                    "saved: {} (gordian report shows it again)\nreplay: gordian replay {}",
                    shown.display(),
                    quoted(&shown.to_string_lossy())
                );
                failure.set_saved(Some(path), line);
                Surroundings { package: self.here.clone(), saves: true }.save_page(report);
            }
            Err(error) => {
                let remark = format!(
                    "the trace could not be saved under {}: {error}; choose another folder with GORDIAN_REPORT",
                    folder.display()
                );
                failure.set_saved(None, remark);
            }
        }
    }

    /// Repeats a saved execution. The places in it were numbered by another search, so that what happens is compared with what was
    /// recorded by file and line.
    pub fn replay(&self, target: &mut dyn Foreign, recording: &Recording, shown: &Path) -> Report {
        let nobody = Names::default();
        let then = recording.plan.names.as_ref().unwrap_or(&nobody);
        target.number_threads(then);
        let choice = |planned: &Planned| Planned { expected: None, ..*planned };
        let prefix = recording.plan.prefix.iter().map(choice).collect();
        let plan = Plan { prefix, names: None, replay: true, ..recording.plan.clone() };
        let start = std::time::Instant::now();
        let trace = target.run(&plan).clone();
        let failure = trace.failure().cloned();
        let outcome = compare(recording, then, &trace, target.names());
        let mut statistics = Statistics::default();
        statistics.take_in(&trace);
        let guarantee = match failure {
            Some(_) => Guarantee::Failed,
            None => Guarantee::Partial { executions: 1, limit: "being a replay of one execution".to_owned() },
        };
        let insight = match &outcome {
            Ok(_) => recording.plan.insight,
            Err(_) => Insight::default(),
        };
        let summary = Summary {
            course: None,
            executions: 1,
            blocked: 0,
            steps: trace.len() as u64,
            complete: false,
            elapsed: start.elapsed(),
            frontier: None,
            guarantee,
            statistics,
            failure: None,
            races: Vec::new(),
            plan,
        };
        let failure = failure.map(|failure| {
            let looked = Looked { trace, original: None, insight };
            self.checker.failure(failure, looked, &summary.plan, target.names(), &self.settings)
        });
        let mut report = Report::new(summary, failure.into_iter().collect());
        let outcome = outcome.unwrap_or_else(|departure| departure);
        report.replayed = Some(format!("replayed {}: {outcome}", shown.display()));
        report
    }
}

/// Names with commas between them.
fn listed(names: Option<&str>) -> Vec<String> {
    let all = names.unwrap_or_default().split(',').map(|name| name.trim().to_owned());
    all.filter(|name| !name.is_empty()).collect()
}

/// Did the same happen? The sentence that says so, or that says what did not.
fn compare(recording: &Recording, then: &Names, now: &Trace, names: &Names) -> Result<String, String> {
    let Some((recorded, failure)) = recording.trace.as_ref().and_then(|t| Some((t, t.failure()?))) else {
        return Err("it recorded no failure".to_owned());
    };
    let step = |step: &Step, names: &Names| {
        format!("{} to {} at {}", names.thread(step.thread), step.kind.verb(), names.place(step.site))
    };
    for (i, (old, new)) in recorded.steps.iter().zip(now.steps.iter()).enumerate() {
        let (old, new) = (step(old, then), step(new, names));
        if old != new {
            return Err(format!(
                "it departed at step {}: expected {old}, but it was {new}. The program has changed, or something in it is not under control (what it reads, random numbers, addresses)",
                i + 1
            ));
        }
    }
    match now.failure() {
        Some(again) if again.message == failure.message && now.len() == recorded.len() => {
            Ok(format!("the same failure in the same {} steps", now.len()))
        }
        Some(_) => Err(format!("it went otherwise than recorded, which was: {}", failure.message)),
        None => Err(format!("the recorded failure did not happen again, which was: {}", failure.message)),
    }
}
