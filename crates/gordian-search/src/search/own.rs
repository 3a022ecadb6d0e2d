//! Searches with bounds and priorities of one's own.

use super::Search;
use crate::bound::Bound;
use crate::priority::Priority;
use crate::strategy::{MOST, PRIORITIES, Space, Within, maker};
use std::sync::Arc;

impl Search {
    /// Best first, over the executions that races ask for: one at least for each class of equivalent interleavings. The first priority decides, the
    /// second between executions that are equal by the first, and so on; with none it is depth first.
    ///
    /// # Panics
    ///
    /// If there are more than seven.
    pub fn best_first(priorities: impl IntoIterator<Item = Arc<dyn Priority>>) -> Search {
        let priorities = collect(priorities);
        let text = format!("best first by {} of one's own", count(priorities.len()));
        Search { text: text.into(), maker: maker(Space::Races, priorities, true) }
    }

    /// Every execution that costs no more than this (and than 255), the cheapest first.
    pub fn bounded(bound: Arc<dyn Bound>, most: u32) -> Search {
        let text = format!("all {}", bound.within(most.min(MOST)));
        let within = Within { bound, most: most.min(MOST), iterative: true, classes: None };
        Search { text: text.into(), maker: maker(Space::Within(within), [], false) }
    }

    /// Best first, over the executions that cost no more than this (and than 255).
    ///
    /// # Panics
    ///
    /// If there are more than seven priorities.
    pub fn best_first_within(
        priorities: impl IntoIterator<Item = Arc<dyn Priority>>,
        bound: Arc<dyn Bound>,
        most: u32,
    ) -> Search {
        let priorities = collect(priorities);
        let text = format!(
            "best first by {} of one's own {}",
            count(priorities.len()),
            bound.within(most.min(MOST))
        );
        let within = Within { bound, most: most.min(MOST), iterative: false, classes: None };
        Search { text: text.into(), maker: maker(Space::Within(within), priorities, true) }
    }
}

fn collect(priorities: impl IntoIterator<Item = Arc<dyn Priority>>) -> Vec<Arc<dyn Priority>> {
    let priorities: Vec<_> = priorities.into_iter().collect();
    assert!(priorities.len() <= PRIORITIES, "at most {PRIORITIES} priorities can be combined");
    priorities
}

fn count(priorities: usize) -> String {
    format!("{priorities} {}", if priorities == 1 { "priority" } else { "priorities" })
}
