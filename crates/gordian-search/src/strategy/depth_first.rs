//! Depth first: every choice at every node, last node first; with sleep sets if wanted.
//!
//! With sleep sets a step that has been explored from a node sleeps while its siblings are, until something
//! it depends on happens (Godefroid, "Partial-Order Methods", chapter 5). Each outcome of an op is a step of its own.

use super::descent::{Descent, Left};
use super::dpor::{Dpor, Sets};
use super::optimal::Optimal;
use super::recycled::Recycle;
use super::{Next, Strategy};
use crate::search::{Maker, Text, Word, Wrong};
use gordian_model::{Failure, Plan, ThreadId, ThreadSet, Trace, Tree};
use std::cell::RefCell;
use std::sync::Arc;
use std::thread::LocalKey;

pub(crate) const WORD: Word = Word { name: "dfs", usage: USAGE, read };

const USAGE: &[&str] =
    &["dfs", "dfs:none", "dfs:sleep", "dfs:dpor", "dfs:source", "dfs:observers", "dfs:optimal"];

fn read(text: Text<'_>) -> Result<Maker, Wrong> {
    Ok(match text.as_str() {
        "" | "none" => Arc::new(|_| DepthFirst::recycled(|s| s.sleeping = false)),
        "sleep" => Arc::new(|_| DepthFirst::recycled(|s| s.sleeping = true)),
        "dpor" => dpor(Sets::Persistent, false),
        "source" => dpor(Sets::Source, false),
        "observers" => dpor(Sets::Source, true),
        "optimal" => Arc::new(|_| Optimal::recycled(|_| ())),
        _ => {
            return Err(text.none_of(["none", "sleep", "dpor", "source", "observers", "optimal"].into_iter()));
        }
    })
}

fn dpor(sets: Sets, observers: bool) -> Maker {
    Arc::new(move |_| Dpor::recycled(|s| (s.sets, s.observers) = (sets, observers)))
}

/// Everybody who is enabled and has not been tried.
impl Left for ThreadSet {
    fn begin(&mut self, enabled: &[u64], first: ThreadId) {
        self.assign_words(enabled);
        self.remove(first);
    }

    fn pop(&mut self) -> Option<ThreadId> {
        ThreadSet::pop(self)
    }

    fn iter(&self) -> impl Iterator<Item = ThreadId> {
        ThreadSet::iter(self)
    }
}

/// Depth-first search.
#[derive(Debug, Default)]
pub(super) struct DepthFirst {
    pub(super) sleeping: bool,
    descent: Descent<ThreadSet>,
}

impl Recycle for DepthFirst {
    fn place() -> &'static LocalKey<RefCell<Option<Box<Self>>>> {
        thread_local!(static PLACE: RefCell<Option<Box<DepthFirst>>> = const { RefCell::new(None) });
        &PLACE
    }

    fn reset(&mut self) {
        self.descent.reset();
    }
}

impl Strategy for DepthFirst {
    fn plan(&mut self, plan: &mut Plan) -> Next {
        self.descent.plan(plan)
    }

    fn learn(&mut self, trace: &Trace) -> Result<(), Failure> {
        self.descent.learn(trace, self.sleeping);
        Ok(())
    }

    fn estimate(&self) -> Option<f64> {
        self.descent.estimate()
    }

    fn tree(&self) -> Option<Tree> {
        self.descent.tree()
    }

    fn retire(self: Box<Self>) {
        self.keep();
    }
}
