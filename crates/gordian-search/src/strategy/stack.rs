//! A stack whose popped elements are kept for their memory.

use std::ops::{Deref, DerefMut};

/// A stack of nodes.
#[derive(Debug)]
pub(super) struct Stack<T> {
    nodes: Vec<T>,
    len: usize,
}

impl<T> Default for Stack<T> {
    fn default() -> Self {
        Stack { nodes: Vec::new(), len: 0 }
    }
}

impl<T: Default> Stack<T> {
    /// One more node: one that was popped before, if there is one, as it was left.
    #[inline]
    pub(super) fn push(&mut self) -> &mut T {
        if self.len == self.nodes.len() {
            self.make_room();
        }
        self.len += 1;
        &mut self.nodes[self.len - 1]
    }

    /// At least so many nodes: those that are missing as [`push`](Self::push) makes them.
    #[inline]
    pub(super) fn reach(&mut self, len: usize) {
        while self.nodes.len() < len {
            self.make_room();
        }
        self.len = self.len.max(len);
    }

    #[cold]
    #[inline(never)]
    fn make_room(&mut self) {
        self.nodes.push(T::default());
    }

    #[inline]
    pub(super) fn pop(&mut self) {
        self.len -= 1;
    }

    /// At most so many nodes: the others are popped.
    #[inline]
    pub(super) fn truncate(&mut self, len: usize) {
        self.len = self.len.min(len);
    }
}

impl<T> Deref for Stack<T> {
    type Target = [T];

    #[inline]
    fn deref(&self) -> &[T] {
        &self.nodes[..self.len]
    }
}

impl<T> DerefMut for Stack<T> {
    #[inline]
    fn deref_mut(&mut self) -> &mut [T] {
        &mut self.nodes[..self.len]
    }
}
