//! `cargo gordian test`: cargo builds the tests of the workspace; those with `#[gordian::test]` are found and run, each in a
//! process of its own, several at once. With `--unmodified`, the others are.

mod budget;
pub(crate) mod build;
pub(crate) mod find;
mod junit;
mod outcome;
mod process;
mod progress;
mod show;

use crate::unmodified::{Hooked, Order};
use budget::Budget;
use build::Program;
use clap::ArgMatches;
use find::Case;
use outcome::{Outcome, Verdict};
use process::Told;
use progress::Progress;
use show::Show;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

/// What a test needs beyond its time: to start, to make a failure small, to write it down.
const GRACE: Duration = Duration::from_secs(10);

/// Does what the command line says.
pub(crate) fn run(matches: &ArgMatches) -> Result<ExitCode, String> {
    let mut arguments = crate::command::for_cargo(matches);
    arguments.extend(matches.get_many::<String>("CARGO TEST ARGS").unwrap_or_default().cloned());
    let filter = matches.get_one::<String>("FILTER").map(String::as_str);
    let (programs, order);
    let cases = if matches.get_flag("unmodified") {
        let hooked = Hooked::prepare(&arguments, crate::command::without_hooks(matches))?;
        programs = build::build(hooked.cargo("test")?, &hooked.arguments)?;
        order = Some(Order::new(&hooked, matches)?);
        chosen(unmodified(&programs)?, filter, "test without #[gordian::test]")?
    } else {
        let mut cargo = build::cargo();
        cargo.arg("test");
        programs = build::build(cargo, &arguments)?;
        order = None;
        let found: Result<Vec<_>, _> = programs.iter().map(find::find).collect();
        chosen(found?.into_iter().flatten().collect(), filter, "#[gordian::test]")?
    };
    let json = matches.get_flag("json");
    if matches.get_flag("list") {
        list(&cases, json);
        return Ok(ExitCode::SUCCESS);
    }
    let results = Run::new(matches, &cases, order)?.all(json)?;
    let any = |verdict| results.iter().any(|outcome| outcome.verdict == verdict);
    Ok(match () {
        () if any(Verdict::Failed) => ExitCode::from(1),
        () if any(Verdict::Error) => ExitCode::from(2),
        () => ExitCode::SUCCESS,
    })
}

/// The tests that know nothing of Gordian. What is left out is said.
fn unmodified(programs: &[Program]) -> Result<Vec<Case<'_>>, String> {
    let mut cases = Vec::new();
    for program in programs {
        if program.kind == "proc-macro" {
            let tests = find::count_in_macro(program)?;
            if tests > 0 {
                eprintln!(
                    "gordian: {} is a procedural macro, a part of the compiler that has no hooks: its tests are not run ({tests})",
                    program.label
                );
            }
            continue;
        }
        match find::find_unmodified(program)? {
            Some(found) => cases.extend(found),
            None => eprintln!(
                "gordian: {} has a harness of its own, so its tests cannot be told apart and are not run",
                program.label
            ),
        }
    }
    Ok(cases)
}

/// The tests that the filter names. That there are none is an error, because it is seldom meant.
fn chosen<'a>(cases: Vec<Case<'a>>, filter: Option<&str>, kind: &str) -> Result<Vec<Case<'a>>, String> {
    let filter = filter.unwrap_or_default();
    let near = |case: &Case<'_>| {
        let last = case.name.rsplit("::").next().unwrap_or_default();
        gordian_search::distance(filter, last).min(gordian_search::distance(filter, &case.name))
    };
    let closest = cases.iter().min_by_key(|case| near(case)).map(|case| case.name.clone());
    let found: Vec<Case<'a>> = cases.into_iter().filter(|case| case.name.contains(filter)).collect();
    match closest {
        _ if !found.is_empty() => Ok(found),
        Some(closest) => Err(format!(
            "no {kind} has {filter:?} in its name (did you mean {closest}?); cargo gordian test --list shows them all"
        )),
        None => Err(format!(
            "there is no {kind} in what cargo test builds here; other packages and features can be asked for, as in \
             cargo gordian test -- --workspace --all-features"
        )),
    }
}

fn list(cases: &[Case<'_>], json: bool) {
    let show = Show::new(cases, None);
    for case in cases {
        if json {
            let Case { program, name, ignored } = case;
            let line = serde_json::json!({ "name": name, "package": program.package, "program": program.label, "ignored": ignored });
            println!("{line}");
        } else {
            println!("{}{}", show.name(case), if case.ignored { " (ignored)" } else { "" });
        }
    }
}

/// A run over tests.
struct Run<'a> {
    cases: &'a [Case<'a>],
    variables: Vec<(String, String)>,
    time: Option<Duration>,
    budget: Option<Duration>,
    include_ignored: bool,
    junit: Option<&'a PathBuf>,
    width: Option<usize>,
    /// For what tests leave.
    folder: Folder,
    /// How they are run if they know nothing of Gordian.
    unmodified: Option<Order>,
}

impl<'a> Run<'a> {
    fn new(
        matches: &'a ArgMatches,
        cases: &'a [Case<'a>],
        unmodified: Option<Order>,
    ) -> Result<Run<'a>, String> {
        let said = |key: &&str| matches.get_one::<String>(key).map(|value| (variable(key), value.clone()));
        let detailed = matches.get_flag("detailed").then(|| (variable("detailed"), "true".to_owned()));
        // On a terminal texts are as wide as that, unless the environment says otherwise.
        let measured = crate::columns();
        Ok(Run {
            cases,
            variables: ["search", "executions", "time", "seed"]
                .iter()
                .filter_map(said)
                .chain(detailed)
                .collect(),
            time: matches.get_one::<String>("time").and_then(|time| gordian::__private::time(time)),
            budget: matches.get_one("budget").copied(),
            include_ignored: matches.get_flag("include-ignored"),
            junit: matches.get_one("junit"),
            width: measured.filter(|_| std::env::var_os("COLUMNS").is_none()),
            folder: Folder::new()?,
            unmodified,
        })
    }

    /// Runs them all, and tells of each as it ends.
    fn all(&self, json: bool) -> Result<Vec<Outcome>, String> {
        let start = Instant::now();
        let show = Show::new(self.cases, self.width);
        let (ignored, wanted): (Vec<_>, Vec<_>) =
            (0..self.cases.len()).partition(|&number| self.cases[number].ignored && !self.include_ignored);
        let mut outcomes: Vec<Option<Outcome>> = self.cases.iter().map(|_| None).collect();
        let mut failed = 0;
        let progress = Progress::new(wanted.len());
        let mut told = |number: usize, outcome: Outcome, ran: bool| {
            let case = &self.cases[number];
            let print = || match json {
                true => println!("{}", outcome.to_json(case)),
                false => show.outcome(case, &outcome),
            };
            failed += usize::from(matches!(outcome.verdict, Verdict::Failed | Verdict::Error));
            if ran {
                progress.done(failed, print)
            } else {
                print()
            }
            outcomes[number] = Some(outcome);
        };
        for number in ignored {
            told(number, Outcome::ignored(), false);
        }
        let at_once =
            std::thread::available_parallelism().map_or(1, usize::from).clamp(1, wanted.len().max(1));
        let budget = self.budget.map(|time| Budget { end: start + time, tests: wanted.len(), at_once });
        let next = AtomicUsize::new(0);
        std::thread::scope(|scope| {
            let (sender, receiver) = std::sync::mpsc::channel();
            for _ in 0..at_once {
                let sender = sender.clone();
                let (next, wanted, budget, progress, show) = (&next, &wanted, &budget, &progress, &show);
                scope.spawn(move || {
                    loop {
                        let turn = next.fetch_add(1, Ordering::Relaxed);
                        let Some(&number) = wanted.get(turn) else { return };
                        let share = budget.as_ref().map(|budget| budget.share(turn, Instant::now()));
                        let outcome = self.one(number, share, progress, show);
                        // Nobody listens any more only if telling of an earlier one has failed.
                        let _ = sender.send((number, outcome));
                    }
                });
            }
            drop(sender);
            for (number, outcome) in receiver {
                told(number, outcome, true);
            }
        });
        drop(progress);
        let outcomes: Vec<Outcome> = outcomes.into_iter().flatten().collect();
        let results: Vec<(&Case<'_>, &Outcome)> = self.cases.iter().zip(&outcomes).collect();
        if let Some(file) = self.junit {
            let text = junit::junit(&results, start.elapsed());
            std::fs::write(file, text)
                .map_err(|error| format!("cannot write {}: {error}", file.display()))?;
        }
        if !json {
            show.summary(&results, start.elapsed());
            if self.unmodified.is_some() && self.cases.iter().any(|case| case.program.has_documentation) {
                println!("tests in the documentation are not run with --unmodified");
            }
        }
        Ok(outcomes)
    }

    fn one(&self, number: usize, share: Option<Duration>, progress: &Progress, show: &Show) -> Outcome {
        let case = &self.cases[number];
        let line = progress.test(&show.name(case));
        let result = self.folder.0.join(format!("{number}.json"));
        let time = self.time.into_iter().chain(share).min();
        let unmodified = self.unmodified.as_ref();
        let grace = GRACE + unmodified.map_or(Duration::ZERO, Order::patience);
        let told = Told {
            variables: &self.variables,
            budget: share,
            patience: time.map(|time| time + grace),
            columns: self.width,
            result: &result,
            unmodified,
        };
        let outcome = process::run(case, &told, |executions| {
            line.set_message(format!("{executions} executions"));
        });
        line.finish_and_clear();
        outcome
    }
}

fn variable(key: &str) -> String {
    format!("GORDIAN_{}", key.to_uppercase())
}

/// A temporary folder.
struct Folder(PathBuf);

impl Folder {
    fn new() -> Result<Folder, String> {
        let path = std::env::temp_dir().join(format!("gordian-test-{}", std::process::id()));
        std::fs::create_dir_all(&path).map_err(|error| format!("cannot make {}: {error}", path.display()))?;
        Ok(Folder(path))
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        // It is in the folder for temporary files, so what cannot be removed now is removed by others.
        let _ = std::fs::remove_dir_all(AsRef::<Path>::as_ref(&self.0));
    }
}
