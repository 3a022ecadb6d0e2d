//! A specification that somebody wrote: a state, and what each operation does to it.

use crate::adversary::each;
use crate::serial::{Answer, Node, Reply, Serial, Unfit};
use crate::test::Calls;
use rustc_hash::{FxHashMap, FxHashSet};

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
    /// For each call of the test what its thread calls before it.
    program: Vec<Calls>,
    /// For each call those with which it cannot change places, if that could be found out, once it was tried.
    conflicts: Option<Option<Vec<Calls>>>,
}

impl<'a, S: Clone> Specification<'a, S> {
    /// A specification with a first state, of calls that are made in program order.
    pub fn new(
        start: S,
        program: Vec<Calls>,
        apply: Box<Apply<'a, S>>,
        mut intern: Option<Box<Intern<'a, S>>>,
    ) -> Self {
        if let Some(intern) = &mut intern {
            intern(&start, 0);
        }
        let next = FxHashMap::default();
        Specification { apply, states: vec![start], next, intern, program, conflicts: None }
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

    /// Do two calls return the same in both orders, and leave the same?
    fn commute(&mut self, at: Node, a: usize, b: usize) -> Option<bool> {
        let mut both = |first, second| {
            let Ok(Reply::Answered(one, node)) = self.go(at, first, false) else { return None };
            let Ok(Reply::Answered(two, node)) = self.go(node, second, false) else { return None };
            Some((one, two, node))
        };
        let ((a_first, b_second, one), (b_first, a_second, other)) = (both(a, b)?, both(b, a)?);
        Some((a_first, b_first, one) == (a_second, b_second, other))
    }

    /// Calls conflict if they do not commute somewhere. Looks everywhere, which pays only where orders lead to a few states; nothing is known if they lead to more, or a call waits.
    fn find_conflicts(&mut self) -> Option<Vec<Calls>> {
        let calls = self.program.len();
        let mut conflicts = vec![0; calls];
        let mut places: Vec<(Calls, Node)> = vec![(0, Node::default())];
        let mut met: FxHashSet<(Calls, Node)> = FxHashSet::default();
        let mut next = 0;
        while let Some(&(done, at)) = places.get(next) {
            next += 1;
            let ready: Vec<usize> =
                (0..calls).filter(|&c| done >> c & 1 == 0 && self.program[c] & !done == 0).collect();
            for (i, &a) in ready.iter().enumerate() {
                let Ok(Reply::Answered(_, node)) = self.go(at, a, false) else { return None };
                if met.insert((done | 1 << a, node)) {
                    places.push((done | 1 << a, node));
                }
                for &b in &ready[..i] {
                    if !self.commute(at, a, b)? {
                        conflicts[a] |= 1 << b;
                        conflicts[b] |= 1 << a;
                    }
                }
            }
            if places.len() > MOST_PLACES {
                return None;
            }
        }
        Some(conflicts)
    }
}

/// Where orders lead to more places than this, it is not looked at which calls commute.
const MOST_PLACES: usize = 256;

impl<S: Clone> Serial for Specification<'_, S> {
    fn call(&mut self, at: Node, call: usize) -> Result<Reply, Unfit> {
        self.go(at, call, false)
    }

    fn follow_up(&mut self, at: Node, call: usize) -> Result<Reply, Unfit> {
        self.go(at, call, true)
    }

    fn follows(&mut self, order: &[usize], follows: &mut [Calls]) -> bool {
        // Of calls that are made without the others nothing is known.
        if self.intern.is_none() || order.len() < self.program.len() {
            return false;
        }
        if self.conflicts.is_none() {
            self.conflicts = Some(self.find_conflicts());
        }
        let Some(Some(conflicts)) = &self.conflicts else { return false };
        let mut left: Calls = order.iter().fold(0, |set, &call| set | 1 << call);
        for &call in order {
            left &= !(1 << call);
            follows[call] = conflicts[call] & left;
        }
        // And what follows those.
        for &call in order.iter().rev() {
            follows[call] |= each(follows[call]).fold(0, |set, later| set | follows[later]);
        }
        true
    }

    fn merges(&self) -> bool {
        self.intern.is_some()
    }
}
