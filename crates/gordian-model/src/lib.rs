//! The vocabulary of Gordian, and the semantics of everything threads meet at.
//!
//! One execution of a program under test is driven by a [`Conductor`]: it follows a [`Plan`], asks the
//! object models in [`object`] what each operation does, and writes a [`Trace`]. Plans and traces are plain
//! data and the only thing that crosses between searching and running. Nothing here knows what kind of
//! program is driven, how it is searched, or how a person looks at the result.
#![forbid(unsafe_code)]

pub mod access;
pub mod acts;
pub mod aftermath;
pub mod cell;
pub mod chance;
pub mod clock;
pub mod conductor;
pub mod exploration;
pub mod failure;
pub mod file;
pub mod id;
pub mod input;
pub mod insight;
pub mod names;
pub mod object;
pub mod op;
pub mod plan;
pub mod policy;
pub mod race;
pub mod relation;
pub mod reply;
pub mod step;
pub mod steps;
pub mod thread_set;
pub mod trace;

pub use access::{Access, Accesses, Act, copied, dependent};
pub use acts::Acts;
pub use aftermath::{Aftermath, Pending};
pub use chance::Chance;
pub use conductor::{Conductor, Decision};
pub use exploration::{Branched, Course, Exploration, Finished, Sample, Tree};
pub use failure::{Failure, FailureKind, Note};
pub use file::{FileError, Recording};
pub use id::{ObjectId, SiteId, ThreadId};
pub use input::{Input, Inputs};
pub use insight::{Decisive, Insight, Later, Minimised};
pub use names::{Names, Site};
pub use object::ObjectKind;
pub use op::{Op, OpKind, Order, Rmw};
pub use plan::{Deviation, Limits, Options, Plan, Planned, Sleeper};
pub use policy::{Change, Moment, Policy, Priorities, Weighted};
pub use race::{Race, Races, Side};
pub use relation::Relation;
pub use reply::Reply;
pub use step::Step;
pub use thread_set::ThreadSet;
pub use trace::{End, ObjectInfo, Trace};
