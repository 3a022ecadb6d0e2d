//! Random numbers that are the same on every machine and for ever, so that a seed keeps its meaning.
//!
//! SplitMix64 (Steele, Lea, Flood, "Fast splittable pseudorandom number generators", OOPSLA 2014): one addition and
//! three rounds of mixing a number, and any seed will do.

/// A source of random numbers.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Chance(u64);

const GAMMA: u64 = 0x9E37_79B9_7F4A_7C15;

impl Chance {
    /// Starts from a seed.
    pub fn new(seed: u64) -> Chance {
        Chance(seed)
    }

    /// The source of the `n`-th of many things that start from one seed: the same as long as the seed is, whatever the
    /// others draw.
    pub fn of(seed: u64, n: u64) -> Chance {
        Chance::new(Chance(seed.wrapping_add(n.wrapping_mul(GAMMA))).next())
    }

    /// The next number. (No iterator: it has no end, and an `Option` would be in the way.)
    #[inline]
    #[allow(clippy::should_implement_trait)]
    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(GAMMA);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    /// A number below `n`, which is at least one. (Multiplying instead of dividing prefers some numbers by less than one
    /// part in 2^32 for any `n` that fits in 32 bits.)
    #[inline]
    pub fn below(&mut self, n: u64) -> u64 {
        ((u128::from(self.next()) * u128::from(n)) >> 64) as u64
    }

    /// Puts a list in random order (Fisher and Yates).
    pub fn shuffle<T>(&mut self, list: &mut [T]) {
        for i in (1..list.len()).rev() {
            list.swap(i, self.below(i as u64 + 1) as usize);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_seed_means_the_same_for_ever() {
        // The first numbers of the published generator for seed 1234567.
        let mut chance = Chance::new(1_234_567);
        let numbers = [6_457_827_717_110_365_317, 3_203_168_211_198_807_973, 9_817_491_932_198_370_423];
        assert_eq!(std::array::from_fn(|_| chance.next()), numbers);
    }

    #[test]
    fn each_of_many_starts_where_the_one_source_would_be() {
        let mut one = Chance::new(42);
        let starts: [u64; 3] = std::array::from_fn(|_| one.next());
        assert_eq!(std::array::from_fn(|n| Chance::of(42, n as u64)), starts.map(Chance::new));
    }

    #[test]
    fn every_order_of_a_list_is_as_likely_as_the_others() {
        let mut chance = Chance::new(3);
        let mut seen = std::collections::BTreeMap::new();
        for _ in 0..6000 {
            let mut list = [0, 1, 2];
            chance.shuffle(&mut list);
            *seen.entry(list).or_insert(0) += 1;
        }
        assert_eq!(seen.len(), 6);
        assert!(seen.values().all(|&n| (900..1100).contains(&n)), "{seen:?}");
    }
}
