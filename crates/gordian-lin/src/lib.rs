//! Linearizability without a specification (Burckhardt, Dern, Musuvathi, Tan, "Line-Up", PLDI 2010), for all executions of
//! a class at once (CB-DPOR thesis, 3.4).
//!
//! A [`Test`] says which calls a few threads make. What the calls return when they are made one after the other is the
//! specification ([`Serial`]). An execution in which they overlap is fine if some order of the calls, one after the other, explains what they
//! returned, and the order keeps to what was over before something else began. The [`Judge`] finds out; [`Drawer`] makes up tests, and [`smaller`] makes a failing
//! one small. Nothing here runs anything: the front end does.
#![forbid(unsafe_code)]

mod adversary;
mod brute;
mod conflicts;
mod dependences;
mod draw;
mod explain;
mod judge;
mod moments;
mod orders;
mod progress;
mod record;
mod seen;
mod serial;
mod shrink;
mod specification;
mod test;

pub use adversary::{Criterion, Rule};
pub use brute::is_explained_by_brute_force;
pub use conflicts::Conflicts;
pub use dependences::Dependences;
pub use draw::{Choosable, Drawer, Shape};
pub use explain::{Closest, Question};
pub use judge::{Finding, Judge, Wrong};
pub use progress::{Hindered, Progress, hindered};
pub use record::{Record, Span};
pub use serial::{Answer, Made, Node, Reply, Rerun, Serial, Unfit};
pub use shrink::smaller;
pub use specification::{Specification, Step};
pub use test::{Call, Calls, Test};
