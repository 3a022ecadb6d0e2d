//! What the calls of a test return when they are made one after the other.

use crate::adversary::each;
use crate::test::Calls;
use rustc_hash::FxHashMap;
use std::fmt;

/// What a call returned, as a number that the front end gives to equal values of an operation.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Answer(pub u32);

impl Answer {
    /// It never returned.
    pub const BLOCKED: Answer = Answer(u32::MAX);
    /// Answers from this one on are panics.
    pub const PANICS: Answer = Answer(1 << 31);
}

/// A place in the tree of orders: what the calls so far have led to.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct Node(pub u32);

/// What happens to one more call.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Reply {
    /// It returns.
    Answered(Answer, Node),
    /// It has asked for something and will return later, see [`Serial::follow_up`].
    Waits(Node),
    /// It blocks, and nothing that comes later can help it.
    Blocked,
}

/// Why the calls are no specification.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Unfit(pub String);

impl fmt::Display for Unfit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// The specification: what calls return when they are made one after the other, from [`Node`] zero on.
pub trait Serial {
    /// One more call.
    fn call(&mut self, at: Node, call: usize) -> Result<Reply, Unfit>;

    /// A call that waits looks whether it can return.
    fn follow_up(&mut self, _at: Node, _call: usize) -> Result<Reply, Unfit> {
        Ok(Reply::Blocked)
    }

    /// Makes sure that calls in this order return what they did before.
    fn confirm(&mut self, _order: &[usize]) -> Result<(), Unfit> {
        Ok(())
    }

    /// The order in which calls are about to be asked for, most likely.
    fn expect(&mut self, _order: &[usize]) {}

    /// Calls were made in this order in an execution, none before the one before it was over, and these are the answers, by call. Is that what the specification says, too? Only the
    /// object itself can tell that from an execution of it; others have to be asked call by call. For each call it is known which it came `after` because it depends on them.
    fn learn(&mut self, _order: &[usize], _answers: &[Answer], _after: &[Calls]) -> bool {
        false
    }

    /// For each call of an order that was asked for, those that have to come later (at first, nothing). Calls of which that is not said may change places, as long as each thread's own stay as they are, and all return the same. Tells whether this
    /// is known.
    fn follows(&mut self, _order: &[usize], _follows: &mut [Calls]) -> bool {
        false
    }

    /// Is one node reached by several orders? Only then does it pay to remember what was found at it.
    fn merges(&self) -> bool;
}

/// What became of a call among others that were made one after the other.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Made {
    /// What it returned.
    pub answer: Answer,
    /// What the object is like then, if that can be told.
    pub state: Option<u32>,
    /// Calls before it with which it cannot change places, by their places in the order ([`Conflicts`](crate::Conflicts)).
    pub after: Calls,
}

/// Makes calls one after the other, on a new object: what became of each, up to the first that blocks.
pub type Run<'a> = dyn FnMut(&[usize]) -> Result<Vec<Made>, Unfit> + Send + 'a;

/// A place in the tree, and how one gets there.
struct Place {
    parent: Node,
    call: u32,
    answer: Answer,
    /// The calls that have to come before the last one.
    after: Calls,
    /// How many calls lead here.
    depth: u32,
    /// The last of the edges from here, plus one, or zero.
    edges: u32,
}

/// What happens to a call at a place, and the edge from there before this one.
struct Edge {
    call: u32,
    before: u32,
    reply: Reply,
}

/// The implementation as its own specification (Line-Up, phase 1). Orders are tried when they are asked for; every run repeats the calls before
/// the new one, and they have to return what they did before.
pub struct Rerun<'a> {
    run: Box<Run<'a>>,
    /// What a call is called, for messages.
    name: Box<dyn Fn(usize) -> String + Send + 'a>,
    text: Box<dyn Fn(usize, Answer) -> String + Send + 'a>,
    calls: usize,
    places: Vec<Place>,
    edges: Vec<Edge>,
    /// Places by what the object is like, if it says so.
    alike: FxHashMap<u32, Node>,
    /// What is run after the call that is asked for, so that it need not be run again.
    expected: Vec<usize>,
    runs: u64,
}

impl<'a> Rerun<'a> {
    /// A specification of so many calls, with what they and their answers are called.
    pub fn new(
        calls: usize,
        run: Box<Run<'a>>,
        name: impl Fn(usize) -> String + Send + 'a,
        text: impl Fn(usize, Answer) -> String + Send + 'a,
    ) -> Rerun<'a> {
        let start =
            Place { parent: Node::default(), call: 0, answer: Answer::BLOCKED, after: 0, depth: 0, edges: 0 };
        Rerun {
            run,
            name: Box::new(name),
            text: Box::new(text),
            calls,
            places: vec![start],
            edges: Vec::new(),
            alike: FxHashMap::default(),
            expected: Vec::new(),
            runs: 0,
        }
    }

    /// How many orders were run.
    pub fn runs(&self) -> u64 {
        self.runs
    }

    /// What happens to a call at a place, if that is known.
    fn known(&self, at: Node, call: usize) -> Option<Reply> {
        let mut edge = self.places[at.0 as usize].edges;
        while edge != 0 {
            let Edge { call: other, before, reply } = self.edges[edge as usize - 1];
            if other as usize == call {
                return Some(reply);
            }
            edge = before;
        }
        None
    }

    fn note(&mut self, at: Node, call: usize, reply: Reply) {
        let place = &mut self.places[at.0 as usize];
        self.edges.push(Edge { call: call as u32, before: place.edges, reply });
        place.edges = self.edges.len() as u32;
    }

    fn add(&mut self, parent: Node, call: usize, answer: Answer, after: Calls) -> Node {
        let node = Node(self.places.len() as u32);
        let depth = self.places[parent.0 as usize].depth + 1;
        self.places.push(Place { parent, call: call as u32, answer, after, depth, edges: 0 });
        self.note(parent, call, Reply::Answered(answer, node));
        node
    }

    /// The calls that lead to a place, and what they returned.
    fn path(&self, to: Node) -> (Vec<usize>, Vec<Answer>) {
        let depth = self.places[to.0 as usize].depth as usize;
        // With room for what is run after them.
        let (mut path, mut answers) = (Vec::with_capacity(self.calls), vec![Answer::BLOCKED; depth]);
        path.resize(depth, 0);
        let mut at = to;
        for i in (0..depth).rev() {
            let place = &self.places[at.0 as usize];
            (path[i], answers[i], at) = (place.call as usize, place.answer, place.parent);
        }
        (path, answers)
    }

    fn try_out(&mut self, at: Node, call: usize) -> Result<Reply, Unfit> {
        let (mut path, before) = self.path(at);
        let known = path.len();
        path.push(call);
        let more = self.expected.iter().filter(|c| **c != call && !path[..known].contains(c));
        path.extend(more.copied().collect::<Vec<_>>());
        self.runs += 1;
        let answers = (self.run)(&path)?;
        let same = answers.iter().zip(&before).take_while(|(a, b)| a.answer == **b).count();
        if same < known {
            let now = answers.get(same).map(|a| a.answer);
            return Err(self.nondeterministic(&path, same, before[same], now));
        }
        let mut at = at;
        let mut first = None;
        for (i, &call) in path.iter().enumerate().skip(known) {
            let Some(&Made { answer, state, after }) = answers.get(i) else {
                if self.known(at, call).is_none() {
                    self.note(at, call, Reply::Blocked);
                }
                break;
            };
            let reply = match self.known(at, call) {
                Some(known @ Reply::Answered(before, _)) if before == answer => known,
                Some(Reply::Answered(before, _)) => {
                    return Err(self.nondeterministic(&path, i, before, Some(answer)));
                }
                Some(_) => return Err(self.nondeterministic(&path, i, Answer::BLOCKED, Some(answer))),
                None => {
                    let alike = state.and_then(|state| self.alike.get(&state).copied());
                    if let Some(node) = alike {
                        self.note(at, call, Reply::Answered(answer, node));
                        Reply::Answered(answer, node)
                    } else {
                        let after = each(after).fold(0, |set, place| set | 1 << path[place]);
                        let node = self.add(at, call, answer, after);
                        if let Some(state) = state {
                            self.alike.insert(state, node);
                        }
                        Reply::Answered(answer, node)
                    }
                }
            };
            first.get_or_insert(reply);
            let Reply::Answered(_, node) = reply else { unreachable!("it was answered") };
            let place = &self.places[node.0 as usize];
            if (place.parent, place.call) != (at, call as u32) {
                // The object is as it was after other calls; what they were followed by is known there.
                break;
            }
            at = node;
        }
        Ok(first.unwrap_or(Reply::Blocked))
    }

    fn nondeterministic(&self, path: &[usize], at: usize, then: Answer, now: Option<Answer>) -> Unfit {
        let call = path[at];
        Unfit(format!(
            "{} is not deterministic: after the same calls ({}), made one after the other, it returned {} once and {} another time; what a call returns may depend \
             on the calls before it only (fix its random numbers, times, addresses and hash orders)",
            (self.name)(call),
            if at == 0 { "none".to_owned() } else { self.names(&path[..at]) },
            (self.text)(call, then),
            (self.text)(call, now.unwrap_or(Answer::BLOCKED)),
        ))
    }

    fn names(&self, calls: &[usize]) -> String {
        calls.iter().map(|&c| (self.name)(c)).collect::<Vec<_>>().join(", ")
    }
}

impl Serial for Rerun<'_> {
    fn call(&mut self, at: Node, call: usize) -> Result<Reply, Unfit> {
        self.known(at, call).map_or_else(|| self.try_out(at, call), Ok)
    }

    fn confirm(&mut self, order: &[usize]) -> Result<(), Unfit> {
        let answers = (self.run)(order)?;
        let mut at = Node::default();
        for (i, &call) in order.iter().enumerate() {
            let now = answers.get(i).map(|a| a.answer);
            match (self.call(at, call)?, now) {
                (Reply::Answered(before, node), Some(now)) if before == now => at = node,
                (Reply::Answered(before, _), _) => {
                    return Err(self.nondeterministic(order, i, before, now));
                }
                (_, None) => break,
                (_, now) => return Err(self.nondeterministic(order, i, Answer::BLOCKED, now)),
            }
        }
        Ok(())
    }

    fn expect(&mut self, order: &[usize]) {
        self.expected.clear();
        self.expected.extend_from_slice(order);
    }

    fn learn(&mut self, order: &[usize], answers: &[Answer], after: &[Calls]) -> bool {
        let mut at = Node::default();
        let merges = self.merges();
        for &call in order {
            let answer = answers[call];
            at = match self.known(at, call) {
                Some(Reply::Answered(before, node)) if before == answer => node,
                Some(_) => return false,
                // What the object is like there would have to be known as well.
                None if merges => return true,
                None => self.add(at, call, answer, after[call]),
            };
        }
        true
    }

    fn follows(&mut self, order: &[usize], follows: &mut [Calls]) -> bool {
        let mut at = Node::default();
        for &call in order {
            let Some(Reply::Answered(_, node)) = self.known(at, call) else { return false };
            let place = &self.places[node.0 as usize];
            if (place.parent, place.call as usize) != (at, call) {
                // Other calls lead to an equal state, and they are those of which is known what they come after.
                return false;
            }
            at = node;
        }
        // What comes after each call: those that have to, and what comes after them.
        for &call in order.iter().rev() {
            let Place { parent, after, .. } = self.places[at.0 as usize];
            let later = follows[call] | 1 << call;
            each(after).for_each(|earlier| follows[earlier] |= later);
            at = parent;
        }
        true
    }

    fn merges(&self) -> bool {
        !self.alike.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_operation_that_answers_at_random_is_named() {
        let mut times = 0;
        let run = move |calls: &[usize]| {
            times += 1;
            let made =
                |&c: &usize| Made { answer: Answer(if c == 1 { times } else { 0 }), state: None, after: 0 };
            Ok(calls.iter().map(made).collect())
        };
        let mut serial = Rerun::new(2, Box::new(run), |c| format!("op{c}()"), |_, a| a.0.to_string());
        let Ok(Reply::Answered(_, node)) = serial.call(Node(0), 0) else { panic!() };
        let Ok(Reply::Answered(_, node)) = serial.call(node, 1) else { panic!() };
        let error = serial.call(node, 0).unwrap_err().to_string();
        assert!(error.contains("op1() is not deterministic"), "{error}");
        assert!(error.contains("(op0())") && error.contains("2 once and 3"), "{error}");
    }
}
