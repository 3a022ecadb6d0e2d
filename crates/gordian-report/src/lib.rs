//! Everything a person looks at.
#![forbid(unsafe_code)]

mod objects;
mod table;
mod text;

pub use text::text;
