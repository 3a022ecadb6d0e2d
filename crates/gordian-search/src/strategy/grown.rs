//! What a depth-first search has explored: where it branched, and how much of the tree that is.
//!
//! Taking a branch in costs a few instructions. All branches are counted by their depth; those near the root are kept, and when
//! they become too many, those nearer to the root. A subtree has as many executions as were made between two branches that are
//! kept, so nothing else has to be counted.
//!
//! The share that has been explored is that of the weighted backtrack estimator with the lazy strategy (seeds 002, chapter 4; Kilby, Slaney,
//! Thiébaux, Walsh, "Estimating search tree size", AAAI 2006): a leaf weighs the product of one by the number of branches
//! at each node above it, and the share is the weight of the leaves that were seen. In depth-first order that follows from the
//! nodes on the stack alone: what was tried at a node weighs as much as those branches together. How many branches there are is known only
//! as far as the search has come; it grows under a reduction, so the estimate is too low as long as races are found.

use gordian_model::{Branched, Planned, Tree};

/// More branches than this are not kept.
const KEPT: usize = 256;
/// Deeper ones are counted together.
const DEEPEST: usize = 4096;

/// Where a search branched.
#[derive(Debug)]
pub(super) struct Grown {
    executions: u64,
    depths: Vec<u64>,
    branches: Vec<Branched>,
    top: usize,
    /// What the last execution did is known.
    learnt: bool,
}

impl Default for Grown {
    fn default() -> Grown {
        Grown { executions: 0, depths: Vec::new(), branches: Vec::new(), top: usize::MAX, learnt: false }
    }
}

impl Grown {
    pub(super) fn clear(&mut self) {
        if self.executions > 0 {
            self.depths.fill(0);
        }
        self.executions = 0;
        self.branches.clear();
        self.top = usize::MAX;
        self.learnt = false;
    }

    /// The nodes on the stack are those of the last execution.
    #[inline]
    pub(super) fn learn(&mut self) {
        self.learnt = true;
    }

    /// After an execution, and after so many steps of it, the search goes another way.
    #[inline]
    pub(super) fn branch(&mut self, depth: usize, from: Option<&Planned>, to: &Planned) {
        self.executions += 1;
        self.learnt = false;
        let at = depth.min(DEEPEST);
        if at >= self.depths.len() {
            self.make_room(at);
        }
        self.depths[at] += 1;
        if depth < self.top {
            let from = from.unwrap_or(to);
            self.branches.push(Branched {
                depth: depth as u32,
                executions: self.executions,
                from: (from.thread, from.outcome),
                to: (to.thread, to.outcome),
            });
            if self.branches.len() > KEPT {
                self.thin_out();
            }
        }
    }

    #[cold]
    fn make_room(&mut self, depth: usize) {
        self.depths.resize((depth + 1).next_multiple_of(32), 0);
    }

    /// Keeps those nearest to the root, half as many.
    #[cold]
    fn thin_out(&mut self) {
        let mut depths: Vec<u32> = self.branches.iter().map(|b| b.depth).collect();
        depths.sort_unstable();
        // All of one depth stay or go, so that siblings stay together.
        let top = depths[KEPT / 2];
        self.branches.retain(|b| b.depth < top);
        self.top = top as usize;
    }

    /// How many executions were taken in, and the share of the tree that they are. `nodes` are those on the stack, from the root: how
    /// many branches were done with, and how many there are in all with the one that is being explored.
    fn seen(&self, done: bool, nodes: impl Iterator<Item = (u32, u32)>) -> (u64, f64) {
        let share = if done { 1.0 } else { share(nodes, self.learnt) };
        (self.executions + u64::from(done || self.learnt), share)
    }

    /// The executions that the whole tree takes.
    pub(super) fn estimate(&self, done: bool, nodes: impl Iterator<Item = (u32, u32)>) -> Option<f64> {
        let (seen, share) = self.seen(done, nodes);
        Tree { seen, share, ..Tree::default() }.estimate()
    }

    /// The tree.
    pub(super) fn tree(&self, done: bool, nodes: impl Iterator<Item = (u32, u32)>) -> Tree {
        let (seen, share) = self.seen(done, nodes);
        let deepest = self.depths.iter().rposition(|&n| n > 0).map_or(0, |at| at + 1);
        Tree {
            // The first came before any branch.
            executions: self.executions + 1,
            seen,
            share,
            depths: self.depths[..deepest].to_vec(),
            branches: self.branches.clone(),
            top: self.top.try_into().unwrap_or(u32::MAX),
        }
    }
}

/// The weight of the leaves that were seen, with the one at the end of the path if there is one.
fn share(nodes: impl Iterator<Item = (u32, u32)>, with_leaf: bool) -> f64 {
    let (mut seen, mut weight) = (0.0, 1.0);
    for (tried, all) in nodes {
        let each = weight / f64::from(all.max(1));
        seen += each * f64::from(tried);
        weight = each;
    }
    if with_leaf { seen + weight } else { seen }
}

#[cfg(test)]
mod tests {
    use super::*;
    use gordian_model::ThreadId;

    fn planned(thread: u32) -> Planned {
        Planned { thread: ThreadId(thread), outcome: 0, expected: None }
    }

    #[test]
    fn the_share_is_the_weight_of_the_leaves() {
        assert_eq!(share([].into_iter(), true), 1.0);
        // One of two at the root, and there the second of four.
        assert_eq!(share([(0, 2), (1, 4)].into_iter(), true), 0.25);
        assert_eq!(share([(1, 2), (3, 4)].into_iter(), true), 1.0);
        // The second of two at the root, of which nothing is known yet.
        assert_eq!(share([(1, 2)].into_iter(), false), 0.5);
    }

    #[test]
    fn of_many_branches_those_near_the_root_stay() {
        let mut grown = Grown::default();
        // A binary tree of depth 12.
        for leaf in 1..4096u32 {
            let depth = 11 - leaf.trailing_zeros() as usize;
            grown.branch(depth, Some(&planned(0)), &planned(1));
        }
        let tree = grown.tree(true, [].into_iter());
        assert_eq!(tree.executions, 4096);
        assert_eq!(tree.depths, (0..12).map(|d| 1u64 << d).collect::<Vec<_>>());
        assert!(tree.branches.len() <= KEPT && tree.top >= 6, "{} {}", tree.branches.len(), tree.top);
        // All of those, and each when half of what is below it was done.
        assert_eq!(tree.branches.len(), (1 << tree.top) - 1);
        let root = tree.branches.iter().find(|b| b.depth == 0).unwrap();
        assert_eq!(root.executions, 2048);
    }
}
