//! Why a program cannot be run.

use std::path::PathBuf;
use std::time::Duration;

/// Why a program cannot be run.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum NativeError {
    /// There is no such file.
    #[error("there is no program {0}; give its path, such as ./{0}, or the name of one on the PATH")]
    NotFound(String),
    /// It cannot be executed.
    #[error("{path} cannot be executed: {}", .1, path = .0.display())]
    NotExecutable(PathBuf, String),
    /// It is a script.
    #[error(
        "{path} is a script, and what runs it is {}: give that as the program, with the script as its argument",
        .1, path = .0.display()
    )]
    Script(PathBuf, String),
    /// It is for another machine.
    #[error("{} is no program for Linux on x86-64, which is the only one that Gordian can control so far", .0.display())]
    OtherMachine(PathBuf),
    /// It brings its own C library.
    #[error(
        "{} is linked statically, so the calls it makes cannot be taken over; link it dynamically (without -static; for Rust, with the gnu target instead of musl)",
        .0.display()
    )]
    Static(PathBuf),
    /// It runs as somebody else.
    #[error(
        "{} is a setuid or setgid program, into which nothing can be loaded; run a copy of it that is not",
        .0.display()
    )]
    SetUid(PathBuf),
    /// Native programs are not run on this platform.
    #[error("native programs can be run on Linux on x86-64 with glibc only")]
    NotHere,
    /// Something the operating system refused.
    #[error("cannot {action}: {source}")]
    System {
        /// What was tried.
        action: &'static str,
        /// Why not.
        source: std::io::Error,
    },
    /// It ended before it came to `main`.
    #[error("{path} ended before it came to its main function{}", .1, path = .0.display())]
    EndedEarly(PathBuf, String),
    /// It did not come to `main`.
    #[error("{path} did not come to its main function within {:?}{}", .1, .2, path = .0.display())]
    TooSlow(PathBuf, Duration, String),
    /// A variable that was chosen is not there.
    #[error(
        "{path} has no variable {name} that accesses could be seen to: expected the name of a global or static variable of a program that was compiled with hooks (gordian cc) and not stripped"
    )]
    NoVariable {
        /// The program.
        path: String,
        /// The variable.
        name: String,
    },
    /// More variables than there is room for.
    #[error("too many variables: at most {0} can be chosen")]
    TooManyVariables(usize),
    /// It has threads before `main`.
    #[error(
        "{path} has started {} before its main function (in a constructor, or a library did), which Gordian does not control",
        .1, path = .0.display()
    )]
    EarlyThreads(PathBuf, String),
}
