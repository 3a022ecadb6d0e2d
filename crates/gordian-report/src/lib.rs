//! Everything a person looks at.
#![forbid(unsafe_code)]

mod html;
mod objects;
mod table;
mod text;

pub use html::{Exploration, Page, html};
pub use text::text;
