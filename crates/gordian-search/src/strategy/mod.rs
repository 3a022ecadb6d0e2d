//! Strategies: what to try next, given what was seen.

mod auto;
mod bounded;
mod depth_first;
mod descent;
mod dpor;
mod frontier;
mod grown;
mod optimal;
mod portfolio;
mod preemptions;
mod randomised;
pub(crate) mod rank;
mod recycled;
mod sequence;
mod sleepers;
mod stack;
mod tree;

use crate::explore::FrontierUse;
use crate::guarantee::Proved;
use crate::search::Word;
pub(crate) use frontier::words::maker;
pub(crate) use frontier::{Lanes, MOST, PRIORITIES, Space, Within};
use gordian_model::{Failure, Names, Plan, Trace, Tree};
pub(crate) use stack::Stack;

/// The strategies there are, in the order in which messages list them. A new one is a file and a line here.
pub(crate) const WORDS: &[Word] = &[
    auto::WORD,
    optimal::WORD,
    depth_first::WORD,
    preemptions::WORD,
    frontier::words::DELAYS,
    frontier::words::DEPTH,
    frontier::words::BEST_FIRST,
    rank::WORD,
    randomised::RANDOM,
    randomised::URW,
    randomised::POS,
    randomised::SURW,
    randomised::PCT,
    randomised::PCTVB,
    portfolio::WORD,
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

    /// The names that the traces use, as far as they are known; called before [`learn`](Self::learn).
    fn names(&mut self, _names: &Names) {}

    /// Looks at an execution that another strategy asked for.
    fn witness(&mut self, _trace: &Trace) {}

    /// What has been proved so far, if no execution failed; `done` if there is nothing left to try.
    fn proved(&self, done: bool) -> Proved {
        if done { Proved::All } else { Proved::Nothing }
    }

    /// How much it keeps of executions that have yet to be made, if it keeps any.
    fn frontier(&self) -> Option<FrontierUse> {
        None
    }

    /// How many classes of equivalent executions there are, if it has seen each of them once and nothing else.
    fn classes(&self) -> Option<u64> {
        None
    }

    /// The executions that the whole search takes, by what is known of it so far.
    fn estimate(&self) -> Option<f64> {
        None
    }

    /// The tree that it has explored so far, if it goes through one depth first.
    fn tree(&self) -> Option<Tree> {
        None
    }

    /// What kept it from going on to its bounds, although it has nothing left to try: the limit and the knob that changes it.
    fn hindrance(&self) -> Option<String> {
        None
    }

    /// Does it never come to an end by itself?
    fn is_endless(&self) -> bool {
        false
    }

    /// Its search is over; it may keep its memory for the next one.
    fn retire(self: Box<Self>) {}
}
