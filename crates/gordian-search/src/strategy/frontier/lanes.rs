//! The steps of each thread, extended step by step and cut back when the search goes elsewhere.

use gordian_model::ThreadId;

/// The steps of each thread.
#[derive(Debug, Default)]
pub(crate) struct Lanes {
    /// By thread, the numbers of its steps.
    steps: Vec<Vec<u32>>,
    threads: Vec<ThreadId>,
}

impl Lanes {
    /// Adds the next step.
    #[inline]
    pub(super) fn push(&mut self, thread: ThreadId) {
        if self.steps.len() <= thread.index() {
            self.steps.resize_with(thread.index() + 1, Vec::new);
        }
        self.steps[thread.index()].push(self.threads.len() as u32);
        self.threads.push(thread);
    }

    /// Forgets the steps from `len` on.
    #[inline]
    pub(super) fn truncate(&mut self, len: usize) {
        while self.threads.len() > len {
            let thread = self.threads.pop().expect("there is one");
            self.steps[thread.index()].pop();
        }
    }

    /// The threads that have made a step, and maybe others.
    pub(super) fn threads(&self) -> impl Iterator<Item = ThreadId> + use<> {
        (0..self.steps.len() as u32).map(ThreadId)
    }

    fn of(&self, thread: ThreadId) -> &[u32] {
        self.steps.get(thread.index()).map_or(&[], Vec::as_slice)
    }

    /// The steps of the thread that are not before this one.
    #[inline]
    pub(crate) fn from(&self, thread: ThreadId, at: usize) -> impl Iterator<Item = usize> {
        let steps = self.of(thread);
        steps[steps.partition_point(|&step| (step as usize) < at)..].iter().map(|&step| step as usize)
    }

    /// The first of them.
    #[inline]
    pub(crate) fn next(&self, thread: ThreadId, at: usize) -> Option<usize> {
        self.from(thread, at).next()
    }

    /// The step of the thread with this number, from one.
    pub(super) fn nth(&self, thread: ThreadId, number: u32) -> Option<usize> {
        let number = (number as usize).checked_sub(1)?;
        self.of(thread).get(number).map(|&step| step as usize)
    }

    /// The last step of the thread before this one.
    pub(crate) fn last_before(&self, thread: ThreadId, at: usize) -> Option<usize> {
        let steps = self.of(thread);
        let before = steps.partition_point(|&step| (step as usize) < at);
        before.checked_sub(1).map(|last| steps[last] as usize)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_are_found_from_both_sides() {
        let mut lanes = Lanes::default();
        for thread in [0, 1, 0, 2, 1] {
            lanes.push(ThreadId(thread));
        }
        assert_eq!((lanes.next(ThreadId(1), 2), lanes.last_before(ThreadId(1), 4)), (Some(4), Some(1)));
        lanes.truncate(4);
        assert_eq!((lanes.next(ThreadId(1), 2), lanes.next(ThreadId(0), 2)), (None, Some(2)));
        assert_eq!((lanes.next(ThreadId(9), 0), lanes.last_before(ThreadId(2), 3)), (None, None));
    }
}
