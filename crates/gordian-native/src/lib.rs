//! The host side of the native front end: unmodified programs as targets of a search.
//!
//! [`Native::start`] starts a program with the runtime in it (`process.rs`), which stops before `main` and from then on forks one process
//! for each execution. [`Native`] is a [`Target`](gordian_search::Target) like any other: it puts a plan into shared memory, waits for
//! the process to end, and takes the trace out. Meanwhile it throws away what the program prints, except for the last lines, and
//! looks whether the program is still under control.
#![deny(unsafe_code)]

mod chosen;
mod command;
mod direct;
mod error;
pub mod hooks;
mod output;
mod points;
#[cfg(target_os = "linux")]
#[allow(unsafe_code)]
mod process;
#[cfg(not(target_os = "linux"))]
#[path = "elsewhere.rs"]
mod process;
mod program;
mod rerun;
mod symbols;
mod target;
mod told;
mod trust;

pub use command::{Circumstances, Invocation};
pub use direct::{Direct, STOP};
pub use error::NativeError;
pub use gordian_wire::REFUSED_VARIABLE;
pub use target::Native;
