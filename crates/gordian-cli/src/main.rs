//! The `gordian` command. Exit status: 0 nothing found or the job is done, 1 a failure was found, 2 the job could not be done.
#![forbid(unsafe_code)]

mod demo;
mod saved;

use clap::{Arg, ArgAction, Command};
use gordian_report::Look;
use std::io::IsTerminal;
use std::path::PathBuf;
use std::process::ExitCode;

fn command() -> Command {
    let file =
        || Arg::new("FILE").required(true).value_parser(clap::value_parser!(PathBuf)).help("A saved trace");
    let html = Arg::new("html")
        .long("html")
        .value_name("OUT")
        .value_parser(clap::value_parser!(PathBuf))
        .help("Write a page for the browser to this file, which needs no other");
    Command::new("gordian")
        .version(env!("CARGO_PKG_VERSION"))
        .about("Finds the concurrency bugs that stress tests miss, and replays them")
        .subcommand_required(true)
        .arg_required_else_help(true)
        .after_help("Tests are run by cargo test; see #[gordian::test].")
        .subcommand(Command::new("demo").about("Find a bug in an example, replay it, and prove the fix"))
        .subcommand(
            Command::new("report")
                .about("Print a saved failure, or write it as a page")
                .arg(file())
                .arg(Arg::new("detailed").long("detailed").action(ArgAction::SetTrue).help("Show every step"))
                .arg(html),
        )
        .subcommand(Command::new("replay").about("Print the line that replays a saved failure").arg(file()))
        .subcommand(
            Command::new("explain")
                .about("Print the line that finds out how many preemptions, variables and threads a saved failure needs")
                .arg(file()),
        )
}

fn main() -> ExitCode {
    let matches = command().get_matches();
    let file = |matches: &clap::ArgMatches| matches.get_one::<PathBuf>("FILE").cloned().unwrap_or_default();
    let result = match matches.subcommand() {
        Some(("demo", _)) => demo::run(),
        Some(("report", matches)) => match matches.get_one::<PathBuf>("html") {
            Some(out) => saved::html(&file(matches), out),
            None => {
                let look = Look::from_environment(std::io::stdout().is_terminal());
                saved::report(&file(matches), &look.detailed(matches.get_flag("detailed")))
            }
        },
        Some(("replay", matches)) => saved::replay(&file(matches)),
        Some(("explain", matches)) => saved::explain(&file(matches)),
        _ => unreachable!("clap asks for a subcommand"),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("gordian: {message}");
            ExitCode::from(2)
        }
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_command_line_is_consistent() {
        super::command().debug_assert();
    }
}
