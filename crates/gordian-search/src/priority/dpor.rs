//! `dpor`: what dynamic partial-order reduction would make comes first (GAMBIT, section 4.1).

use super::{Point, Priority, Reason};

/// What a race asks for first, then what only the bound allows.
#[derive(Clone, Copy, Debug, Default)]
pub struct Dpor;

impl Priority for Dpor {
    fn priority(&self, point: &Point<'_>) -> u16 {
        u16::from(point.reason == Reason::Allowed)
    }
}
