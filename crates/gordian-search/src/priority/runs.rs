//! Which switches of an execution were preemptions that had to be.

use crate::order::Order;
use crate::strategy::Lanes;
use gordian_model::{ThreadId, Trace};

/// What is known of the runs of threads in an execution.
#[derive(Clone, Copy)]
pub(crate) struct Runs<'a> {
    pub(crate) trace: &'a Trace,
    pub(crate) lanes: &'a Lanes,
    /// The order of its steps, where an execution stands for all that come to the same.
    pub(crate) order: Option<&'a Order>,
}

impl Runs<'_> {
    /// If this thread goes at this step, is it a preemption that counts?
    ///
    /// Where an execution stands for all that come to the same, only those count that the others may need, too. None is needed if what the
    /// thread does until it stops is independent of the run that it cuts short: it might as well have gone before that.
    pub(crate) fn is_preemption(&self, step: usize, thread: ThreadId) -> bool {
        self.trace.would_preempt(step, thread)
            && !self.order.is_some_and(|order| self.could_go_before(order, step, thread))
    }

    /// Could the thread, which goes at this step, have gone at the beginning of the run before it and come to the same?
    fn could_go_before(&self, order: &Order, step: usize, thread: ThreadId) -> bool {
        let trace = self.trace;
        let start = self.start_of_run(step - 1);
        let mut run = self.run_from(thread, step).peekable();
        run.peek().is_some()
            && trace.is_enabled(start, thread)
            && !run.any(|at| order.depends_on_any(at, start..step))
    }

    /// The step with which the run of a thread begins that this one belongs to.
    fn start_of_run(&self, step: usize) -> usize {
        let thread = self.trace.steps[step].thread;
        (0..=step).rev().find(|&start| self.trace.goes_on(start) != Some(thread)).unwrap_or(0)
    }

    /// The steps of a thread from this step on until it stops.
    fn run_from(&self, thread: ThreadId, step: usize) -> impl Iterator<Item = usize> {
        let trace = self.trace;
        let stops = move |at: usize| {
            at + 1 == trace.len() || (trace.steps[at + 1].thread != thread && trace.goes_on(at + 1).is_none())
        };
        let mut stopped = false;
        self.lanes.from(thread, step).take_while(move |&at| !std::mem::replace(&mut stopped, stops(at)))
    }
}
