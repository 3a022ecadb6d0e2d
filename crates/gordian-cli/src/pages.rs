//! Completions and man pages, from the definitions of the command line.

use crate::command;
use clap::ArgMatches;
use clap_complete::Shell;
use std::path::Path;

/// Prints a completion script.
pub(crate) fn completions(matches: &ArgMatches) -> Result<(), String> {
    let shell = *matches.get_one::<Shell>("SHELL").expect("clap asks for it");
    let mut command = match matches.get_one::<String>("COMMAND").map(String::as_str) {
        Some("cargo-gordian") => command::cargo_gordian(),
        _ => command::gordian(),
    };
    let name = command.get_name().to_owned();
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut command, name, &mut script);
    use std::io::Write;
    std::io::stdout().write_all(&script).map_err(|error| format!("cannot write the script: {error}"))
}

/// Writes the man pages.
pub(crate) fn man(folder: &Path) -> Result<(), String> {
    let wrong = |error: std::io::Error| format!("cannot write to {}: {error}", folder.display());
    std::fs::create_dir_all(folder).map_err(wrong)?;
    for command in [command::gordian(), command::cargo_gordian()] {
        clap_mangen::generate_to(command.disable_help_subcommand(true), folder).map_err(wrong)?;
    }
    println!("written to {}", folder.display());
    Ok(())
}
