//! The steps of a trace, in memory that is used again: a step is written over one of an earlier execution.

use crate::step::Step;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::ops::{Deref, DerefMut};

/// The steps of a trace, in order.
#[derive(Debug, Default)]
pub struct Steps {
    /// Those of this trace, then what is left of others.
    steps: Vec<Step>,
    len: usize,
}

impl Steps {
    /// The number of steps.
    #[inline]
    pub fn len(&self) -> usize {
        self.len
    }

    /// Is there none?
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// One more step, with whatever is left in it of an earlier one.
    #[inline(always)]
    pub(crate) fn push(&mut self) -> &mut Step {
        if self.len >= self.steps.len() {
            self.make_room();
        }
        let step = &mut self.steps[self.len];
        self.len += 1;
        step
    }

    #[cold]
    #[inline(never)]
    fn make_room(&mut self) {
        self.steps.resize((self.len * 2).max(256), Step::BLANK);
    }

    /// The next step as an earlier execution left it, if it is one of so many.
    #[inline(always)]
    pub(crate) fn known(&self, many: usize) -> Option<&Step> {
        if self.len < many { self.steps.get(self.len) } else { None }
    }

    /// The same, to be changed.
    #[inline(always)]
    pub(crate) fn known_mut(&mut self, many: usize) -> Option<&mut Step> {
        if self.len < many { self.steps.get_mut(self.len) } else { None }
    }

    /// The place of the next step, with whatever is left in it of an earlier one, if there is one.
    #[inline(always)]
    pub(crate) fn next(&self) -> Option<&Step> {
        self.steps.get(self.len)
    }

    /// One more step: the one that an earlier execution left there.
    #[inline(always)]
    pub(crate) fn again(&mut self) -> &mut Step {
        let step = &mut self.steps[self.len];
        self.len += 1;
        step
    }

    #[inline]
    pub(crate) fn truncate(&mut self, len: usize) {
        self.len = self.len.min(len);
    }

    pub(crate) fn buffer(&self) -> &Vec<Step> {
        &self.steps
    }
}

impl Deref for Steps {
    type Target = [Step];

    #[inline]
    fn deref(&self) -> &[Step] {
        &self.steps[..self.len]
    }
}

impl DerefMut for Steps {
    #[inline]
    fn deref_mut(&mut self) -> &mut [Step] {
        &mut self.steps[..self.len]
    }
}

impl<'a> IntoIterator for &'a Steps {
    type Item = &'a Step;
    type IntoIter = std::slice::Iter<'a, Step>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

impl From<Vec<Step>> for Steps {
    fn from(steps: Vec<Step>) -> Steps {
        Steps { len: steps.len(), steps }
    }
}

impl Clone for Steps {
    fn clone(&self) -> Steps {
        self.to_vec().into()
    }
}

impl Serialize for Steps {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self[..].serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Steps {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Steps, D::Error> {
        Vec::deserialize(deserializer).map(Steps::from)
    }
}
