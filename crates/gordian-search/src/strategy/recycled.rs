//! Strategies keep their memory from one search to the next on the same OS thread: a test whose search takes two
//! microseconds would otherwise spend most of them allocating.

use super::{Next, Strategy};
use crate::explore::FrontierUse;
use crate::guarantee::Proved;
use gordian_model::{Failure, Names, Plan, Trace, Tree};
use std::cell::RefCell;
use std::thread::LocalKey;

/// A strategy that can be used again.
pub(super) trait Recycle: Strategy + Default + 'static {
    /// Where one that is not in use is kept.
    fn place() -> &'static LocalKey<RefCell<Option<Box<Self>>>>;

    /// Makes it as new, keeping its memory.
    fn reset(&mut self);
}

/// A strategy that goes back to its place when it is dropped.
pub(super) struct Recycled<S: Recycle>(Option<Box<S>>);

impl<S: Recycle> Recycled<S> {
    pub(super) fn new(set_up: impl FnOnce(&mut S)) -> Recycled<S> {
        let mut strategy = S::place().with(|place| place.borrow_mut().take()).unwrap_or_default();
        strategy.reset();
        set_up(&mut strategy);
        Recycled(Some(strategy))
    }

    fn strategy(&mut self) -> &mut S {
        self.0.as_mut().expect("there until dropped")
    }
}

impl<S: Recycle> Drop for Recycled<S> {
    fn drop(&mut self) {
        let strategy = self.0.take();
        // The place is gone when the OS thread is ending; then so is the strategy.
        let _ = S::place().try_with(|place| *place.borrow_mut() = strategy);
    }
}

impl<S: Recycle> Strategy for Recycled<S> {
    fn plan(&mut self, plan: &mut Plan) -> Next {
        self.strategy().plan(plan)
    }

    fn names(&mut self, names: &Names) {
        self.strategy().names(names);
    }

    fn learn(&mut self, trace: &Trace) -> Result<(), Failure> {
        self.strategy().learn(trace)
    }

    fn witness(&mut self, trace: &Trace) {
        self.strategy().witness(trace);
    }

    fn proved(&self, done: bool) -> Proved {
        self.0.as_ref().expect("there until dropped").proved(done)
    }

    fn frontier(&self) -> Option<FrontierUse> {
        self.0.as_ref().expect("there until dropped").frontier()
    }

    fn classes(&self) -> Option<u64> {
        self.0.as_ref().expect("there until dropped").classes()
    }

    fn estimate(&self) -> Option<f64> {
        self.0.as_ref().expect("there until dropped").estimate()
    }

    fn tree(&self) -> Option<Tree> {
        self.0.as_ref().expect("there until dropped").tree()
    }

    fn hindrance(&self) -> Option<String> {
        self.0.as_ref().expect("there until dropped").hindrance()
    }

    fn is_endless(&self) -> bool {
        self.0.as_ref().expect("there until dropped").is_endless()
    }
}
