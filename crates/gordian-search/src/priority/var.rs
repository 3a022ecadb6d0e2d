//! `var(x,y)`: switches between steps on these objects first (GAMBIT, section 4.3).
//!
//! An object has no name in a trace, so it is named by the place that created it, as parts of a program are for
//! [`Method`](super::Method): `queue.rs:17`.

use super::method::{Part, level};
use super::{Point, Priority};
use gordian_model::Step;

/// Switches between two steps that touch one of these objects first, then those where one step does.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Var(Vec<Part>);

impl Var {
    /// The objects are named by the file, or a piece of its path, that creates them, with or without a line.
    pub fn new<S: AsRef<str>>(places: impl IntoIterator<Item = S>) -> Var {
        Var(places.into_iter().map(|place| Part::new(place.as_ref())).collect())
    }
}

impl Priority for Var {
    fn priority(&self, point: &Point<'_>) -> u16 {
        let touches = |step: &Step| {
            step.accesses.iter().any(|access| {
                let site = point.trace.object(access.object).and_then(|object| point.site(object.site));
                site.is_some_and(|site| self.0.iter().any(|place| place.contains(site)))
            })
        };
        level([touches(point.instead_of()), point.next().is_some_and(touches)])
    }
}
