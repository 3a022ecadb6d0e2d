//! Gordian beside loom and shuttle: the same programs, in the same run, written up by the same command.
//!
//! Every measurement is a *cell*, a child process of this binary that makes one tool search one program (`cell`): a tool that
//! crashes, spins or leaves its globals in disorder spoils nothing else, and peak memory is that of the cell. The cells of a
//! program take turns (`rounds`), so that a noisy machine hits all tools alike. What comes out is judged against the set of true
//! outcomes (`truth`) and written to docs/benchmarks.md (`page`).

pub mod catalogue;
pub mod cell;
pub mod libraries;
pub mod measured;
mod outcome;
pub mod page;
pub mod plot;
pub mod rounds;
pub mod summary;
pub mod tool;
pub mod truth;
