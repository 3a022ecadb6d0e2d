//! `rand`: a random order that comes to an end (GAMBIT, section 4.2).

use super::{Point, Priority};

/// A random order; the seed decides.
#[derive(Clone, Copy, Debug, Default)]
pub struct Rand;

impl Priority for Rand {
    /// One of 64 levels: those on one level go depth first, which keeps the frontier small.
    fn priority(&self, point: &Point<'_>) -> u16 {
        (point.chance() >> 58) as u16
    }
}
