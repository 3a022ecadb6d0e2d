//! Compiling with hooks: the compiler puts calls before accesses to memory, as it does for a thread sanitizer, and the runtime defines
//! what they call.
//!
//! A program compiled so is linked against a copy of the runtime on disk ([`Library`]), so that it can be linked at all and also runs by
//! itself; every hook then does just what it stands for. Under `gordian run` the runtime that the command carries is loaded first.
//! It has the same name (SONAME), so the loader does not look for the copy.
//!
//! Only calls for the hooks are taken from the sanitizer, not its library. How compilers are told so differs: see [`Compiler`] for C and C++
//! and [`rustc`] for Rust.

mod compiler;
mod library;
pub mod rustc;

pub use compiler::Compiler;
pub use library::Library;
