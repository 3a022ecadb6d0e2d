//! The main job on an embedded example: finds a bug, shows it, replays it, writes the page for the browser, and proves the fix.

mod account;

use account::{Account, two_withdrawals};
use gordian::{Checker, Plan, Report};
use std::path::PathBuf;

const SOURCE: &str = include_str!("account.rs");

fn broken() {
    two_withdrawals(Account::withdraw);
}

fn fixed() {
    two_withdrawals(Account::withdraw_fixed);
}

pub(crate) fn run() -> Result<(), String> {
    println!("An account holds 100. Two threads withdraw 60 each; only one may succeed.\n");
    show("pub fn withdraw(");
    println!();
    show("pub fn two_withdrawals");

    heading("1. Search for an interleaving that fails");
    let report = Checker::new().name("demo").run(broken);
    let failure = report.failure().ok_or("the bug of the example was not found")?;
    print!("{failure}");
    println!("found in execution {} after {:.1?}", report.executions(), report.elapsed());

    heading("2. Save it, load it, replay it");
    let path = folder().join("demo.trace");
    failure.save(&path).map_err(|error| error.to_string())?;
    let plan = Plan::load(&path).map_err(|error| error.to_string())?;
    let again = gordian::replay(&plan, broken);
    same(&report, &again)?;
    println!("saved to {} (gordian report shows it again)", path.display());
    println!("the replay failed in the same way, in the same {} steps", failure.trace().len());

    let page = path.with_extension("html");
    std::fs::write(&page, report.html().unwrap_or_default())
        .map_err(|error| format!("cannot write {}: {error}", page.display()))?;
    println!("as a page for the browser: {}", page.display());

    heading("3. Check the fix: one lock over the test and the withdrawal");
    show("pub fn withdraw_fixed(");
    println!();
    let report = Checker::new().name("demo").run(fixed);
    println!("{report}");
    if report.failure().is_some() || !report.complete() {
        return Err("the fixed example was not proved".to_owned());
    }

    heading("In your own crate");
    println!("Use gordian::sync and gordian::thread in place of std's, write #[gordian::test]");
    println!("in place of #[test], and run cargo test. README.md shows a session.");
    Ok(())
}

fn heading(text: &str) {
    println!("\n{text}\n{}", "-".repeat(text.len()));
}

/// Prints the lines of a function of the example, with their numbers.
fn show(beginning: &str) {
    let lines: Vec<&str> = SOURCE.lines().collect();
    let start = lines.iter().position(|line| line.trim_start().starts_with(beginning)).unwrap_or(0);
    let indent = lines[start].len() - lines[start].trim_start().len();
    for (i, line) in lines.iter().enumerate().skip(start) {
        println!("{:>4}  {}", i + 1, line.get(indent..).unwrap_or_default());
        if line.len() == indent + 1 {
            break;
        }
    }
}

fn same(first: &Report, again: &Report) -> Result<(), String> {
    let (first, again) = first.failure().zip(again.failure()).ok_or("the replay did not fail")?;
    let steps = |failure: &gordian::Failure| failure.trace().choices().collect::<Vec<_>>();
    if first.message() == again.message() && steps(first) == steps(again) {
        Ok(())
    } else {
        Err(format!("the replay failed otherwise:\n{again}"))
    }
}

/// The target folder if there is one, else a temporary one: the demo leaves nothing behind in a folder of the user's.
fn folder() -> PathBuf {
    let target = std::env::current_exe().ok().and_then(|program| {
        program
            .ancestors()
            .skip(1)
            .find(|folder| folder.join("CACHEDIR.TAG").is_file())
            .map(|t| t.join("gordian"))
    });
    let folder =
        target.unwrap_or_else(|| std::env::temp_dir().join(format!("gordian-demo-{}", std::process::id())));
    std::env::current_dir()
        .ok()
        .and_then(|here| Some(folder.strip_prefix(here).ok()?.to_owned()))
        .unwrap_or(folder)
}
