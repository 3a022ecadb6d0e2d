//! Is there an order of the calls that explains what they returned? (Wing and Gong, "Testing and verifying concurrent objects", 1993; what
//! failed once is remembered, after Lowe, "Testing for linearizability", 2017.)

use crate::serial::{Answer, Node, Reply, Serial, Unfit};
use crate::test::Calls;
use rustc_hash::FxHashSet;

/// What has to be explained.
#[derive(Clone, Debug)]
pub struct Question<'a> {
    /// The calls that returned; those of the rest that are no longer pending do not count.
    pub returned: Calls,
    /// What each call returned.
    pub answers: &'a [Answer],
    /// A call that has to block when all others have returned.
    pub stuck: Option<usize>,
}

/// The longest order that explains some of the answers, for a person to see what is wrong.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Closest {
    /// The order.
    pub order: Vec<usize>,
    /// What the calls that could come next would have returned instead; nothing if they would have blocked.
    pub instead: Vec<(usize, Option<Answer>)>,
}

/// An order that explains the answers: for each call what has returned when it begins.
pub(crate) type Order = Vec<Calls>;

/// Looks for orders.
#[derive(Default)]
pub(crate) struct Explainer {
    /// Calls that have returned, calls that wait, and the place: what follows explains nothing.
    failed: FxHashSet<(Calls, Calls, Node)>,
    /// The order that was found.
    pub(crate) order: Vec<usize>,
    /// For each call of the order what had returned when it began.
    began_after: Vec<Calls>,
    pub(crate) closest: Closest,
    /// How many places were looked at.
    pub(crate) looks: u64,
}

struct Hunt<'q, 's> {
    /// The calls in the order in which they are tried.
    likely: &'q [usize],
    question: &'q Question<'q>,
    /// For each call what must have returned before it begins.
    before: &'q [Calls],
    serial: &'s mut dyn Serial,
    merges: bool,
    /// Is it told what comes closest?
    tells: bool,
}

impl Explainer {
    /// An order of the calls that explains the answers, and in which each call comes after those that are `before` it. Calls are tried in the `likely` order.
    pub(crate) fn explain(
        &mut self,
        question: &Question<'_>,
        before: &[Calls],
        likely: &[usize],
        serial: &mut dyn Serial,
    ) -> Result<Option<Order>, Unfit> {
        self.closest = Closest::default();
        let merges = serial.merges();
        serial.expect(likely);
        // What comes closest is of interest only if nothing is found.
        for tells in [false, true] {
            self.failed.clear();
            self.order.clear();
            self.began_after.clear();
            self.began_after.resize(before.len(), 0);
            let mut hunt = Hunt { likely, question, before, serial, merges, tells };
            if self.go_on(&mut hunt, 0, 0, Node::default())? {
                return Ok(Some(self.began_after.clone()));
            }
        }
        Ok(None)
    }

    fn go_on(
        &mut self,
        hunt: &mut Hunt<'_, '_>,
        done: Calls,
        waiting: Calls,
        at: Node,
    ) -> Result<bool, Unfit> {
        let question = hunt.question;
        if done == question.returned {
            let Some(stuck) = question.stuck else { return Ok(true) };
            // Nobody comes who could help it, so that waiting is as good as blocking.
            return Ok(match hunt.serial.call(at, stuck)? {
                Reply::Answered(..) => false,
                Reply::Blocked => true,
                Reply::Waits(later) => hunt.serial.follow_up(later, stuck)? == Reply::Blocked,
            });
        }
        if hunt.merges && self.failed.contains(&(done, waiting, at)) {
            return Ok(false);
        }
        self.looks += 1;
        if hunt.tells && self.order.len() > self.closest.order.len() {
            self.closest.order.clone_from(&self.order);
            self.closest.instead.clear();
        }
        let depth = self.order.len();
        let left = question.returned & !done;
        for &call in hunt.likely {
            if left >> call & 1 == 0 || hunt.before[call] & left != 0 {
                continue;
            }
            let reply = if waiting >> call & 1 == 1 {
                hunt.serial.follow_up(at, call)?
            } else {
                self.began_after[call] = done;
                hunt.serial.call(at, call)?
            };
            let explained = match reply {
                Reply::Answered(answer, node) if answer == question.answers[call] => {
                    self.order.push(call);
                    self.go_on(hunt, done | 1 << call, waiting & !(1 << call), node)?
                }
                Reply::Waits(node) => self.go_on(hunt, done, waiting | 1 << call, node)?,
                Reply::Answered(..) | Reply::Blocked => {
                    if hunt.tells && self.closest.order.len() == depth && self.closest.order == self.order {
                        let instead = match reply {
                            Reply::Answered(answer, _) => Some(answer),
                            _ => None,
                        };
                        self.closest.instead.push((call, instead));
                    }
                    continue;
                }
            };
            if explained {
                return Ok(true);
            }
            self.order.truncate(depth);
        }
        if hunt.merges {
            self.failed.insert((done, waiting, at));
        }
        Ok(false)
    }
}
