//! Strategies: what to try next, given what was seen.

mod depth_first;
mod optimal;
mod randomised;
pub(crate) mod rank;
mod recycled;
mod stack;
mod tree;

use crate::guarantee::Proved;
use crate::search::Word;
use gordian_model::{Failure, Plan, Trace};

/// The strategies there are, in the order in which messages list them. A new one is a file and a line here.
pub(crate) const WORDS: &[Word] = &[
    optimal::WORD,
    depth_first::WORD,
    rank::WORD,
    randomised::RANDOM,
    randomised::URW,
    randomised::POS,
    randomised::SURW,
    randomised::PCT,
    randomised::PCTVB,
];

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
    /// Fills in prefix, sleep set and policy of the next execution. What the last plan said is still in it.
    fn plan(&mut self, plan: &mut Plan) -> Next;

    /// Takes in what that execution did, or says what cannot be about it.
    fn learn(&mut self, trace: &Trace) -> Result<(), Failure>;

    /// Looks at an execution that another strategy asked for.
    fn witness(&mut self, _trace: &Trace) {}

    /// What has been proved so far, if no execution failed; `done` if there is nothing left to try.
    fn proved(&self, done: bool) -> Proved {
        if done { Proved::All } else { Proved::Nothing }
    }

    /// Does it never come to an end by itself?
    fn is_endless(&self) -> bool {
        false
    }
}
