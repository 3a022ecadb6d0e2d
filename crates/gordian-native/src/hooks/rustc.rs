//! What rustc is told.
//!
//! The hooks are an unstable option, so a stable compiler has to be told that it may use it (`RUSTC_BOOTSTRAP`). The standard library
//! stays as it was shipped; what of it is generic or inlined is compiled with the crate that uses it, and so with hooks.

use super::Library;
use std::ffi::OsString;

/// Lets a stable compiler take the options. Only for the processes that get them: a build script that saw it would take the
/// compiler for an unstable one.
pub const ALLOWED: (&str, &str) = ("RUSTC_BOOTSTRAP", "1");

/// The only target so far.
pub const TARGET: &str = "x86_64-unknown-linux-gnu";

/// For compiling a crate. That the standard library has no hooks is what the last one allows.
pub const COMPILE: [&str; 3] =
    ["-Zsanitizer=thread", "-Zexternal-clangrt", "-Cunsafe-allow-abi-mismatch=sanitizer"];

/// For every crate, since failures are told with lines of the source and names of functions: nothing is thrown away, ...
pub const KEPT: &str = "-Cstrip=none";
/// ... and this is there unless something else is said about debug information.
pub const LINES: &str = "-Cdebuginfo=limited";

/// For linking a program or a library.
pub fn link(library: &Library) -> Vec<OsString> {
    let option = |argument: OsString| {
        let mut option = OsString::from("-Clink-arg=");
        option.push(argument);
        option
    };
    library
        .for_the_linker()
        .into_iter()
        .flat_map(|argument| [option("-Xlinker".into()), option(argument)])
        .collect()
}
