//! Which later steps do not happen after a step. To reverse the races of a long execution this is asked again and again of the same
//! steps, so the answers are kept. Steps that are added change nothing about earlier ones; where some are taken away, another execution begins.

/// The answers, by step.
#[derive(Debug, Default)]
pub(super) struct Beside {
    answers: Vec<Answer>,
    /// Answers with another number are for an earlier execution.
    execution: u64,
}

#[derive(Clone, Debug, Default)]
struct Answer {
    execution: u64,
    /// The steps from here on have not been looked at.
    end: u32,
    later: Vec<u32>,
}

impl Beside {
    /// Steps were taken away.
    #[inline]
    pub(super) fn clear(&mut self) {
        self.execution += 1;
    }

    /// The steps between `at` and `last` that do not happen after `at`.
    pub(super) fn between(&mut self, at: usize, last: usize, after: impl Fn(usize) -> bool) -> &[u32] {
        if self.answers.len() <= at {
            self.answers.resize(at + 1, Answer::default());
        }
        let Answer { execution, end, later } = &mut self.answers[at];
        // One that has never been asked for ends before it begins.
        if *execution != self.execution || *end as usize <= at {
            (*execution, *end) = (self.execution, at as u32 + 1);
            later.clear();
        }
        if (*end as usize) < last {
            later.extend((*end..last as u32).filter(|&later| !after(later as usize)));
            *end = last as u32;
            return later;
        }
        &later[..later.partition_point(|&later| (later as usize) < last)]
    }
}
