//! Stacks: pooled, with guard pages; and the comparison of what a thread holds on one.

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

/// Registers that the switch saved lie just below the frame that asked for it.
const BELOW: usize = 512;

/// What a suspended thread holds: its stack from the frame that suspended it up to its base, with the registers
/// that were saved there.
#[derive(Default)]
pub(super) struct Snapshot {
    words: Vec<usize>,
}

impl Snapshot {
    /// Takes a new snapshot and says whether it is the same as the last one.
    ///
    /// # Safety
    /// The stack from `pointer - BELOW` (but not below `limit`) to `base` is mapped, and its coroutine is suspended.
    pub(super) unsafe fn renew(&mut self, pointer: usize, limit: usize, base: usize) -> bool {
        let start = (pointer - BELOW).max(limit) & !(size_of::<usize>() - 1);
        let count = (base - start) / size_of::<usize>();
        let same_size = self.words.len() == count;
        self.words.resize(count, 0);
        let mut same = same_size;
        for (i, word) in self.words.iter_mut().enumerate() {
            // SAFETY: inside the mapped part of the stack, aligned, and nobody writes to it now. Some of these words
            // were never initialised by the program; a volatile read through a raw pointer just copies the bits.
            let now = unsafe { std::ptr::read_volatile((start as *const usize).add(i)) };
            same &= *word == now;
            *word = now;
        }
        same
    }
}
