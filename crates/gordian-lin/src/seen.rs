//! Histories that were seen before.

use rustc_hash::FxHasher;
use std::hash::Hasher;

/// Numbers things by the words that describe them, in the order in which they come. There are hundreds of thousands of them and little is done with each, so that what they are compared by is kept in one piece.
#[derive(Debug, Default)]
pub(crate) struct Seen {
    /// Where the description of each ends.
    ends: Vec<usize>,
    words: Vec<u64>,
    /// Numbers plus one by hash, or zero; a power of two of places, of which some are free.
    table: Vec<u32>,
}

impl Seen {
    /// How many different ones there were.
    pub(crate) fn len(&self) -> usize {
        self.ends.len()
    }

    /// The number, and whether it is a new one.
    pub(crate) fn number(&mut self, words: &[u64]) -> (usize, bool) {
        if (self.len() + 1) * 2 > self.table.len() {
            self.grow();
        }
        let mut place = self.place(words);
        loop {
            match self.table[place] {
                0 => break,
                number if self.words_of(number as usize - 1) == words => return (number as usize - 1, false),
                _ => place = (place + 1) & (self.table.len() - 1),
            }
        }
        self.words.extend_from_slice(words);
        self.ends.push(self.words.len());
        self.table[place] = self.len() as u32;
        (self.len() - 1, true)
    }

    fn words_of(&self, number: usize) -> &[u64] {
        let start = number.checked_sub(1).map_or(0, |before| self.ends[before]);
        &self.words[start..self.ends[number]]
    }

    fn place(&self, words: &[u64]) -> usize {
        let mut hasher = FxHasher::default();
        words.iter().for_each(|&word| hasher.write_u64(word));
        // The upper bits are the better ones.
        let hash = hasher.finish();
        (hash >> 32 ^ hash) as usize & (self.table.len() - 1)
    }

    fn grow(&mut self) {
        self.table = vec![0; (self.table.len() * 2).max(64)];
        for number in 0..self.len() {
            let mut place = self.place(self.words_of(number));
            while self.table[place] != 0 {
                place = (place + 1) & (self.table.len() - 1);
            }
            self.table[place] = number as u32 + 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use gordian_model::Chance;
    use std::collections::HashMap;

    #[test]
    fn the_same_words_have_the_same_number() {
        let (mut seen, mut known) = (Seen::default(), HashMap::new());
        let mut chance = Chance::new(5);
        for _ in 0..20_000 {
            let words: Vec<u64> =
                (0..chance.below(4)).map(|_| chance.below(20) << chance.below(60)).collect();
            let new = known.len();
            let expected = *known.entry(words.clone()).or_insert(new);
            assert_eq!(seen.number(&words), (expected, expected == new));
        }
        assert!(seen.len() == known.len() && known.len() > 5_000, "{}", known.len());
    }
}
