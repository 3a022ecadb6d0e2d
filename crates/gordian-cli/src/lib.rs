//! The commands `gordian` and `cargo gordian`. Exit status: 0 nothing found or the job is done, 1 a failure was found, 2 the
//! job could not be done.
#![forbid(unsafe_code)]

mod cc;
mod command;
mod debug;
mod demo;
mod native;
mod pages;
mod pipe;
mod races;
mod saved;
mod test;
mod unmodified;

use clap::ArgMatches;
use gordian_report::Look;
use std::ffi::OsString;
use std::io::IsTerminal;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

pub use pipe::end_when_nobody_reads;

/// The `gordian` command.
pub fn gordian() -> ExitCode {
    end_when_nobody_reads();
    let arguments: Vec<OsString> = std::env::args_os().skip(1).collect();
    if let Some(result) = cc::run(&arguments) {
        return ended(result);
    }
    let matches = command::gordian().get_matches();
    let path =
        |matches: &ArgMatches, name: &str| matches.get_one::<PathBuf>(name).cloned().unwrap_or_default();
    let file = |matches: &ArgMatches| path(matches, "FILE");
    match matches.subcommand() {
        Some(("run", matches)) => return ended(native::run(matches)),
        Some(("replay", matches)) if !matches.get_flag("debug") => {
            if let Some(result) = native::replay(&file(matches)) {
                return ended(result);
            }
        }
        _ => {}
    }
    let result = match matches.subcommand() {
        Some(("demo", _)) => demo::run(),
        Some(("report", matches)) => match matches.get_one::<PathBuf>("html") {
            Some(out) => saved::html(&file(matches), out),
            None => {
                let terminal = std::io::stdout().is_terminal();
                let look = Look::from_environment(terminal).measured(columns);
                saved::report(&file(matches), &look.detailed(matches.get_flag("detailed")))
            }
        },
        Some(("replay", matches)) if matches.get_flag("debug") => {
            return ended(debug::run(&file(matches), matches));
        }
        Some(("moment", matches)) => debug::native::moment(&file(matches), &path(matches, "STOPPED")),
        Some(("replay", matches)) => saved::replay(&file(matches)),
        Some(("explain", matches)) => saved::explain(&file(matches)),
        Some(("completions", matches)) => pages::completions(matches),
        Some(("man", matches)) => pages::man(Path::new(&path(matches, "DIR"))),
        _ => unreachable!("clap asks for a subcommand"),
    };
    ended(result.map(|()| ExitCode::SUCCESS))
}

/// The `cargo-gordian` command, which cargo starts as `cargo-gordian gordian ARGUMENTS`; people may leave out the second word.
pub fn cargo_gordian() -> ExitCode {
    end_when_nobody_reads();
    let mut arguments: Vec<OsString> = std::env::args_os().collect();
    if let Some(result) = unmodified::started_for(&arguments) {
        return ended(result);
    }
    if arguments.get(1).is_none_or(|first| first != "gordian") {
        arguments.insert(1.min(arguments.len()), "gordian".into());
    }
    let matches = command::cargo().get_matches_from(arguments);
    ended(match matches.subcommand_matches("gordian").and_then(ArgMatches::subcommand) {
        Some(("run", matches)) => unmodified::run(matches),
        Some(("test", matches)) => test::run(matches),
        _ => unreachable!("clap asks for a subcommand"),
    })
}

/// The width of the terminal, if there is one.
fn columns() -> Option<usize> {
    console::Term::stdout().size_checked().map(|(_, columns)| usize::from(columns))
}

fn ended(result: Result<ExitCode, String>) -> ExitCode {
    result.unwrap_or_else(|message| {
        eprintln!("gordian: {message}");
        ExitCode::from(2)
    })
}
