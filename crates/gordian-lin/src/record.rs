//! What an execution of a test was like, call by call.

use crate::serial::Answer;
use gordian_model::ThreadId;

/// One call of an execution. The steps in it are those of its thread from `start` up to `end`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Span {
    /// Who called.
    pub thread: ThreadId,
    /// How many steps there were in all when it began.
    pub start: u32,
    /// How many when it returned, if it did.
    pub end: Option<u32>,
    /// What it returned.
    pub answer: Answer,
}

/// The calls of an execution, by number; those that did not begin are missing.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Record {
    /// The calls.
    pub spans: Vec<Option<Span>>,
}

impl Record {
    /// Forgets the calls of the execution before.
    pub fn clear(&mut self, calls: usize) {
        self.spans.clear();
        self.spans.resize(calls, None);
    }

    /// A call begins.
    pub fn begin(&mut self, call: usize, thread: ThreadId, start: usize) {
        self.spans[call] = Some(Span { thread, start: start as u32, end: None, answer: Answer::BLOCKED });
    }

    /// It returns.
    pub fn end(&mut self, call: usize, end: usize, answer: Answer) {
        let span = self.spans[call].as_mut().expect("it began");
        span.end = Some(end as u32);
        span.answer = answer;
    }

    /// The calls that returned, and those that began and did not.
    pub fn returned_and_pending(&self) -> (u64, u64) {
        let mut sets = (0, 0);
        for (call, span) in self.spans.iter().enumerate() {
            match span {
                Some(Span { end: Some(_), .. }) => sets.0 |= 1 << call,
                Some(_) => sets.1 |= 1 << call,
                None => {}
            }
        }
        sets
    }
}
