//! Strategies keep their memory from one search to the next on the same OS thread: a test whose search takes two
//! microseconds would otherwise spend most of them allocating.

use super::Strategy;
use std::cell::RefCell;
use std::thread::LocalKey;

/// A strategy that can be used again.
pub(super) trait Recycle: Strategy + Default + 'static {
    /// Where one that is not in use is kept.
    fn place() -> &'static LocalKey<RefCell<Option<Box<Self>>>>;

    /// Makes it as new, keeping its memory.
    fn reset(&mut self);

    /// One that is as new.
    fn recycled(set_up: impl FnOnce(&mut Self)) -> Box<Self> {
        let mut strategy = Self::place().with(|place| place.borrow_mut().take()).unwrap_or_default();
        strategy.reset();
        set_up(&mut strategy);
        strategy
    }

    /// Puts it in its place when its search is over.
    fn keep(self: Box<Self>) {
        // The place is gone when the OS thread is ending; then so is the strategy.
        let _ = Self::place().try_with(|place| *place.borrow_mut() = Some(self));
    }
}
