//! In place of the compiler: cargo starts `cargo-gordian RUSTC ARGUMENTS`, and crates of the program get the hooks.

use crate::cc::become_it;
use serde::{Deserialize, Serialize};
use std::ffi::{OsStr, OsString};
use std::process::{Command, ExitCode};

/// Holds [`Told`] as JSON, and says that this is what the command is for. No setting of Gordian's, so it is not named like one.
pub(super) const VARIABLE: &str = "__CARGO_GORDIAN_HOOKS";

/// What the wrapper is told.
#[derive(Serialize, Deserialize)]
pub(super) struct Told {
    /// For crates with hooks.
    pub(super) hooked: Vec<String>,
    /// For the others.
    pub(super) plain: Vec<String>,
    /// For crates about whose debug information nothing is said.
    pub(super) lines: String,
    /// For all of the program, also for when it is linked.
    pub(super) all: Vec<String>,
    /// What the compiler is told to let it take them.
    pub(super) allowed: (String, String),
    /// Crates or packages that get no hooks.
    pub(super) without: Vec<String>,
    /// Another wrapper, which is to be used too.
    pub(super) wrapper: Option<String>,
}

/// What is done with a call of the compiler.
#[derive(Debug, PartialEq)]
enum Kind {
    /// A question, or something that runs while it is built: a build script, a procedural macro.
    Aside,
    Plain,
    Hooked,
}

/// Becomes the compiler.
pub(super) fn run(told: &str, compiler: &OsStr, arguments: &[OsString]) -> Result<ExitCode, String> {
    let told: Told = serde_json::from_str(told)
        .map_err(|error| format!("{VARIABLE} is set, but not by cargo gordian: {error}; unset it"))?;
    let mut command = match told.wrapper.as_deref() {
        Some(wrapper) => {
            let mut command = Command::new(wrapper);
            command.arg(compiler);
            command
        }
        None => Command::new(compiler),
    };
    command.args(arguments);
    let variable = |name| std::env::var(name).unwrap_or_default();
    let kind = kind(arguments, &variable("CARGO_CRATE_NAME"), &variable("CARGO_PKG_NAME"), &told.without);
    match kind {
        Kind::Aside => {}
        Kind::Plain => drop(command.args(&told.plain)),
        Kind::Hooked => drop(command.args(&told.hooked).env(&told.allowed.0, &told.allowed.1)),
    }
    if kind != Kind::Aside {
        command.args(&told.all);
        if !says_debug(arguments) {
            command.arg(&told.lines);
        }
    }
    become_it(command).map_err(|error| format!("cannot start {}: {error}", compiler.display()))
}

/// `compiled` is the crate that cargo says it compiles: a build script that asks the compiler something is not told.
fn kind(arguments: &[OsString], compiled: &str, package: &str, without: &[String]) -> Kind {
    let value = |name: &str| {
        let mut all = arguments.iter();
        all.find(|argument| *argument == name).and_then(|_| all.next())
    };
    let is_for_target = arguments.iter().any(|argument| {
        argument == "--target" || argument.to_str().is_some_and(|text| text.starts_with("--target="))
    });
    let is_macro = value("--crate-type").is_some_and(|kind| kind == "proc-macro");
    let is_compiled = !compiled.is_empty() && value("--crate-name").is_some_and(|name| name == compiled);
    let asks = arguments.iter().any(|a| a.to_str().is_some_and(|a| a.starts_with("--print")));
    let names = |name: &String| name == package || name.replace('-', "_") == compiled;
    match () {
        () if !is_for_target || is_macro || !is_compiled || asks => Kind::Aside,
        () if without.iter().any(names) => Kind::Plain,
        () => Kind::Hooked,
    }
}

/// Is something said about debug information?
fn says_debug(arguments: &[OsString]) -> bool {
    let texts = || arguments.iter().filter_map(|argument| argument.to_str());
    let after = texts().zip(texts().skip(1)).any(|(c, option)| c == "-C" && option.starts_with("debuginfo="));
    after || texts().any(|text| text == "-g" || text.starts_with("-Cdebuginfo="))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_said_about_debug_information_stays() {
        let of = |line: &str| says_debug(&line.split(' ').map(OsString::from).collect::<Vec<_>>());
        assert!(of("--crate-name a -C debuginfo=2") && of("-Cdebuginfo=0") && of("a.rs -g"));
        assert!(!of("--crate-name a -C opt-level=3 -C strip=debuginfo"));
    }

    #[test]
    fn only_what_goes_into_the_program_gets_hooks() {
        let of = |line: &str, compiled: &str, without: &[&str]| {
            let arguments: Vec<OsString> = line.split(' ').map(OsString::from).collect();
            let without: Vec<String> = without.iter().map(|&name| name.to_owned()).collect();
            kind(&arguments, compiled, "my-crate", &without)
        };
        let target = "--crate-name my_crate src/lib.rs --crate-type lib --target x86_64-unknown-linux-gnu";
        assert_eq!(of(target, "my_crate", &[]), Kind::Hooked);
        assert_eq!(of(target, "my_crate", &["other"]), Kind::Hooked);
        assert_eq!(of(target, "my_crate", &["my-crate"]), Kind::Plain);
        assert_eq!(of(target, "my_crate", &["my_crate"]), Kind::Plain);
        // A question of a build script, which has been told the package but no crate.
        assert_eq!(of(target, "", &[]), Kind::Aside);
        assert_eq!(
            of("--crate-name build_script_build build.rs --crate-type bin", "build_script_build", &[]),
            Kind::Aside
        );
        assert_eq!(of("--crate-name m src/lib.rs --crate-type proc-macro --target=x", "m", &[]), Kind::Aside);
        assert_eq!(of("-vV", "", &[]), Kind::Aside);
        assert_eq!(of("- --crate-name ___ --print=cfg --target x", "", &[]), Kind::Aside);
    }
}
