//! `gordian cc` and `gordian c++`: the compiler that is there, with hooks. What it prints and how it ends is the compiler's.

mod job;

use gordian_native::hooks::{Compiler, Library};
use std::ffi::{OsStr, OsString};
use std::process::{Command, ExitCode};

/// A language, by the name of the command.
#[derive(Clone, Copy)]
pub(crate) struct Language {
    /// The subcommand, and the compiler that is asked for if nothing else is said.
    name: &'static str,
    variable: &'static str,
}

const LANGUAGES: [Language; 2] =
    [Language { name: "cc", variable: "GORDIAN_CC" }, Language { name: "c++", variable: "GORDIAN_CXX" }];

/// Does what these arguments of `gordian` say if they are for a compiler. Everything after the first is, even `--help`: build systems ask
/// compilers all kinds of things.
pub(crate) fn run(arguments: &[OsString]) -> Option<Result<ExitCode, String>> {
    let (name, rest) = arguments.split_first()?;
    let language = LANGUAGES.into_iter().find(|language| name == language.name)?;
    Some(compile(language, rest))
}

fn compile(language: Language, arguments: &[OsString]) -> Result<ExitCode, String> {
    let (compiler, arguments) = chosen(language, arguments)?;
    let job = job::look(arguments);
    let mut command = start(&compiler);
    if let Some(why) = job.refused {
        return Err(why);
    }
    if job.compiles || job.links {
        let kind = kind(language, &compiler)?;
        let library = Library::put(None).map_err(|error| error.to_string())?;
        if job.compiles {
            command.args(kind.compile(&library).map_err(|error| error.to_string())?);
        }
        if job.compiles && !job.says_debug {
            // Failures are told with lines of the source.
            command.arg("-g");
        }
        command.args(arguments);
        if job.is_late {
            // What is optimised when it is linked has no hooks.
            command.arg("-fno-lto");
        }
        if job.links {
            command.args(kind.link(&library));
        }
    } else {
        command.args(arguments);
    }
    become_it(command).map_err(|error| missing(language, &compiler, &error))
}

/// The compiler, which may be several words such as `ccache gcc`, and what it is told.
fn chosen(language: Language, arguments: &[OsString]) -> Result<(Vec<OsString>, &[OsString]), String> {
    let split = |text: &OsStr| match text.to_str() {
        Some(text) => text.split_whitespace().map(OsString::from).collect(),
        None => vec![text.to_owned()],
    };
    let (said, rest) = match arguments {
        [first, rest @ ..] if first == "--compiler" => match rest {
            [compiler, rest @ ..] => (Some(compiler.clone()), rest),
            [] => return Err("--compiler needs a compiler, as in --compiler clang".to_owned()),
        },
        [first, rest @ ..] => match first.to_str().and_then(|first| first.strip_prefix("--compiler=")) {
            Some(compiler) => (Some(compiler.into()), rest),
            None => (None, arguments),
        },
        [] => (None, arguments),
    };
    let said = said.or_else(|| std::env::var_os(language.variable)).filter(|said| !said.is_empty());
    let words = split(&said.unwrap_or_else(|| language.name.into()));
    if words.is_empty() {
        return Err(format!("{} names no compiler", language.variable));
    }
    Ok((words, rest))
}

fn start(compiler: &[OsString]) -> Command {
    let mut command = Command::new(&compiler[0]);
    command.args(&compiler[1..]);
    command
}

/// What kind of compiler it is: it has to be asked, since `cc` can be any.
fn kind(language: Language, compiler: &[OsString]) -> Result<Compiler, String> {
    let output = start(compiler).arg("--version").env("LC_ALL", "C").output();
    let output = output.map_err(|error| missing(language, compiler, &error))?;
    let said = String::from_utf8_lossy(&output.stdout);
    Compiler::from_version(&said)
        .map_err(|why| format!("{} {why}; choose another with {}", shown(compiler), language.variable))
}

fn shown(compiler: &[OsString]) -> String {
    compiler.iter().map(|word| word.to_string_lossy()).collect::<Vec<_>>().join(" ")
}

fn missing(language: Language, compiler: &[OsString], error: &std::io::Error) -> String {
    format!(
        "cannot start the compiler {}: {error}; install gcc or clang, or name another with {} or --compiler",
        shown(compiler),
        language.variable
    )
}

/// Becomes the compiler, so that signals reach it and its status is seen as it is.
#[cfg(unix)]
pub(crate) fn become_it(mut command: Command) -> std::io::Result<ExitCode> {
    use std::os::unix::process::CommandExt;
    Err(command.exec())
}

#[cfg(not(unix))]
pub(crate) fn become_it(mut command: Command) -> std::io::Result<ExitCode> {
    let code = command.status()?.code().unwrap_or(2);
    Ok(ExitCode::from(u8::try_from(code).unwrap_or(2)))
}
