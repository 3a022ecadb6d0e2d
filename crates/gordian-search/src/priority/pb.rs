//! `pb`: fewer preemptions first (GAMBIT, section 4.1).

use super::{Point, Priority};

/// Fewer preemptions first.
#[derive(Clone, Copy, Debug, Default)]
pub struct Pb;

impl Priority for Pb {
    fn priority(&self, point: &Point<'_>) -> u16 {
        point.preemptions().try_into().unwrap_or(u16::MAX)
    }
}
