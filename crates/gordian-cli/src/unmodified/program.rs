//! `cargo gordian run --unmodified`: a program of the workspace with hooks, and then as `gordian run` does it.

use super::Hooked;
use crate::test::build::{self, Program};
use clap::ArgMatches;
use gordian_native::Invocation;
use std::process::ExitCode;

/// Builds it and searches its interleavings.
pub(crate) fn run(matches: &ArgMatches) -> Result<ExitCode, String> {
    let hooked =
        Hooked::prepare(&crate::command::for_cargo(matches), crate::command::without_hooks(matches))?;
    let programs = build::build_programs(hooked.cargo("build")?, &hooked.arguments)?;
    let wanted = if crate::command::asks_for_example(matches) { "example" } else { "bin" };
    let programs = programs.into_iter().filter(|program| program.kind == wanted).collect();
    let program = chosen(programs, &hooked.default_runs)?;
    let here = std::env::current_dir().unwrap_or_default();
    let executable = program.executable.strip_prefix(&here).unwrap_or(&program.executable);
    let executable = executable.to_str().ok_or_else(|| format!("{} is no UTF-8", executable.display()))?;
    let arguments = matches.get_many::<String>("ARGUMENTS").into_iter().flatten().cloned();
    let words = std::iter::once(executable.to_owned()).chain(arguments).collect();
    crate::native::search(&Invocation { words }, matches)
}

/// The one that is meant: the only one, or the one that the package says.
fn chosen(mut programs: Vec<Program>, default_runs: &[(String, String)]) -> Result<Program, String> {
    if programs.len() > 1 {
        let is_default = |p: &Program| {
            default_runs.iter().any(|(package, target)| *package == p.package && *target == p.target)
        };
        if programs.iter().filter(|program| is_default(program)).count() == 1 {
            programs.retain(is_default);
        }
    }
    match (programs.pop(), programs.is_empty()) {
        (Some(program), true) => Ok(program),
        (None, _) => Err("there is no program here: cargo build has built none that can be run".to_owned()),
        (Some(last), false) => {
            let names: Vec<String> =
                programs.iter().chain([&last]).map(|program| format!("--bin {}", program.target)).collect();
            Err(format!(
                "there are {} programs, so it has to be said which is meant: {}",
                names.len(),
                names.join(", ")
            ))
        }
    }
}
