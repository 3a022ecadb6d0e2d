//! Orders of calls that are known to explain answers.

use crate::adversary::each;
use crate::explain::{Order, Question};
use crate::seen::Seen;
use crate::test::Calls;

/// So many are kept for the same answers.
const MOST: usize = 64;

/// Orders by the answers that they explain. Histories with the same answers are many, and they differ in what was over before what; an order that was found for one often explains others.
#[derive(Debug, Default)]
pub(crate) struct Orders {
    questions: Seen,
    known: Vec<Known>,
    words: Vec<u64>,
}

impl Orders {
    /// What is known about a question.
    pub(crate) fn of(&mut self, question: &Question<'_>) -> &mut Known {
        self.words.clear();
        self.words.extend([question.returned, question.stuck.map_or(0, |call| call as u64 + 1)]);
        self.words.extend(each(question.returned).map(|call| u64::from(question.answers[call].0)));
        let (number, new) = self.questions.number(&self.words);
        if new {
            self.known.push(Known::default());
        }
        &mut self.known[number]
    }
}

/// Orders that explain the same answers: for each call those that must not be over when it begins.
#[derive(Debug, Default)]
pub(crate) struct Known(Vec<Box<[Calls]>>);

impl Known {
    /// Does one of them keep to what is over before what?
    ///
    /// An order in which calls may change places stands for all that come from it in this way. One of them keeps to what was over, unless there is a cycle of calls each of which has to follow the one before or begins when it
    /// is over; and as calls are intervals in time, a shortest cycle is one of two calls. If what is asked about is everything that could be over, in whichever execution, all of them are explained.
    pub(crate) fn explains(&mut self, before: &[Calls]) -> bool {
        let keeps = |later: &[Calls]| before.iter().zip(later).all(|(before, later)| before & later == 0);
        let Some(place) = self.0.iter().position(|later| keeps(later)) else { return false };
        // What was good once is tried earlier.
        self.0.swap(place, place / 2);
        true
    }

    /// One more: for each call what had returned when it began.
    pub(crate) fn add(&mut self, members: Calls, order: &Order) {
        let later = |(call, over): (usize, &Calls)| {
            if members >> call & 1 == 1 { members & !over & !(1 << call) } else { 0 }
        };
        self.push(order.iter().enumerate().map(later).collect());
    }

    /// One more, together with those that come from it when calls change places that may; see [`Serial::follows`](crate::serial::Serial::follows).
    pub(crate) fn push(&mut self, later: Box<[Calls]>) {
        if self.0.len() == MOST {
            self.0.pop();
        }
        self.0.push(later);
    }
}
