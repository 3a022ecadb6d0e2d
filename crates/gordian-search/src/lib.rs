//! How Gordian searches.
//!
//! A [`Strategy`] turns traces into further plans and knows what has been proved so far; [`explore`] runs
//! the loop between it and a [`Target`]. No strategy knows what kind of target it drives, and no target
//! contains search code.
#![forbid(unsafe_code)]

pub mod bound;
mod characterise;
mod course;
mod explore;
pub mod fingerprint;
mod guarantee;
mod minimise;
pub mod observers;
pub mod order;
pub mod priority;
mod reversal;
mod search;
mod statistics;
pub mod strategy;

pub use bound::Bound;
pub use characterise::{Character, Unexplained, characterise};
pub use explore::{FrontierUse, Limits, Setting, Spill, Summary, Target, explore, explore_into};
pub use guarantee::{Guarantee, Proved};
pub use minimise::{Effort, fails_alike, minimise};
pub use priority::{Point, Priority, Reason};
pub use reversal::decisive;
pub use search::{Maker, Search, SearchError, distance};
pub use statistics::Statistics;
pub use strategy::{Next, Strategy};

/// The examples of the page on searches of one's own.
#[cfg(doctest)]
#[doc = include_str!("../../../docs/extending.md")]
struct Extending;
