//! How far a search is, noted from time to time.

use crate::guarantee::Proved;
use crate::statistics::Statistics;
use crate::strategy::Strategy;
use gordian_model::{Course, Finished, Sample};
use std::time::Instant;

/// At most so many samples are kept; when there are more, every second one goes.
const KEPT: usize = 128;

/// Steps up to the first.
const FIRST: u64 = 4_000;

/// Writes down the course of a search.
#[derive(Debug)]
pub(crate) struct Log {
    /// Short searches have none.
    course: Option<Box<Course>>,
    /// Steps between two samples, and the steps at which the next is due.
    every: u64,
    due: u64,
}

impl Default for Log {
    fn default() -> Log {
        Log { course: None, every: FIRST, due: FIRST }
    }
}

impl Log {
    /// Was it long enough for that?
    pub(crate) fn has_samples(&self) -> bool {
        self.course.is_some()
    }

    /// Takes a sample if one is due after so many steps.
    pub(crate) fn look(&mut self, steps: u64, executions: u64, start: Instant, strategy: &dyn Strategy) {
        if steps < self.due {
            return;
        }
        let samples = &mut self.sample(executions, start, strategy).samples;
        if samples.len() >= KEPT {
            let mut keep = false;
            samples.retain(|_| {
                keep = !keep;
                keep
            });
            self.every *= 2;
        }
        self.due = steps + self.every;
    }

    fn sample(&mut self, executions: u64, start: Instant, strategy: &dyn Strategy) -> &mut Course {
        let elapsed = start.elapsed();
        let estimate = strategy.estimate();
        let course = self.course.get_or_insert_default();
        course.samples.push(Sample { elapsed, executions, estimate });
        if let Proved::Within(within) = strategy.proved(false)
            && course.bounds.last().is_none_or(|last| last.within != within)
        {
            course.bounds.push(Finished { elapsed, executions, within });
        }
        course
    }

    /// The course of a search that has come to its end.
    pub(crate) fn end(
        mut self,
        executions: u64,
        start: Instant,
        strategy: &dyn Strategy,
        statistics: &Statistics,
    ) -> Box<Course> {
        let course = self.sample(executions, start, strategy);
        course.tree = strategy.tree();
        course.preemptions = statistics.by_preemptions().to_vec();
        self.course.unwrap_or_default()
    }
}
