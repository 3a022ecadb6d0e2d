//! Operations: what can be called, with which arguments, and what comes back.

use gordian_lin::{Answer, Progress, Step};
use std::fmt::Debug;
use std::sync::{Mutex, PoisonError};

/// An operation whose arguments and results are known by number only.
pub(super) trait Operation<T, S>: Send + Sync {
    fn name(&self) -> &str;
    /// The number of arguments to choose from.
    fn arguments(&self) -> usize;
    /// A call as a person would write it.
    fn call_text(&self, argument: usize) -> String;
    /// Calls with different keys touch different things.
    fn key(&self, argument: usize) -> String;
    fn call(&self, object: &T, argument: usize) -> Answer;
    /// Does the specification have it?
    fn is_specified(&self) -> bool;
    /// What the specification says; `ticket` tells calls apart, and `again` is set when one that waits looks whether it can return.
    fn specified(&self, state: &mut S, argument: usize, ticket: usize, again: bool) -> Step;
    fn answer_text(&self, answer: Answer) -> String;
}

/// An operation and what is said of it.
pub(super) struct Listed<T, S> {
    pub(super) operation: Box<dyn Operation<T, S>>,
    pub(super) weight: u32,
    /// It is called by one thread only.
    pub(super) owned: bool,
    pub(super) progress: Progress,
}

pub(super) type Call<T, A, R> = Box<dyn Fn(&T, A) -> R + Send + Sync>;
/// A call of the specification: nothing, if it has to wait.
pub(super) type Specified<S, A, R> = Box<dyn Fn(&mut S, usize, A) -> Option<R> + Send + Sync>;

pub(super) struct Typed<T, S, A, R> {
    pub(super) name: String,
    pub(super) arguments: Vec<A>,
    pub(super) call: Call<T, A, R>,
    pub(super) request: Option<Specified<S, A, R>>,
    pub(super) follow_up: Option<Specified<S, A, R>>,
    /// The results so far; an [`Answer`] is a place in this list.
    pub(super) results: Mutex<Vec<R>>,
}

impl<T, S, A, R> Typed<T, S, A, R> {
    /// An operation that no specification has.
    pub(super) fn new(
        name: impl Into<String>,
        arguments: impl IntoIterator<Item = A>,
        call: impl Fn(&T, A) -> R + Send + Sync + 'static,
    ) -> Typed<T, S, A, R> {
        Typed {
            name: name.into(),
            arguments: arguments.into_iter().collect(),
            call: Box::new(call),
            request: None,
            follow_up: None,
            results: Mutex::default(),
        }
    }
}

impl<T, S, A, R: PartialEq> Typed<T, S, A, R> {
    fn number(&self, result: R) -> Answer {
        let mut results = self.results.lock().unwrap_or_else(PoisonError::into_inner);
        let place = results.iter().position(|r| *r == result).unwrap_or_else(|| {
            results.push(result);
            results.len() - 1
        });
        Answer(place as u32)
    }
}

impl<T, S, A, R> Operation<T, S> for Typed<T, S, A, R>
where
    A: Clone + Debug + Send + Sync,
    R: PartialEq + Debug + Send,
{
    fn name(&self) -> &str {
        &self.name
    }

    fn arguments(&self) -> usize {
        self.arguments.len()
    }

    fn call_text(&self, argument: usize) -> String {
        let text = format!("{:?}", self.arguments[argument]);
        if text.starts_with('(') { format!("{}{text}", self.name) } else { format!("{}({text})", self.name) }
    }

    fn key(&self, argument: usize) -> String {
        format!("{:?}", self.arguments[argument])
    }

    fn call(&self, object: &T, argument: usize) -> Answer {
        let result = (self.call)(object, self.arguments[argument].clone());
        self.number(result)
    }

    fn is_specified(&self) -> bool {
        self.request.is_some()
    }

    fn specified(&self, state: &mut S, argument: usize, ticket: usize, again: bool) -> Step {
        let say = if again { &self.follow_up } else { &self.request };
        let result = say.as_ref().and_then(|say| say(state, ticket, self.arguments[argument].clone()));
        result.map_or(Step::Waits, |result| Step::Returns(self.number(result)))
    }

    fn answer_text(&self, answer: Answer) -> String {
        let results = self.results.lock().unwrap_or_else(PoisonError::into_inner);
        results.get(answer.0 as usize).map_or_else(|| "?".to_owned(), |result| format!("{result:?}"))
    }
}
