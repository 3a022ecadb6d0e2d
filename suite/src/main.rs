//! Lists, checks, shows and measures the bugs of the suite.

use gordian_suite::native::debian::COMPRESSORS;
use gordian_suite::native::search::{Effort, search_all};
use gordian_suite::native::tools::{self, Tools};
use gordian_suite::native::{self, page};
use gordian_suite::objects::{self, SUBJECTS, Subject};
use gordian_suite::table::{self, Options};
use gordian_suite::{Program, SECTIONS, check, efficiency, programs};
use std::process::ExitCode;

const USAGE: &str = "\
usage: gordian-suite COMMAND

  list                       the programs
  check [--only NAME]        every buggy version fails as expected, no fixed one does and each reaches a guarantee
  run NAME [--search S] [--limit N] [--seed N] [--fixed]
                             search one program and show what a user would see, and what the failure needs
  table [--limit 10000] [--seeds 20] [--only NAME]
                             every strategy on every bug; without --only writes docs/suite.md, docs/suite.json, docs/figures/suite.svg
  efficiency [--preemptions 2] [--limit 200000] [--only NAME]
                             executions for each class of equivalent ones of the fixed versions, with preemptions bounded
  objects [--seconds 30] [--only NAME]
                             checks the objects for linearizability, and lets the searches race; without --only writes docs/objects.md
  native [--quick] [NAME..]  compiles the native programs with hooks and searches them and their fixed twins, and explores programs of Debian;
                             without --quick and NAME writes docs/native-suite.md

NAME may be the beginning of a name, for all programs that begin so.";

fn main() -> ExitCode {
    gordian_cli::end_when_nobody_reads();
    if let Some(code) = tools::command() {
        return code;
    }
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match command(&arguments) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(message) => {
            eprintln!("{message}\n\n{USAGE}");
            ExitCode::from(2)
        }
    }
}

/// Carries out a command, and says whether all was well.
fn command(arguments: &[String]) -> Result<bool, String> {
    let Some((command, rest)) = arguments.split_first() else { return Err("no command".to_owned()) };
    match command.as_str() {
        "list" => {
            flags(rest, &[])?;
            list();
            Ok(true)
        }
        "check" => {
            let [only] = flags(rest, &["--only"])?;
            let (programs, subjects) = (chosen(only), subjects(only));
            if let (Err(message), Err(_)) = (&programs, &subjects) {
                return Err(message.clone());
            }
            Ok(check_all(&programs.unwrap_or_default(), &subjects.unwrap_or_default()))
        }
        "run" => {
            let Some((name, rest)) = rest.split_first() else { return Err("run what?".to_owned()) };
            let fixed = rest.iter().any(|a| a == "--fixed");
            let rest: Vec<String> = rest.iter().filter(|a| *a != "--fixed").cloned().collect();
            let [search, limit, seed] = flags(&rest, &["--search", "--limit", "--seed"])?;
            let (limit, seed) = (number(limit, check::MOST)?, number(seed, 0)?);
            for program in chosen(Some(name))? {
                run(program, search.unwrap_or("auto"), limit, seed, !fixed);
            }
            Ok(true)
        }
        "objects" => {
            let [seconds, only] = flags(rest, &["--seconds", "--only"])?;
            let rows = objects::table::measure(&subjects(only)?, number(seconds, 30)?);
            let page = objects::table::markdown(&rows, number(seconds, 30)?);
            print!("{page}");
            if only.is_none() {
                objects::table::write(&page).map_err(|e| format!("docs/ cannot be written: {e}"))?;
            }
            Ok(rows.iter().all(objects::table::Row::is_as_expected))
        }
        "efficiency" => {
            let [bound, limit, only] = flags(rest, &["--preemptions", "--limit", "--only"])?;
            efficiency(&chosen(only)?, number(bound, 2)?, number(limit, 200_000)?);
            Ok(true)
        }
        "native" => native_programs(rest),
        // How `table` asks, in a process of its own that it can end.
        "needs" => {
            let [name] = rest else { return Err("of one program".to_owned()) };
            let needs = table::needs_of(chosen(Some(name))?[0]);
            println!("{}", serde_json::json!(needs));
            Ok(true)
        }
        "table" => {
            let [limit, seeds, only] = flags(rest, &["--limit", "--seeds", "--only"])?;
            let options = Options { limit: number(limit, check::MOST)?, seeds: number(seeds, 20)? };
            let rows = table::measure(&chosen(only)?, &options);
            print!("{}", table::markdown(&rows, &options));
            if only.is_none() {
                table::write(&rows, &options).map_err(|e| format!("docs/ cannot be written: {e}"))?;
            }
            Ok(true)
        }
        other => Err(format!("there is no command {other}")),
    }
}

/// Searches the native programs, and says whether all is as expected.
fn native_programs(arguments: &[String]) -> Result<bool, String> {
    let (quick, names): (Vec<&String>, Vec<&String>) = arguments.iter().partition(|a| *a == "--quick");
    let is_meant =
        |name: &str| names.is_empty() || names.iter().any(|wanted| name.starts_with(wanted.as_str()));
    let programs: Vec<_> = native::programs()?.into_iter().filter(|p| is_meant(&p.name)).collect();
    let compressors: Vec<_> =
        COMPRESSORS.iter().filter(|c| is_meant(&format!("debian/{}", c.name))).collect();
    if programs.is_empty() && compressors.is_empty() {
        return Err("there is no such program; they are in suite/native, as c/aba, and there is debian/zstd"
            .to_owned());
    }
    let effort = if quick.is_empty() { Effort::FULL } else { Effort::QUICK };
    let me = std::env::current_exe().map_err(|error| format!("cannot find this program: {error}"))?;
    let tools = Tools::new(me)?;
    let rows = search_all(&tools, &programs, &effort, |row, _| println!("{}", page::line(row)));
    let mut wrong: Vec<String> = rows.iter().filter_map(|row| row.wrong()).collect();
    let mut debian = Vec::new();
    for compressor in compressors {
        if !compressor.is_there() {
            wrong.push(format!("debian/{0}: apt-get install {0} installs it", compressor.name));
            continue;
        }
        let found = compressor.explore(&tools.out().join("debian"), effort.limits())?;
        println!("debian/{}: {} executions compared; {}", compressor.name, found.compared, found.guarantee);
        wrong.extend(found.wrong.as_ref().map(|wrong| format!("debian/{}: {wrong}", compressor.name)));
        debian.push((compressor, found));
    }
    if quick.is_empty() && names.is_empty() {
        let page = page::markdown(&rows, &debian, &effort);
        page::write(&page).map_err(|e| format!("docs/ cannot be written: {e}"))?;
    }
    wrong.iter().for_each(|wrong| println!("\nWRONG {wrong}"));
    println!("{}", if wrong.is_empty() { "all as expected" } else { "not all as expected" });
    Ok(wrong.is_empty())
}

/// The values of the flags, in the order in which they are allowed.
fn flags<'a, const N: usize>(
    arguments: &'a [String],
    allowed: &[&str; N],
) -> Result<[Option<&'a str>; N], String> {
    let mut values = [None; N];
    let mut arguments = arguments.iter();
    while let Some(argument) = arguments.next() {
        let place = allowed.iter().position(|flag| flag == argument);
        let place = place.ok_or_else(|| format!("{argument} is not understood here"))?;
        let value = arguments.next().ok_or_else(|| format!("{argument} needs a value"))?;
        values[place] = Some(value.as_str());
    }
    Ok(values)
}

fn number(text: Option<&str>, usual: u64) -> Result<u64, String> {
    text.map_or(Ok(usual), |t| t.parse().map_err(|_| format!("{t} is not a number")))
}

/// The programs with that name, or with names that begin so.
fn chosen(name: Option<&str>) -> Result<Vec<&'static Program>, String> {
    let Some(name) = name else { return Ok(programs().collect()) };
    if let Some(exactly) = programs().find(|p| p.name == name) {
        return Ok(vec![exactly]);
    }
    let found: Vec<_> = programs().filter(|p| p.name.starts_with(name)).collect();
    if found.is_empty() { Err(format!("there is no program {name}; see list")) } else { Ok(found) }
}

fn list() {
    for section in SECTIONS {
        println!("{} ({})", section.title, section.programs.len());
        for program in section.programs {
            println!("  {:<22} {} ({})", program.name, program.about, program.kind);
        }
    }
    println!("Objects, checked for linearizability ({})", SUBJECTS.len());
    for subject in SUBJECTS {
        println!("  {:<22} {} ({})", subject.name, subject.about, subject.kind);
    }
}

/// The objects with names that begin so.
fn subjects(name: Option<&str>) -> Result<Vec<&'static Subject>, String> {
    let found: Vec<_> =
        SUBJECTS.iter().filter(|s| name.is_none_or(|name| s.name.starts_with(name))).collect();
    if found.is_empty() { Err("there is no such object; see list".to_owned()) } else { Ok(found) }
}

fn check_all(programs: &[&Program], subjects: &[&Subject]) -> bool {
    let mut well = true;
    let lines = programs.iter().map(|p| check::check(p));
    for line in lines.chain(subjects.iter().map(|s| objects::check::check(s))) {
        match line {
            Ok(line) => println!("{line}"),
            Err(line) => {
                well = false;
                println!("WRONG {line}");
            }
        }
    }
    println!("{}", if well { "all as expected" } else { "not all as expected" });
    well
}

/// What bounded searches make of the fixed versions.
fn efficiency(programs: &[&Program], bound: u64, limit: u64) {
    for program in programs {
        for search in [format!("preemptions:{bound}"), format!("preemptions:{bound},dfs")] {
            let found = efficiency::measure(program, &search, limit, 60);
            println!(
                "{:<20} {search:<18} {:>8} executions ({} cut short), {:>8} classes, {:>8.2} for each{}",
                program.name,
                found.executions,
                found.blocked,
                found.classes,
                found.inefficiency(),
                if found.complete { "" } else { " (not to its end)" },
            );
        }
    }
}

fn run(program: &Program, search: &str, limit: u64, seed: u64, buggy: bool) {
    println!("{} ({})\n{}\n", program.name, program.source, program.about);
    let report = check::search(program, buggy, search, limit, seed);
    println!("{report}");
    if report.failure().is_some() {
        match report.characterise() {
            Ok(character) => println!("it needs {character} ({} executions)", character.executions),
            Err(error) => println!("what it needs: {error}"),
        }
        if let Some((c, v, t)) = program.published {
            println!("published: ({c}, {v}, {t})");
        }
        if let Some(effort) = program.effort() {
            println!("published to have been found after: {effort}");
        }
    }
}
