//! How many random orders show every order of a few threads (Bindal et al., lemma 4.1).

use gordian_model::Chance;

/// The least number of random permutations of `n` things such that every order of every `t` of them appears in one, with
/// probability at least `1 - epsilon`. This is the requirement in the proof of the lemma, t! C(n,t) (1 - 1/t!)^P <= epsilon;
/// the closed form that the lemma gives approximates it from below.
pub(super) fn enough(n: u64, t: u64, epsilon: f64) -> u64 {
    let t = t.min(n);
    let ln_orders: f64 = (1..=t).map(|i| (i as f64).ln()).sum();
    let ln_subsets: f64 = (0..t).map(|i| ((n - i) as f64 / (i + 1) as f64).ln()).sum();
    let missed = f64::ln_1p(-(-ln_orders).exp());
    if missed == f64::NEG_INFINITY {
        return 1;
    }
    ((ln_orders + ln_subsets - epsilon.ln()) / -missed).ceil().max(1.0) as u64
}

/// The `nth` random permutation of the numbers below `n`.
pub(super) fn permutation(n: usize, seed: u64, nth: u64) -> Vec<u32> {
    let mut order: Vec<u32> = (0..n as u32).collect();
    Chance::of(seed, nth).shuffle(&mut order);
    order
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    /// Does every order of every three of them appear?
    fn covers_threes(orders: &[Vec<u32>], n: u32) -> bool {
        let mut seen = BTreeSet::new();
        for order in orders {
            for (i, a) in order.iter().enumerate() {
                for (j, b) in order.iter().enumerate().skip(i + 1) {
                    seen.extend(order[j + 1..].iter().map(|c| (a, b, c)));
                }
            }
        }
        seen.len() as u32 == n * (n - 1) * (n - 2)
    }

    #[test]
    fn enough_is_enough_and_not_much_too_many() {
        assert_eq!(enough(1, 1, 0.01), 1);
        // 2! C(2,2) (1/2)^P <= 0.01: P = log2(200), rounded up.
        assert_eq!(enough(2, 2, 0.01), 8);
        let (n, p) = (8, enough(8, 3, 0.01));
        let missing = |p: u64| {
            let tries = (0..400).filter(|&seed| {
                let orders: Vec<_> = (0..p).map(|nth| permutation(n, seed, nth)).collect();
                !covers_threes(&orders, n as u32)
            });
            tries.count()
        };
        assert!(missing(p) <= 12, "{} of 400 with {p} orders", missing(p));
        assert!(missing(p / 2) > 40, "{} of 400 with half of them", missing(p / 2));
    }
}
