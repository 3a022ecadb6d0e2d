//! `mdpor`: as `dpor`, and what is tried only to be on the safe side comes later (GAMBIT, section 4.1).

use super::{Point, Priority, Reason};
use gordian_model::Act;

/// What a race asks for first, then what is tried to be on the safe side (because a racing thread could not go, or because
/// something is given back there and nothing else), then what only the bound allows.
#[derive(Clone, Copy, Debug, Default)]
pub struct Mdpor;

impl Priority for Mdpor {
    fn priority(&self, point: &Point<'_>) -> u16 {
        let gives_back = |act: Act| matches!(act, Act::Free | Act::Unshare);
        match point.reason {
            Reason::Race if point.instead_of().accesses.iter().all(|a| gives_back(a.act)) => 1,
            Reason::Race | Reason::Outcome => 0,
            Reason::Conservative => 1,
            Reason::Allowed => 2,
        }
    }
}
