//! What the calls of a test return when they are made one after the other.

use rustc_hash::FxHashMap;
use std::fmt;

/// What a call returned, as a number that the front end gives to equal values of an operation.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Answer(pub u32);

impl Answer {
    /// It never returned.
    pub const BLOCKED: Answer = Answer(u32::MAX);
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

    /// Is one node reached by several orders? Only then does it pay to remember what was found at it.
    fn merges(&self) -> bool;
}

/// Makes calls one after the other, on a new object: what each of them returned, up to the first that blocks, with what the object is like then, if that can be told.
pub type Run<'a> = dyn FnMut(&[usize]) -> Result<Vec<(Answer, Option<u32>)>, Unfit> + Send + 'a;

struct Place {
    /// An order that leads here.
    path: Vec<usize>,
    answers: Vec<Answer>,
    next: Vec<Option<Reply>>,
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
        let start = Place { path: Vec::new(), answers: Vec::new(), next: vec![None; calls] };
        Rerun {
            run,
            name: Box::new(name),
            text: Box::new(text),
            calls,
            places: vec![start],
            alike: FxHashMap::default(),
            expected: Vec::new(),
            runs: 0,
        }
    }

    /// How many orders were run.
    pub fn runs(&self) -> u64 {
        self.runs
    }

    fn try_out(&mut self, at: Node, call: usize) -> Result<Reply, Unfit> {
        let place = &self.places[at.0 as usize];
        let known = place.path.len();
        let mut path: Vec<usize> = Vec::with_capacity(self.calls);
        path.extend_from_slice(&place.path);
        path.push(call);
        let more = self.expected.iter().filter(|c| **c != call && !place.path.contains(c));
        path.extend(more);
        self.runs += 1;
        let answers = (self.run)(&path)?;
        let same = answers.iter().zip(&place.answers).take_while(|(a, b)| a.0 == **b).count();
        if same < known {
            let now = answers.get(same).map(|a| a.0);
            return Err(self.nondeterministic(&path, same, place.answers[same], now));
        }
        let mut at = at;
        let mut first = None;
        for (i, &call) in path.iter().enumerate().skip(known) {
            let Some(&(answer, state)) = answers.get(i) else {
                self.places[at.0 as usize].next[call] = Some(Reply::Blocked);
                break;
            };
            let place = &self.places[at.0 as usize];
            let reply = match place.next[call] {
                Some(known @ Reply::Answered(before, _)) if before == answer => known,
                Some(Reply::Answered(before, _)) => {
                    return Err(self.nondeterministic(&path, i, before, Some(answer)));
                }
                Some(_) => return Err(self.nondeterministic(&path, i, Answer::BLOCKED, Some(answer))),
                None => {
                    let new = Node(self.places.len() as u32);
                    let node = state.map_or(new, |state| *self.alike.entry(state).or_insert(new));
                    if node == new {
                        let mut before = Vec::with_capacity(i + 1);
                        before.extend(answers[..=i].iter().map(|a| a.0));
                        let path = path[..=i].to_vec();
                        self.places.push(Place { path, answers: before, next: vec![None; self.calls] });
                    }
                    Reply::Answered(answer, node)
                }
            };
            self.places[at.0 as usize].next[call] = Some(reply);
            first.get_or_insert(reply);
            let Reply::Answered(_, node) = reply else { unreachable!("it was answered") };
            if self.places[node.0 as usize].path[..] != path[..=i] {
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
        if let Some(reply) = self.places[at.0 as usize].next[call] {
            return Ok(reply);
        }
        self.try_out(at, call)
    }

    fn confirm(&mut self, order: &[usize]) -> Result<(), Unfit> {
        let answers = (self.run)(order)?;
        let mut at = Node::default();
        for (i, &call) in order.iter().enumerate() {
            let now = answers.get(i).map(|a| a.0);
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
            Ok(calls.iter().map(|&c| (Answer(if c == 1 { times } else { 0 }), None)).collect())
        };
        let mut serial = Rerun::new(2, Box::new(run), |c| format!("op{c}()"), |_, a| a.0.to_string());
        let Ok(Reply::Answered(_, node)) = serial.call(Node(0), 0) else { panic!() };
        let Ok(Reply::Answered(_, node)) = serial.call(node, 1) else { panic!() };
        let error = serial.call(node, 0).unwrap_err().to_string();
        assert!(error.contains("op1() is not deterministic"), "{error}");
        assert!(error.contains("(op0())") && error.contains("2 once and 3"), "{error}");
    }
}
