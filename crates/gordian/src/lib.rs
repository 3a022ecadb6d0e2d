//! Finds the concurrency bugs that stress tests miss.
//!
//! ```
//! use gordian::sync::atomic::{AtomicUsize, Ordering::SeqCst};
//! use std::sync::Arc;
//!
//! let report = gordian::Checker::new().run(|| {
//!     let counter = Arc::new(AtomicUsize::new(0));
//!     let other = Arc::clone(&counter);
//!     let thread = gordian::thread::spawn(move || {
//!         let seen = other.load(SeqCst);
//!         other.store(seen + 1, SeqCst);
//!     });
//!     let seen = counter.load(SeqCst);
//!     counter.store(seen + 1, SeqCst);
//!     thread.join().unwrap();
//!     assert_eq!(counter.load(SeqCst), 2);
//! });
//! assert_eq!(report.failure().unwrap().kind(), gordian::FailureKind::Panic);
//! ```
#![deny(unsafe_code)]

extern crate self as gordian;

mod checker;
mod cover;
mod report;
#[allow(unsafe_code)]
mod runtime;
mod settings;
mod surroundings;
pub mod sync;
mod testing;
pub mod thread;
pub mod time;

pub use checker::{Checker, IntoSearch, choose, replay};
pub use gordian_macros::test;
pub use gordian_model::{FailureKind, FileError, Plan, Trace};
pub use gordian_search::{Guarantee, Search, SearchError};
pub use report::{Estimate, Failure, Report};
pub use testing::check;

/// What the macros expand to.
#[doc(hidden)]
pub mod __private {
    pub use crate::cover::cover;
    pub use crate::testing::{Test, outcome, run_test};
}
