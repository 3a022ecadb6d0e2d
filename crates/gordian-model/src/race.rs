//! Data races that do not end an execution.

use crate::cell::{Earlier, Epoch};
use crate::id::{SiteId, ThreadId};
use serde::{Deserialize, Serialize};

/// What becomes of a data race.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub enum Races {
    /// It is a failure.
    #[default]
    Fail,
    /// It is noted, and both accesses are steps from then on.
    Explore,
    /// Nothing: accesses are not judged.
    Ignore,
}

/// One side of a data race.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
pub struct Side {
    /// The thread.
    pub thread: ThreadId,
    /// Did it write?
    pub write: bool,
    /// Where.
    pub site: SiteId,
}

/// A data race: two accesses that nothing orders, the earlier one first.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
pub struct Race {
    /// The accesses.
    pub sides: [Side; 2],
}

impl Race {
    pub(crate) fn of(now: Epoch, write: bool, (earlier, wrote): Earlier) -> Race {
        let side = |epoch: Epoch, write| Side { thread: epoch.thread, write, site: epoch.site };
        Race { sides: [side(earlier, wrote), side(now, write)] }
    }

    /// The places, in an order that does not depend on which access was first: by them one race is told from another.
    pub fn places(&self) -> [SiteId; 2] {
        let [a, b] = self.sides.map(|side| side.site);
        if a.0 <= b.0 { [a, b] } else { [b, a] }
    }
}
