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

#[cfg(feature = "check")]
mod checked {
    pub use crate::checker::{Checker, IntoSearch, choose, replay};
    pub use crate::report::{Estimate, Failure, Report};
    pub use crate::testing::check;
    pub use gordian_macros::test;
    pub use gordian_model::{FailureKind, FileError, Insight, Plan, Trace};
    pub use gordian_search::{
        Character, FrontierUse, Guarantee, Search, SearchError, Statistics, Unexplained, bound, priority,
    };
}
#[cfg(feature = "check")]
pub use checked::*;

#[cfg(feature = "check")]
mod again;
#[cfg(feature = "check")]
pub mod cell;
#[cfg(feature = "check")]
mod checker;
#[cfg(feature = "check")]
mod closure;
mod cover;
#[cfg(feature = "check")]
mod foreign;
#[cfg(feature = "check")]
pub mod future;
#[cfg(feature = "check")]
pub mod hint;
#[cfg(feature = "check")]
mod insight;
#[cfg(feature = "check")]
pub mod lin;
#[cfg(feature = "check")]
mod page;
#[cfg(not(feature = "check"))]
mod plain;
#[cfg(feature = "check")]
mod record;
#[cfg(feature = "check")]
mod report;
#[cfg(feature = "check")]
#[allow(unsafe_code)]
mod runtime;
#[cfg(feature = "check")]
mod settings;
#[cfg(feature = "check")]
mod spill;
#[cfg(feature = "check")]
mod surroundings;
#[cfg(feature = "check")]
pub mod sync;
#[cfg(feature = "check")]
mod testing;
#[cfg(feature = "check")]
pub mod thread;
#[cfg(feature = "check")]
pub mod time;

#[cfg(not(feature = "check"))]
pub use plain::*;

/// What the macros expand to.
#[doc(hidden)]
pub mod __private {
    pub use crate::cover::cover;
    #[cfg(feature = "check")]
    pub use crate::foreign::{Foreign, ForeignCheck};
    #[cfg(feature = "check")]
    pub use crate::settings::{check_setting, time};
    #[cfg(feature = "check")]
    pub use crate::testing::{Test, outcome, run_test};
}
