//! What can be said on the command line. Help, completions and man pages come from here.

use clap::{Arg, ArgAction, ArgMatches, Command, value_parser};
use std::path::PathBuf;

/// `gordian`
pub(crate) fn gordian() -> Command {
    let file = || Arg::new("FILE").required(true).value_parser(value_parser!(PathBuf)).help("A saved trace");
    let html = Arg::new("html")
        .long("html")
        .value_name("OUT")
        .value_parser(value_parser!(PathBuf))
        .help("Write a page for the browser to this file, which needs no other");
    Command::new("gordian")
        .version(env!("CARGO_PKG_VERSION"))
        .about("Finds the concurrency bugs that stress tests miss, and replays them")
        .subcommand_required(true)
        .arg_required_else_help(true)
        .after_help("Tests are run by cargo gordian test, or by cargo test; see #[gordian::test].")
        .subcommand(Command::new("demo").about("Find a bug in an example, replay it, and prove the fix"))
        .subcommand(
            Command::new("report")
                .about("Print a saved failure, or write it as a page")
                .arg(file())
                .arg(Arg::new("detailed").long("detailed").action(ArgAction::SetTrue).help("Show every step"))
                .arg(html),
        )
        .subcommand(
            Command::new("replay")
                .about("Replay a saved failure of a native program, print the line that replays that of a test, or run it in a debugger")
                .arg(file())
                .arg(
                    Arg::new("debug")
                        .long("debug")
                        .action(ArgAction::SetTrue)
                        .help("Run it under gdb, stopped before the last step; gordian help there lists what can be done"),
                )
                .arg(
                    Arg::new("command")
                        .long("command")
                        .value_name("COMMAND")
                        .action(ArgAction::Append)
                        .requires("debug")
                        .help("A command for gdb, such as 'gordian threads'; may be given more than once"),
                )
                .arg(
                    Arg::new("batch")
                        .long("batch")
                        .action(ArgAction::SetTrue)
                        .requires("debug")
                        .help("Leave gdb after these commands"),
                )
                .arg(
                    Arg::new("CARGO TEST ARGS")
                        .last(true)
                        .num_args(..)
                        .value_name("CARGO TEST ARGS")
                        .requires("debug")
                        .help("What cargo test is to be told to build the test, such as -p NAME or --lib"),
                ),
        )
        .subcommand(
            // What the commands for gdb ask to find out where a native program has stopped.
            Command::new("moment").hide(true).arg(file()).arg(Arg::new("STOPPED").required(true).value_parser(clap::value_parser!(std::path::PathBuf))),
        )
        .subcommand(run())
        .subcommand(compiler("cc", "Compile C with hooks, so that accesses to memory are seen when the program is run"))
        .subcommand(compiler("c++", "Compile C++ with hooks, so that accesses to memory are seen when the program is run"))
        .subcommand(
            Command::new("explain")
                .about("Print the line that finds out how many preemptions, variables and threads a saved failure needs")
                .arg(file()),
        )
        .subcommand(
            Command::new("completions")
                .about("Print a script that lets a shell complete what is typed")
                .arg(
                    Arg::new("SHELL")
                        .required(true)
                        .value_parser(value_parser!(clap_complete::Shell))
                        .help("The shell"),
                )
                .arg(
                    Arg::new("COMMAND")
                        .value_parser(["gordian", "cargo-gordian"])
                        .default_value("gordian")
                        .help("The command to be completed"),
                ),
        )
        .subcommand(
            Command::new("man").about("Write the man pages of all commands").arg(
                Arg::new("DIR")
                    .required(true)
                    .value_parser(value_parser!(PathBuf))
                    .help("The folder to write them to"),
            ),
        )
}

/// `cargo gordian`, as cargo starts it: with its own name as the first argument.
pub(crate) fn cargo() -> Command {
    let gordian = cargo_gordian().name("gordian");
    Command::new("cargo").bin_name("cargo").subcommand_required(true).subcommand(gordian)
}

/// `cargo gordian`, as its pages show it.
pub(crate) fn cargo_gordian() -> Command {
    Command::new("cargo-gordian")
        .version(env!("CARGO_PKG_VERSION"))
        .about("Finds the concurrency bugs that stress tests miss")
        .subcommand_required(true)
        .arg_required_else_help(true)
        .subcommand(test())
        .subcommand(cargo_run())
}

/// For the pages only: what follows the name goes to the compiler as it is, see `cc`.
fn compiler(name: &'static str, about: &'static str) -> Command {
    Command::new(name)
        .about(about)
        .disable_help_flag(true)
        .after_help(
            "The compiler is the first of --compiler, GORDIAN_CC (for c++ GORDIAN_CXX) and cc (c++); it has to be gcc or clang. \
             With make, say make CC='gordian cc'.",
        )
        .arg(
            Arg::new("compiler")
                .long("compiler")
                .value_name("NAME")
                .help("The compiler to use; only as the first argument"),
        )
        .arg(
            Arg::new("ARGUMENTS")
                .num_args(..)
                .trailing_var_arg(true)
                .allow_hyphen_values(true)
                .help("What the compiler is told"),
        )
}

/// The keys of the settings that `gordian run` takes.
pub(crate) const RUN_SETTINGS: &[&str] = &[
    "search",
    "executions",
    "time",
    "seed",
    "steps",
    "fair_rounds",
    "spurious_wakeups",
    "minimise",
    "trust",
    "points",
    "races",
    "inputs",
    "report",
];

fn run() -> Command {
    let about = "Run an unmodified program in every interleaving of its threads that can make a difference";
    with_run_settings(Command::new("run").about(about)).arg(
        Arg::new("PROGRAM")
            .required(true)
            .last(true)
            .num_args(1..)
            .value_name("PROGRAM")
            .help("The program and its arguments, after --"),
    )
}

/// `cargo gordian run`
fn cargo_run() -> Command {
    let about = "Build a program of the workspace with hooks and run it in every interleaving of its threads that can make a difference";
    let command = with_run_settings(Command::new("run").about(about))
        .arg(
            unmodified()
                .required(true)
                .help("The program is plain Rust: compile it and its dependencies with hooks"),
        )
        .arg(plain());
    with_cargo_options(
        command,
        &["lib", "test", "tests", "bins", "examples", "all-targets", "workspace", "exclude"],
    )
    .arg(
        Arg::new("ARGUMENTS")
            .last(true)
            .num_args(..)
            .value_name("ARGUMENTS")
            .help("What the program is told, after --"),
    )
}

fn unmodified() -> Arg {
    Arg::new("unmodified").long("unmodified").action(ArgAction::SetTrue)
}

fn plain() -> Arg {
    Arg::new("plain")
        .long("plain")
        .value_name("CRATE,..")
        .action(ArgAction::Append)
        .value_delimiter(',')
        .requires("unmodified")
        .help("Crates that are compiled without hooks")
}

/// The crates that are to be compiled without hooks.
pub(crate) fn without_hooks(matches: &ArgMatches) -> Vec<String> {
    matches.try_get_many("plain").ok().flatten().into_iter().flatten().cloned().collect()
}

/// Options of cargo's that can be said without --: name, letter, value, help.
const CARGO_OPTIONS: &[(&str, Option<char>, Option<&str>, &str)] = &[
    ("package", Some('p'), Some("SPEC"), "The package"),
    ("workspace", None, None, "All packages of the workspace"),
    ("exclude", None, Some("SPEC"), "Not this package"),
    ("lib", None, None, "The library of the package"),
    ("bin", None, Some("NAME"), "This program"),
    ("bins", None, None, "All programs"),
    ("example", None, Some("NAME"), "This example"),
    ("examples", None, None, "All examples"),
    ("test", None, Some("NAME"), "This integration test"),
    ("tests", None, None, "Everything that has tests"),
    ("all-targets", None, None, "All targets"),
    ("release", Some('r'), None, "Build with optimisations"),
    ("profile", None, Some("NAME"), "Build with this profile"),
    ("features", Some('F'), Some("FEATURES"), "Features to be switched on"),
    ("all-features", None, None, "Switch on all features"),
    ("no-default-features", None, None, "Leave out the default features"),
    ("manifest-path", None, Some("PATH"), "The Cargo.toml"),
    ("target-dir", None, Some("DIR"), "The folder for what is built"),
    ("jobs", Some('j'), Some("N"), "How many compilers at once"),
    ("locked", None, None, "Cargo.lock stays as it is"),
    ("offline", None, None, "Do not use the network"),
    ("frozen", None, None, "Both"),
];

fn with_cargo_options(command: Command, but: &[&str]) -> Command {
    let wanted = CARGO_OPTIONS.iter().filter(|(name, ..)| !but.contains(name));
    wanted.fold(command, |command, &(name, letter, value, help)| {
        let arg = Arg::new(name).long(name).help(help).help_heading("Options for cargo");
        let arg = letter.map_or(arg.clone(), |letter| arg.short(letter));
        command.arg(match value {
            Some(value) => arg.value_name(value).action(ArgAction::Append),
            None => arg.action(ArgAction::SetTrue),
        })
    })
}

/// What cargo is to be told of what was said.
pub(crate) fn for_cargo(matches: &ArgMatches) -> Vec<String> {
    let mut all = Vec::new();
    for (name, _, value, _) in CARGO_OPTIONS {
        if value.is_none() {
            if matches.try_get_one(name).ok().flatten() == Some(&true) {
                all.push(format!("--{name}"));
            }
        } else if let Ok(Some(values)) = matches.try_get_many::<String>(name) {
            all.extend(values.map(|value| format!("--{name}={value}")));
        }
    }
    all
}

/// Is it an example that is meant?
pub(crate) fn asks_for_example(matches: &ArgMatches) -> bool {
    matches.get_many::<String>("example").is_some()
}

fn patience() -> Arg {
    Arg::new("patience")
        .long("patience")
        .value_name("T")
        .default_value("10s")
        .value_parser(|text: &str| {
            gordian::__private::time(text).ok_or("expected a number with a unit (ms, s, m, h), such as 10s")
        })
        .help("How long the program may go without a call that is controlled")
}

fn rerun() -> Arg {
    Arg::new("rerun").long("rerun").action(ArgAction::SetTrue).help(
        "Make many executions in one process, which puts its memory back after each: ten times as fast, for programs that leave nothing \
         behind but memory",
    )
}

fn with_run_settings(command: Command) -> Command {
    let option = |key: &'static str, value: &'static str, help: &'static str| {
        let name: &'static str = match key {
            "fair_rounds" => "fair-rounds",
            "spurious_wakeups" => "spurious-wakeups",
            _ => key,
        };
        setting(key, value, help).long(name)
    };
    command
        .after_help(
            "Settings given here beat the environment and gordian.toml. Exit status: 0 nothing found, 1 a failure was found, 2 the \
             job could not be done.",
        )
        .arg(option("search", "S", "How to search, such as exhaustive or preemptions:2"))
        .arg(option("executions", "N", "At most so many executions"))
        .arg(option("time", "T", "At most so much time, such as 10s"))
        .arg(option("seed", "N", "What random choices start from"))
        .arg(option("steps", "N", "At most so many steps in one execution; more is a failure"))
        .arg(option("fair_rounds", "N", "How often a thread may yield or sleep in a row before the others go first"))
        .arg(option("spurious_wakeups", "BOOL", "May a condition variable wake a thread that nobody signalled?"))
        .arg(option("minimise", "N", "At most so many executions to make a failure small with"))
        .arg(option("trust", "NAMES", "Code compiled with hooks whose atomics are no steps of their own: crates, functions or files, with commas"))
        .arg(option("points", "NAMES", "Only accesses to these variables are steps, besides calls: global variables of code compiled with hooks, with commas"))
        .arg(option("races", "WHAT", "What becomes of data races: fail, explore (the accesses become steps, and the search goes on) or ignore"))
        .arg(option("inputs", "WHAT", "Times, random numbers and numbers of processes: virtual, recorded (real, and given back in a replay) or travel (recorded, with time travel)"))
        .arg(option("report", "DIR", "Save failures under this folder instead of target/gordian"))
        .arg(patience())
        .arg(rerun())
        .arg(Arg::new("json").long("json").action(ArgAction::SetTrue).help("Print the result as one JSON object"))
}

/// The same parser as for the environment, the attribute and gordian.toml.
fn setting(key: &'static str, value: &'static str, help: &'static str) -> Arg {
    Arg::new(key)
        .long(key)
        .value_name(value)
        .value_parser(move |text: &str| {
            gordian::__private::check_setting(key, text).map(|()| text.to_owned())
        })
        .help(help)
}

fn test() -> Command {
    let flag = |name: &'static str, help: &'static str| {
        Arg::new(name).long(name).action(ArgAction::SetTrue).help(help)
    };
    let command = Command::new("test")
        .about("Build the tests of the workspace and run every #[gordian::test] among them, or every other #[test]")
        .after_help(
            "Settings given here beat the environment, the attribute and gordian.toml. Exit status: 0 nothing found, 1 a \
             failure was found, 2 the job could not be done.",
        )
        .arg(setting("search", "S", "How to search, such as exhaustive or preemptions:2"))
        .arg(setting("executions", "N", "At most so many executions of each test"))
        .arg(setting("time", "T", "At most so much time for each test, such as 10s"))
        .arg(setting("seed", "N", "What random choices start from"))
        .arg(
            Arg::new("budget")
                .long("budget")
                .value_name("T")
                .value_parser(|text: &str| {
                    gordian::__private::time(text)
                        .ok_or("expected a number with a unit (ms, s, m, h), such as 5m")
                })
                .help("At most so much time for all tests together, shared among them"),
        )
        .arg(flag("include-ignored", "Run tests with #[ignore] too"))
        .arg(flag("detailed", "Show every step of a failure"))
        .arg(flag("list", "List the tests instead of running them"))
        .arg(flag("json", "Print one JSON object for each test"))
        .arg(
            Arg::new("junit")
                .long("junit")
                .value_name("FILE")
                .value_parser(value_parser!(PathBuf))
                .conflicts_with("list")
                .help("Write the results to this file as JUnit XML"),
        )
        .arg(unmodified().help(
            "Run the ordinary tests instead: compile the workspace and its dependencies with hooks, and search the interleavings \
             of each #[test] for 10 seconds if nothing else is said (tests in the documentation are left out)",
        ))
        .arg(plain())
        .arg(patience().requires("unmodified"))
        .arg(rerun().requires("unmodified"))
        .arg(Arg::new("FILTER").help("Only tests with this text in their names"))
        .arg(
            Arg::new("CARGO TEST ARGS")
                .last(true)
                .num_args(..)
                .value_name("CARGO TEST ARGS")
                .help("What else cargo test is to be told"),
        );
    with_cargo_options(command, &[])
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_command_lines_are_consistent() {
        super::gordian().debug_assert();
        super::cargo().debug_assert();
        super::cargo_gordian().debug_assert();
    }
}
