//! Who may go next, and what going next says about the order of the threads.

use gordian_model::{Priorities, ThreadId, ThreadSet};
use smallvec::SmallVec;
use std::rc::Rc;

/// What decides between the threads that could go on.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(super) enum Precedence {
    /// Nothing: where a thread does not go on, any other may.
    Free,
    /// An order of priority that is known only as far as it has mattered yet. Every order is tried, and none twice.
    Partial(Partial),
    /// An order of priority that was drawn.
    Total(Total),
}

/// What is known of the order of the threads.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub(super) struct Partial {
    /// Those that are above each thread, directly or not; by number of the thread.
    above: SmallVec<[u64; 8]>,
}

/// A whole order.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(super) struct Total {
    /// The priority of each thread, by number.
    pub(super) of: SmallVec<[u32; 8]>,
    /// What a thread gets instead, one for each preemption.
    pub(super) next: Rc<[u32]>,
}

fn bits(threads: &ThreadSet) -> u64 {
    threads.words().next().unwrap_or(0)
}

fn each(mut bits: u64) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let i = bits.trailing_zeros() as usize;
        let some = bits != 0;
        bits &= bits.wrapping_sub(1);
        some.then_some(i)
    })
}

impl Partial {
    /// Threads from this number on cannot be told apart.
    pub(super) const MOST: usize = 64;

    fn above(&self, thread: usize) -> u64 {
        self.above.get(thread).copied().unwrap_or(0)
    }

    /// Those that no other is known to be above.
    fn highest(&self, enabled: u64) -> u64 {
        each(enabled).filter(|&t| self.above(t) & enabled == 0).fold(0, |set, t| set | 1 << t)
    }

    /// The thread goes before the others.
    fn put_first(&mut self, thread: usize, enabled: u64) {
        let most = 64 - (enabled | 1 << thread).leading_zeros() as usize;
        if self.above.len() < most {
            self.above.resize(most, 0);
        }
        let others = enabled & !(1 << thread);
        let higher = 1 << thread | self.above[thread];
        for i in 0..self.above.len() {
            if others >> i & 1 == 1 || self.above[i] & others != 0 {
                self.above[i] |= higher;
            }
        }
    }

    /// Forgets where the thread was.
    fn renew(&mut self, thread: usize) {
        for above in &mut self.above {
            *above &= !(1 << thread);
        }
        if let Some(above) = self.above.get_mut(thread) {
            *above = 0;
        }
    }

    /// Forgets threads that have come to their end; what is known of the others stays.
    fn forget(&mut self, ended: u64) {
        for (i, above) in self.above.iter_mut().enumerate() {
            *above = if ended >> i & 1 == 1 { 0 } else { *above & !ended };
        }
    }

    fn is_related(&self, thread: usize) -> bool {
        self.above(thread) != 0 || self.above.iter().any(|above| above >> thread & 1 == 1)
    }

    /// Priorities that agree with what is known.
    fn priorities(&self, of: &mut Vec<u32>) {
        let n = self.above.len();
        of.clear();
        of.resize(n, 0);
        let mut placed = 0u64;
        for place in 0..n {
            let free = |&t: &usize| placed >> t & 1 == 0 && self.above[t] & !placed == 0;
            let next = (0..n).find(free).expect("the order has no cycle");
            of[next] = Priorities::LOW + (n - place) as u32;
            placed |= 1 << next;
        }
    }
}

impl Total {
    /// A thread that has no place in the order has made no step yet, so others were above it.
    fn highest(&self, enabled: &ThreadSet) -> Option<ThreadId> {
        enabled.iter().max_by_key(|t| self.of.get(t.index()).copied().unwrap_or(0))
    }
}

impl Precedence {
    /// Each thread that may go next without a preemption, and what is known then. `last` is the thread that would have to
    /// be preempted for another to go, if there is one.
    pub(super) fn next(
        &self,
        enabled: &ThreadSet,
        last: Option<ThreadId>,
        mut tell: impl FnMut(ThreadId, Precedence),
    ) {
        match self {
            Precedence::Free => match last {
                Some(last) => tell(last, Precedence::Free),
                None => enabled.iter().for_each(|t| tell(t, Precedence::Free)),
            },
            Precedence::Partial(partial) => {
                let enabled = bits(enabled);
                for thread in each(partial.highest(enabled)) {
                    let mut next = partial.clone();
                    next.put_first(thread, enabled);
                    tell(ThreadId(thread as u32), Precedence::Partial(next));
                }
            }
            Precedence::Total(total) => {
                if let Some(thread) = total.highest(enabled) {
                    tell(thread, self.clone());
                }
            }
        }
    }

    /// Each thread that may go next if `last` is preempted for the `nth` time (from zero) of all, and what is known then.
    pub(super) fn preempting(
        &self,
        enabled: &ThreadSet,
        last: ThreadId,
        nth: usize,
        mut tell: impl FnMut(ThreadId, Precedence),
    ) {
        match self {
            Precedence::Free => {
                enabled.iter().filter(|&t| t != last).for_each(|t| tell(t, Precedence::Free));
            }
            Precedence::Partial(partial) => {
                // Without a place in the order it has none to lose.
                if partial.is_related(last.index()) {
                    let mut renewed = partial.clone();
                    renewed.renew(last.index());
                    Precedence::Partial(renewed).next(enabled, None, tell);
                }
            }
            Precedence::Total(total) => {
                let mut changed = total.clone();
                changed.of[last.index()] = total.next[nth];
                Precedence::Total(changed).next(enabled, None, tell);
            }
        }
    }

    /// Forgets threads that have come to their end, so that executions that differ only in what does not matter any more are
    /// found to be alike.
    pub(super) fn forget(&mut self, ended: u64) {
        if let Precedence::Partial(partial) = self {
            partial.forget(ended);
        }
    }

    /// The priorities that go on in this way, unless threads simply run on.
    pub(super) fn priorities(&self, of: &mut Vec<u32>) -> bool {
        match self {
            Precedence::Free => false,
            Precedence::Partial(partial) => {
                partial.priorities(of);
                true
            }
            Precedence::Total(total) => {
                of.clear();
                of.extend_from_slice(&total.of);
                true
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn set(threads: &[u32]) -> ThreadSet {
        let mut set = ThreadSet::default();
        threads.iter().for_each(|&t| set.insert(ThreadId(t)));
        set
    }

    fn next(precedence: &Precedence, enabled: &[u32]) -> Vec<(u32, Precedence)> {
        let mut all = Vec::new();
        precedence.next(&set(enabled), None, |t, next| all.push((t.0, next)));
        all
    }

    #[test]
    fn an_order_is_decided_where_it_matters_and_kept() {
        let none = Precedence::Partial(Partial::default());
        let first = next(&none, &[0, 1, 2]);
        assert_eq!(first.iter().map(|f| f.0).collect::<Vec<_>>(), [0, 1, 2]);
        // 1 above 0 and 2; with 0 and 2 left their order is open.
        let one = &first[1].1;
        assert_eq!(next(one, &[0, 1]).len(), 1);
        let two = next(one, &[0, 2]).remove(1).1;
        // 1 above 2 above 0, also where 2 is not enabled.
        assert_eq!(next(&two, &[0, 1])[0].0, 1);
        let mut of = Vec::new();
        assert!(two.priorities(&mut of));
        assert!(of[1] > of[2] && of[2] > of[0]);
    }

    #[test]
    fn a_preempted_thread_loses_its_place_and_the_others_keep_theirs() {
        let none = Precedence::Partial(Partial::default());
        let two = next(&next(&none, &[0, 1, 2])[1].1, &[0, 2]).remove(1).1;
        let mut after = Vec::new();
        two.preempting(&set(&[0, 1, 2]), ThreadId(1), 0, |t, next| after.push((t.0, next)));
        assert_eq!(after.iter().map(|a| a.0).collect::<Vec<_>>(), [1, 2], "0 stays below 2");
    }
}
