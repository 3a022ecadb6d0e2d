//! `method(a,b)`: switches between these parts of the program first (GAMBIT, section 4.3).
//!
//! A trace knows places in the source but not the functions they are in, so a part of the program is named by its file, or
//! a piece of the file's path (`queue`, `src/queue.rs`), with or without a line (`queue.rs:17`).

use super::{Point, Priority};
use gordian_model::Site;

/// A part of a program: a file, or a line of it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Part {
    path: String,
    line: Option<u32>,
}

impl Part {
    pub(super) fn new(text: &str) -> Part {
        let line = text.rsplit_once(':').and_then(|(path, line)| Some((path, line.parse().ok()?)));
        match line {
            Some((path, line)) => Part { path: path.to_owned(), line: Some(line) },
            None => Part { path: text.to_owned(), line: None },
        }
    }

    pub(super) fn contains(&self, site: &Site) -> bool {
        self.line.is_none_or(|line| line == site.line) && site.file.contains(&self.path)
    }
}

/// How many of two steps are in one of these parts: both go first, then one of them, then none.
pub(super) fn level(both: [bool; 2]) -> u16 {
    2 - both.into_iter().map(u16::from).sum::<u16>()
}

/// Switches from one of these parts of the program to one of them first, then switches from or to one of them.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Method(Vec<Part>);

impl Method {
    /// The parts are named by file, or a piece of its path, with or without a line: `queue`, `src/queue.rs:17`.
    pub fn new<S: AsRef<str>>(parts: impl IntoIterator<Item = S>) -> Method {
        Method(parts.into_iter().map(|part| Part::new(part.as_ref())).collect())
    }
}

impl Priority for Method {
    fn priority(&self, point: &Point<'_>) -> u16 {
        let named = |step: &gordian_model::Step| {
            point.site(step.site).is_some_and(|site| self.0.iter().any(|part| part.contains(site)))
        };
        level([named(point.instead_of()), point.next().is_some_and(named)])
    }
}
