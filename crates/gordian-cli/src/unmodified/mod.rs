//! `--unmodified`: plain Rust, built by cargo with hooks, and its tests and programs as native targets.
//!
//! Cargo calls this command in place of the compiler, which is how crates get the hooks ([`wrapper`]): flags in the environment would
//! reach build scripts too, and some of those look for sanitizers and change the code. Each test is then run by this command
//! again, in a process of its own ([`one`]).

mod build;
mod one;
mod program;
mod wrapper;

pub(crate) use build::Hooked;
pub(crate) use one::Order;
pub(crate) use program::run;

use std::ffi::OsString;
use std::process::ExitCode;

/// Does what this process was started for, if that was by this command itself or by a cargo that it has started.
pub(crate) fn started_for(arguments: &[OsString]) -> Option<Result<ExitCode, String>> {
    if let [_, role, order] = arguments
        && role == one::ROLE
    {
        return Some(one::run(&order.to_string_lossy()));
    }
    let told = std::env::var(wrapper::VARIABLE).ok()?;
    // A cargo gordian that a build script starts is not the compiler.
    let compiler = arguments.get(1).filter(|&first| first != "gordian")?;
    Some(wrapper::run(&told, compiler, &arguments[2..]))
}
