//! Strategies: what to try next, given what was seen.

mod depth_first;
mod optimal;
mod recycled;
mod stack;
mod tree;

use crate::search::{Reduction, Search};
use depth_first::DepthFirst;
use gordian_model::{Failure, Plan, Trace};
use optimal::Optimal;
use recycled::Recycled;

/// Is there more to try?
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Next {
    /// The plan has been filled in.
    Run,
    /// Everything has been seen.
    Done,
}

/// Owns a search.
pub trait Strategy {
    /// Fills in prefix and sleep set of the next execution.
    fn plan(&mut self, plan: &mut Plan) -> Next;

    /// Takes in what that execution did, or says what cannot be about it.
    fn learn(&mut self, trace: &Trace) -> Result<(), Failure>;
}

pub(crate) fn of(search: &Search) -> Box<dyn Strategy> {
    let Search::DepthFirst(reduction) = search;
    match reduction {
        Reduction::None => Box::new(Recycled::<DepthFirst>::new(|s| s.sleeping = false)),
        Reduction::Sleep => Box::new(Recycled::<DepthFirst>::new(|s| s.sleeping = true)),
        Reduction::Optimal => Box::new(Recycled::<Optimal>::new(|_| ())),
    }
}
