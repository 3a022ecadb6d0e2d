//! Stacks: pooled, with guard pages.

use corosensei::stack::{DefaultStack, Stack};

/// A pool of stacks of one size.
#[derive(Default)]
pub(super) struct Pool {
    size: usize,
    free: Vec<DefaultStack>,
}

impl Pool {
    /// Stacks handed out from now on have this size.
    pub(super) fn set_size(&mut self, size: usize) {
        if self.size != size {
            self.size = size;
            self.free.clear();
        }
    }

    pub(super) fn take(&mut self) -> std::io::Result<DefaultStack> {
        match self.free.pop() {
            Some(stack) => Ok(stack),
            None => DefaultStack::new(self.size),
        }
    }

    pub(super) fn give(&mut self, stack: DefaultStack) {
        if stack.base().get() - stack.limit().get() >= self.size && self.free.len() < 1024 {
            self.free.push(stack);
        }
    }

    pub(super) fn size(&self) -> usize {
        self.size
    }
}
