//! A set of threads. The first 64 live in one word, because nearly every test has fewer.

use crate::id::ThreadId;

/// A set of threads.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ThreadSet {
    low: u64,
    high: Vec<u64>,
}

impl ThreadSet {
    /// The set that a trace stores as words.
    pub fn from_words(words: &[u64]) -> ThreadSet {
        match words.split_first() {
            None => ThreadSet::default(),
            Some((&low, high)) => ThreadSet { low, high: high.to_vec() },
        }
    }

    /// Becomes the set that a trace stores as words, keeping the memory.
    #[inline]
    pub fn assign_words(&mut self, words: &[u64]) {
        self.low = words.first().copied().unwrap_or(0);
        self.high.clear();
        if words.len() > 1 {
            self.high.extend_from_slice(&words[1..]);
        }
    }

    /// Removes everything, keeping the memory.
    #[inline]
    pub fn clear(&mut self) {
        self.low = 0;
        self.high.clear();
    }

    /// Adds a thread.
    #[inline]
    pub fn insert(&mut self, thread: ThreadId) {
        let i = thread.0;
        if i < 64 {
            self.low |= 1 << i;
        } else {
            self.insert_high(i);
        }
    }

    #[cold]
    #[inline(never)]
    fn insert_high(&mut self, i: u32) {
        let word = (i / 64 - 1) as usize;
        if self.high.len() <= word {
            self.high.resize(word + 1, 0);
        }
        self.high[word] |= 1 << (i % 64);
    }

    /// Removes a thread.
    #[inline(always)]
    pub fn remove(&mut self, thread: ThreadId) {
        let i = thread.0;
        if i < 64 {
            self.low &= !(1 << i);
        } else if let Some(word) = self.high.get_mut((i / 64 - 1) as usize) {
            *word &= !(1 << (i % 64));
        }
    }

    /// Is the thread in the set?
    #[inline]
    pub fn contains(&self, thread: ThreadId) -> bool {
        let i = thread.0;
        if i < 64 {
            self.low >> i & 1 == 1
        } else {
            self.high.get((i / 64 - 1) as usize).is_some_and(|w| w >> (i % 64) & 1 == 1)
        }
    }

    /// Is the set empty?
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.low == 0 && (self.high.is_empty() || self.high.iter().all(|&w| w == 0))
    }

    /// The number of threads in the set.
    pub fn len(&self) -> usize {
        (self.low.count_ones() + self.high.iter().map(|w| w.count_ones()).sum::<u32>()) as usize
    }

    /// The only thread in the set, if there is just one and it is among the first 64.
    #[inline]
    pub fn only(&self) -> Option<ThreadId> {
        let is_one = self.low.is_power_of_two() && self.high.iter().all(|&word| word == 0);
        if is_one { Some(ThreadId(self.low.trailing_zeros())) } else { None }
    }

    /// The threads, lowest first.
    #[inline]
    pub fn iter(&self) -> Iter<'_> {
        Iter { word: self.low, base: 0, rest: &self.high }
    }

    /// Takes the lowest thread out.
    #[inline]
    pub fn pop(&mut self) -> Option<ThreadId> {
        let lowest = self.iter().next()?;
        self.remove(lowest);
        Some(lowest)
    }

    /// Appends the words to a list.
    #[inline(always)]
    pub(crate) fn append_to(&self, words: &mut Vec<u64>) {
        words.push(self.low);
        if !self.high.is_empty() {
            self.append_high_to(words);
        }
    }

    /// Appends the words of the set with a thread that is not in it.
    #[inline(always)]
    pub(crate) fn append_with(&mut self, thread: ThreadId, words: &mut Vec<u64>) {
        if thread.0 < 64 && self.high.is_empty() {
            words.push(self.low | 1 << thread.0);
        } else {
            self.append_with_high(thread, words);
        }
    }

    #[cold]
    #[inline(never)]
    fn append_with_high(&mut self, thread: ThreadId, words: &mut Vec<u64>) {
        self.insert(thread);
        self.append_to(words);
        self.remove(thread);
    }

    #[cold]
    #[inline(never)]
    fn append_high_to(&self, words: &mut Vec<u64>) {
        words.extend_from_slice(&self.high);
    }

    /// The words, lowest threads first.
    #[inline]
    pub fn words(&self) -> impl Iterator<Item = u64> + '_ {
        std::iter::once(self.low).chain(self.high.iter().copied())
    }
}

/// The threads of a set, lowest first.
#[derive(Clone, Debug)]
pub struct Iter<'a> {
    word: u64,
    base: u32,
    rest: &'a [u64],
}

impl Iterator for Iter<'_> {
    type Item = ThreadId;

    #[inline]
    fn next(&mut self) -> Option<ThreadId> {
        while self.word == 0 {
            let (&word, rest) = self.rest.split_first()?;
            (self.word, self.rest) = (word, rest);
            self.base += 64;
        }
        let bit = self.word.trailing_zeros();
        self.word &= self.word - 1;
        Some(ThreadId(self.base + bit))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn holds_threads_beyond_one_word() {
        let mut set = ThreadSet::default();
        for t in [0, 63, 64, 200, 511] {
            set.insert(ThreadId(t));
        }
        set.remove(ThreadId(64));
        assert_eq!(set.iter().map(|t| t.0).collect::<Vec<_>>(), [0, 63, 200, 511]);
        assert_eq!(set.len(), 4);
        assert_eq!(ThreadSet::from_words(&set.words().collect::<Vec<_>>()), set);
        assert!(!set.contains(ThreadId(64)) && set.contains(ThreadId(511)));
        assert_eq!((set.pop(), set.only()), (Some(ThreadId(0)), None));
        assert_eq!((set.pop(), set.only(), set.len()), (Some(ThreadId(63)), None, 2));
        let one = ThreadSet::from_words(&[1 << 5]);
        assert_eq!((one.only(), ThreadSet::default().only()), (Some(ThreadId(5)), None));
    }
}
