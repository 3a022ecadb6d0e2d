//! Time for all tests together.

use std::time::{Duration, Instant};

/// A time that tests share. They run several at once, so in rounds: each round has an equal part of what is left, and what
/// tests leave over goes to those that come later.
pub(crate) struct Budget {
    pub(crate) end: Instant,
    pub(crate) tests: usize,
    pub(crate) at_once: usize,
}

impl Budget {
    /// The share of the test with this number, which starts now.
    pub(crate) fn share(&self, number: usize, now: Instant) -> Duration {
        let rounds = self.tests.div_ceil(self.at_once).saturating_sub(number / self.at_once).max(1);
        let left = self.end.saturating_duration_since(now);
        // Without any time there would be no execution at all.
        (left / rounds as u32).max(Duration::from_millis(1))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_left_is_shared_by_the_rounds_to_come() {
        let start = Instant::now();
        let seconds = Duration::from_secs;
        let budget = Budget { end: start + seconds(10), tests: 5, at_once: 2 };
        assert_eq!(budget.share(0, start), seconds(10) / 3);
        assert_eq!(budget.share(1, start), seconds(10) / 3);
        // The first two needed one second only.
        assert_eq!(budget.share(2, start + seconds(1)), seconds(9) / 2);
        assert_eq!(budget.share(4, start + seconds(4)), seconds(6));
        assert_eq!(budget.share(4, start + seconds(11)), Duration::from_millis(1));
    }
}
