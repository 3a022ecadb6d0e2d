//! A stack whose popped elements are kept for their memory.

use std::ops::{Deref, DerefMut};

/// A stack of nodes.
#[derive(Debug)]
pub(crate) struct Stack<T> {
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
    pub(crate) fn push(&mut self) -> &mut T {
        if self.len == self.nodes.len() {
            self.make_room();
        }
        self.len += 1;
        &mut self.nodes[self.len - 1]
    }

    /// At least so many nodes: those that are missing as [`push`](Self::push) makes them.
    #[inline]
    pub(crate) fn reach(&mut self, len: usize) {
        while self.nodes.len() < len {
            self.make_room();
        }
        self.len = self.len.max(len);
    }

    /// The node with this number, which may also be one that was popped: for who knows that it is there, and saves to look.
    #[inline]
    pub(crate) fn kept(&self, at: usize) -> Option<&T> {
        self.nodes.get(at)
    }

    #[cold]
    #[inline(never)]
    fn make_room(&mut self) {
        self.nodes.push(T::default());
    }

    #[inline]
    pub(crate) fn pop(&mut self) {
        self.len -= 1;
    }

    /// At most so many nodes: the others are popped.
    #[inline]
    pub(crate) fn truncate(&mut self, len: usize) {
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
