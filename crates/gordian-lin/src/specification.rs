//! A specification that somebody wrote: a state, and what each operation does to it.

use crate::serial::{Answer, Node, Reply, Serial, Unfit};
use rustc_hash::FxHashMap;

/// What an operation of a specification does.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Step {
    /// It returns.
    Returns(Answer),
    /// It waits: the request is made, and the call returns later.
    Waits,
}

/// Makes a call of a test on a state, or, if the flag is set, looks whether one that waits can return.
type Apply<'a, S> = dyn FnMut(&mut S, usize, bool) -> Result<Step, Unfit> + Send + 'a;
type Intern<'a, S> = dyn FnMut(&S, u32) -> u32 + Send + 'a;

/// A specification as a state machine.
pub struct Specification<'a, S> {
    apply: Box<Apply<'a, S>>,
    states: Vec<S>,
    next: FxHashMap<(Node, usize, bool), Reply>,
    /// Finds an equal state, or takes the number for a new one.
    intern: Option<Box<Intern<'a, S>>>,
}

impl<'a, S: Clone> Specification<'a, S> {
    /// A specification with a first state.
    pub fn new(start: S, apply: Box<Apply<'a, S>>, mut intern: Option<Box<Intern<'a, S>>>) -> Self {
        if let Some(intern) = &mut intern {
            intern(&start, 0);
        }
        Specification { apply, states: vec![start], next: FxHashMap::default(), intern }
    }

    fn go(&mut self, at: Node, call: usize, again: bool) -> Result<Reply, Unfit> {
        if let Some(&reply) = self.next.get(&(at, call, again)) {
            return Ok(reply);
        }
        let mut state = self.states[at.0 as usize].clone();
        let step = (self.apply)(&mut state, call, again)?;
        let reply = if again && step == Step::Waits {
            Reply::Blocked
        } else {
            let new = self.states.len() as u32;
            let node = self.intern.as_mut().map_or(new, |intern| intern(&state, new));
            if node == new {
                self.states.push(state);
            }
            match step {
                Step::Returns(answer) => Reply::Answered(answer, Node(node)),
                Step::Waits => Reply::Waits(Node(node)),
            }
        };
        self.next.insert((at, call, again), reply);
        Ok(reply)
    }
}

impl<S: Clone> Serial for Specification<'_, S> {
    fn call(&mut self, at: Node, call: usize) -> Result<Reply, Unfit> {
        self.go(at, call, false)
    }

    fn follow_up(&mut self, at: Node, call: usize) -> Result<Reply, Unfit> {
        self.go(at, call, true)
    }

    fn merges(&self) -> bool {
        self.intern.is_some()
    }
}
