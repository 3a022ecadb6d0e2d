//! What has yet to be tried, best first.

use super::precedence::Precedence;
use super::spent::{Bounds, Spent};
use super::variable::Name;
use gordian_model::{Planned, ThreadId};
use rustc_hash::FxHashSet;
use smallvec::SmallVec;
use std::collections::BTreeMap;
use std::rc::Rc;

/// What is known at a node of the search.
#[derive(Clone, Debug)]
pub(super) struct State {
    pub(super) spent: Spent,
    pub(super) precedence: Precedence,
}

/// An execution to try: repeat another up to a step, and take another one there.
#[derive(Clone, Debug)]
pub(super) struct Item {
    pub(super) path: Rc<[Planned]>,
    pub(super) cut: usize,
    /// Who goes there, and with which outcome; at the very beginning nobody is told to.
    pub(super) step: Option<(ThreadId, u32)>,
    /// The other outcomes of that step have yet to be asked for.
    pub(super) is_first: bool,
    /// What may be known after that step; those that are tried first come first.
    pub(super) states: States,
}

/// Some states of a node.
pub(super) type States = SmallVec<[State; 1]>;

impl Item {
    /// What decides when it is tried.
    pub(super) fn best(&self) -> &State {
        &self.states[0]
    }
}

/// In which order things are tried.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Ranking {
    /// Variables first: few before many, those known to be shared before others, those made in early rounds of a loop before
    /// later ones; for each choice of them few preemptions before many (Bindal et al., sections 2 and 5).
    Variables,
    /// Preemptions first, then variables; which ones is decided as the preemptions are made (Bindal et al., section 6.1).
    Preemptions,
}

type Names = SmallVec<[Name; 2]>;

/// The executions to try.
#[derive(Debug)]
pub(super) struct Frontier {
    ranking: Ranking,
    /// By variables; then by preemptions, last in, first out.
    groups: BTreeMap<Names, Vec<Vec<Item>>>,
    /// The group that is being worked on.
    current: Option<Names>,
    /// Variables that two threads have touched in one execution.
    pub(super) shared: FxHashSet<Name>,
}

impl Frontier {
    pub(super) fn new(ranking: Ranking) -> Frontier {
        Frontier { ranking, groups: BTreeMap::new(), current: None, shared: FxHashSet::default() }
    }

    pub(super) fn clear(&mut self) {
        self.groups.clear();
        self.current = None;
    }

    pub(super) fn push(&mut self, mut item: Item) {
        let ranking = self.ranking;
        item.states.sort_by_key(|State { spent, .. }| match ranking {
            Ranking::Variables => (spent.variables.len(), spent.cuts.len()),
            Ranking::Preemptions => (spent.cuts.len(), spent.variables.len()),
        });
        let names = match self.ranking {
            Ranking::Variables => item.best().spent.names(),
            // One group for each number of variables will do.
            Ranking::Preemptions => {
                let nobody = Name { site: Default::default(), nth: 0 };
                SmallVec::from_elem(nobody, item.best().spent.variables.len())
            }
        };
        let levels = self.groups.entry(names).or_default();
        let level = item.best().spent.cuts.len();
        if levels.len() <= level {
            levels.resize_with(level + 1, Vec::new);
        }
        levels[level].push(item);
    }

    pub(super) fn pop(&mut self) -> Option<Item> {
        match self.ranking {
            Ranking::Variables => {
                if self.current.as_ref().is_none_or(|names| !self.groups.contains_key(names)) {
                    self.current = self.groups.keys().min_by_key(|names| self.rank(names)).cloned();
                }
            }
            Ranking::Preemptions => {
                self.current =
                    self.groups.keys().min_by_key(|names| (self.fewest(names), names.len())).cloned();
            }
        }
        let names = self.current.as_ref()?;
        let levels = self.groups.get_mut(names)?;
        let item = levels.iter_mut().find_map(Vec::pop);
        if levels.iter().all(Vec::is_empty) {
            self.groups.remove(names);
        }
        item
    }

    fn rank<'a>(&self, names: &'a Names) -> (usize, usize, u32, &'a Names) {
        let latest = names.iter().map(|name| name.nth).max().unwrap_or(0);
        let private = names.iter().filter(|name| !self.shared.contains(name)).count();
        (names.len(), private, latest, names)
    }

    /// The fewest preemptions in a group.
    fn fewest(&self, names: &Names) -> Option<usize> {
        self.groups[names].iter().position(|level| !level.is_empty())
    }

    /// The variables, or the preemptions, of an item: whatever comes first in the ranking.
    pub(super) fn level(&self, item: &Item) -> usize {
        match self.ranking {
            Ranking::Variables => item.best().spent.variables.len(),
            Ranking::Preemptions => item.best().spent.cuts.len(),
        }
    }

    /// The bounds up to a level.
    pub(super) fn limit(&self, bounds: &mut Bounds, level: usize) {
        match self.ranking {
            Ranking::Variables => bounds.variables = level,
            Ranking::Preemptions => bounds.preemptions = level,
        }
    }

    /// The least level of all that is left.
    pub(super) fn least(&self) -> Option<usize> {
        match self.ranking {
            Ranking::Variables => self.groups.keys().map(SmallVec::len).min(),
            Ranking::Preemptions => self.groups.keys().filter_map(|names| self.fewest(names)).min(),
        }
    }
}
