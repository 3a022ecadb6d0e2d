//! Linearizability: list the operations of an object, and get a verdict.
//!
//! An [`Object`] says how to make what is tested and what can be called. Gordian makes up tests of a few threads with a few calls each, explores their interleavings, and compares what the calls return with
//! what they return one after the other. That is the specification; nobody has to write one (Line-Up, PLDI 2010). A test that fails is made small.
//!
//! ```
//! use gordian::lin::Object;
//! use gordian::sync::atomic::{AtomicUsize, Ordering::SeqCst};
//!
//! let report = Object::new(|| AtomicUsize::new(0))
//!     .op("increment", [()], |counter, ()| {
//!         let seen = counter.load(SeqCst);
//!         counter.store(seen + 1, SeqCst);
//!         seen + 1
//!     })
//!     .run();
//! let failure = report.failure().expect("two increments can return the same number");
//! assert_eq!(failure.kind(), gordian::FailureKind::NotLinearizable);
//! assert_eq!(report.calls().len(), 2);
//! ```

mod check;
mod execution;
mod object;
mod operation;
mod referee;
mod report;

pub use gordian_lin::Criterion;
pub use object::{Concurrent, Object};
pub use report::Report;
