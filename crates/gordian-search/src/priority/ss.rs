//! `ss`: what sleep sets would leave out comes last (GAMBIT, section 4.1).

use super::{Point, Priority};

/// What sleep sets would leave out comes last; see [`Point::is_asleep`].
#[derive(Clone, Copy, Debug, Default)]
pub struct Ss;

impl Priority for Ss {
    fn priority(&self, point: &Point<'_>) -> u16 {
        u16::from(point.is_asleep())
    }
}
