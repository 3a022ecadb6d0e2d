//! The libraries. Each file has the same three things: the `kit` that the programs are compiled against, the programs, and
//! `search`, which runs one with a mode of the library.

#[allow(clippy::duplicate_mod, reason = "the programs are written once and compiled against each library")]
mod gordian;
#[allow(clippy::duplicate_mod, reason = "as above")]
mod loom;
#[allow(clippy::duplicate_mod, reason = "as above")]
mod shuttle;

use std::panic::{AssertUnwindSafe, catch_unwind};

/// The versions that are compared; a test sees to it that they are the ones in the lock file.
pub const VERSIONS: [(&str, &str); 2] = [("loom", "0.7.2"), ("shuttle", "0.9.9")];

/// How a search ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum End {
    /// It has looked at all that its mode has it look at.
    Complete,
    /// It has stopped because of a limit.
    Limit,
    /// It has reported a failure.
    Failure(String),
}

/// What a search is to do.
pub struct Job {
    /// The library's mode; see [`crate::side::tool`].
    pub mode: &'static str,
    /// What random choices start from.
    pub seed: u64,
    /// At most so many executions, where the mode has a limit.
    pub executions: usize,
    /// The program's name.
    pub program: String,
    /// Threads and ops.
    pub size: (usize, usize),
}

/// Makes a library search a program; `sink` is called at the beginning of each execution with nothing, and at its end with the
/// outcome.
pub fn search(library: super::tool::Library, job: &Job, sink: fn(Option<u64>)) -> End {
    use super::tool::Library;
    let run = || match library {
        Library::Gordian => gordian::search(job, sink),
        Library::Loom => loom::search(job, sink),
        Library::Shuttle => shuttle::search(job, sink),
    };
    catch_unwind(AssertUnwindSafe(run)).unwrap_or_else(|payload| {
        let text = payload.downcast_ref::<&str>().map(|text| (*text).to_owned());
        let text = text.or_else(|| payload.downcast_ref::<String>().cloned());
        End::Failure(text.unwrap_or_else(|| "a panic without a text".to_owned()))
    })
}

/// The closure that is handed to a library.
fn closure(
    body: fn(usize, usize) -> u64,
    (threads, ops): (usize, usize),
    sink: fn(Option<u64>),
) -> impl Fn() + Send + Sync + 'static {
    move || {
        sink(None);
        let outcome = body(threads, ops);
        sink(Some(outcome));
    }
}
