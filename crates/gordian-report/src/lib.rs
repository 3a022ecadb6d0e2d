//! Everything a person looks at.
#![forbid(unsafe_code)]

mod binding;
mod describe;
mod facts;
mod fold;
mod html;
mod look;
mod moment;
mod objects;
mod snippet;
mod sources;
mod table;
mod text;
mod wrap;

pub use html::{Page, html};
pub use look::Look;
pub use moment::Moment;
pub use sources::Sources;
pub use text::{Story, text};
