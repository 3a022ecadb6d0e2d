//! Tests: which calls are made, and by whom.

use std::fmt;

/// A set of calls, by their numbers in a test.
pub type Calls = u64;

/// One call: an operation and one of its arguments, both by number.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Call {
    /// The operation.
    pub op: u16,
    /// Its argument.
    pub arg: u16,
}

/// What is called: by the main thread at first, by some threads at once, and by the main thread in the end. Calls are numbered in this order, thread by
/// thread.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct Test {
    /// What comes first.
    pub before: Vec<Call>,
    /// What each thread calls, one after the other.
    pub threads: Vec<Vec<Call>>,
    /// What comes last, when the threads have ended.
    pub after: Vec<Call>,
}

impl Test {
    /// The most calls: sets of them are words.
    pub const MOST_CALLS: usize = 64;

    /// All calls.
    pub fn calls(&self) -> impl Iterator<Item = Call> + '_ {
        self.before.iter().chain(self.threads.iter().flatten()).chain(&self.after).copied()
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.before.len() + self.threads.iter().map(Vec::len).sum::<usize>() + self.after.len()
    }

    /// Are there none?
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The number of the first call of a thread.
    pub fn first_of(&self, thread: usize) -> usize {
        self.before.len() + self.threads[..thread].iter().map(Vec::len).sum::<usize>()
    }

    /// For each call the calls that the program makes before it: those of its own thread, and what comes first or last.
    pub fn program_order(&self) -> Vec<Calls> {
        let mut order = Vec::with_capacity(self.len());
        let set = |from: usize, to: usize| (from..to).fold(0, |set, call| set | 1 << call);
        let first = self.before.len();
        order.extend((0..first).map(|call| set(0, call)));
        for (thread, calls) in self.threads.iter().enumerate() {
            let start = self.first_of(thread);
            order.extend((0..calls.len()).map(|i| set(0, first) | set(start, start + i)));
        }
        let threads = order.len();
        order.extend((0..self.after.len()).map(|i| set(0, threads + i)));
        order
    }

    /// Reads what [`Display`](fmt::Display) wrote.
    pub fn parse(text: &str) -> Option<Test> {
        let calls = |text: &str| {
            let call = |word: &str| {
                let (op, arg) = word.split_once('.')?;
                Some(Call { op: op.parse().ok()?, arg: arg.parse().ok()? })
            };
            text.split_whitespace().map(call).collect::<Option<Vec<Call>>>()
        };
        let mut parts = text.split(';');
        let (before, threads, after) = (parts.next()?, parts.next()?, parts.next()?);
        let threads = threads.split('|').map(calls).collect::<Option<Vec<_>>>()?;
        let test = Test { before: calls(before)?, threads, after: calls(after)? };
        (parts.next().is_none() && test.len() <= Test::MOST_CALLS).then_some(test)
    }
}

impl fmt::Display for Test {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let calls = |calls: &[Call]| {
            calls.iter().map(|c| format!("{}.{}", c.op, c.arg)).collect::<Vec<_>>().join(" ")
        };
        let threads: Vec<String> = self.threads.iter().map(|c| calls(c)).collect();
        write!(f, "{};{};{}", calls(&self.before), threads.join("|"), calls(&self.after))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn call(op: u16, arg: u16) -> Call {
        Call { op, arg }
    }

    #[test]
    fn a_test_is_read_as_it_was_written() {
        let full = Test {
            before: vec![call(0, 1)],
            threads: vec![vec![call(0, 2), call(1, 0)], vec![call(1, 0)]],
            after: vec![call(1, 0), call(2, 3)],
        };
        let empty = Test { threads: vec![vec![], vec![call(1, 0)]], ..Test::default() };
        for test in [full, empty] {
            assert_eq!(Test::parse(&test.to_string()), Some(test));
        }
        for wrong in ["", "0.1;;", ";0.1", ";0;", ";0.1;;", ";x.1;", ";0.1|1.70000;"] {
            let parsed = Test::parse(wrong);
            assert!(parsed.is_none() || wrong == "0.1;;", "{wrong}: {parsed:?}");
        }
    }

    #[test]
    fn the_program_orders_calls_of_one_thread_and_those_around() {
        let test = Test {
            before: vec![call(0, 0)],
            threads: vec![vec![call(0, 0); 2], vec![call(0, 0)]],
            after: vec![call(0, 0)],
        };
        assert_eq!(test.program_order(), [0b0, 0b1, 0b11, 0b1, 0b1111]);
    }
}
