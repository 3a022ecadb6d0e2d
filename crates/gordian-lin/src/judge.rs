//! Is an execution of a test explained by calls made one after the other?

use crate::adversary::{Choice, Criterion, Game, Rule, each};
use crate::dependences::Dependences;
use crate::explain::{Closest, Explainer, Order, Question};
use crate::moments::{as_it_happened, quiet, reordered};
use crate::orders::{Known, Orders};
use crate::record::Record;
use crate::seen::Seen;
use crate::serial::{Answer, Serial, Unfit};
use crate::test::{Calls, Test};
use gordian_model::{Planned, Trace};
use rustc_hash::FxHashMap;

/// What is to be said of an execution.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Finding {
    /// Some order of the calls explains it.
    Explained,
    /// None does.
    Unexplained(Box<Wrong>),
}

/// Why no order explains an execution.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Wrong {
    /// The call that should not have blocked, if it is one that did.
    pub stuck: Option<usize>,
    /// For each call what is over when it begins, in an execution of the class that cannot be explained.
    pub before: Vec<Calls>,
    /// The calls that cannot be explained together, in the order in which they end there.
    pub ends: Vec<usize>,
    /// What comes closest to an explanation.
    pub closest: Closest,
}

/// So many choices of the adversary are looked at where none would have to be.
const CLOSELY: u32 = 4;

/// Judges the executions of one test. What was found about calls with the same answers and the same dependences is remembered.
pub struct Judge<'a> {
    program: Vec<Calls>,
    /// For each call what the program calls after it.
    later: Vec<Calls>,
    criterion: Criterion,
    /// Calls that have to be explained together; others do not touch what they touch.
    parts: Vec<Calls>,
    serial: Box<dyn Serial + Send + 'a>,
    explainer: Explainer,
    dependences: Dependences,
    /// Histories: answers, pending calls and dependences.
    seen: Seen,
    /// What was found about those that are not explained.
    wrong: FxHashMap<usize, Result<Finding, Unfit>>,
    orders: Orders,
    words: Vec<u64>,
    answers: Vec<Answer>,
    order: Vec<usize>,
    worst: Vec<Calls>,
    thorough: bool,
    judged: u64,
    unfinished: u64,
}

impl<'a> Judge<'a> {
    /// A judge of a test. Calls of different `parts` never touch the same thing.
    pub fn new(
        test: &Test,
        criterion: Criterion,
        parts: Vec<Calls>,
        serial: Box<dyn Serial + Send + 'a>,
    ) -> Self {
        let program = test.program_order();
        let mut later = vec![0; program.len()];
        for (call, &before) in program.iter().enumerate() {
            each(before).for_each(|earlier| later[earlier] |= 1 << call);
        }
        Judge {
            program,
            later,
            criterion,
            parts,
            serial,
            explainer: Explainer::default(),
            dependences: Dependences::default(),
            seen: Seen::default(),
            wrong: FxHashMap::default(),
            orders: Orders::default(),
            words: Vec::new(),
            answers: Vec::new(),
            order: Vec::new(),
            worst: Vec::new(),
            thorough: false,
            judged: 0,
            unfinished: 0,
        }
    }

    /// Looks for orders even where the class is known to have one that explains it; what is found is the same.
    pub fn thorough(mut self, thorough: bool) -> Self {
        self.thorough = thorough;
        self
    }

    /// How many executions were judged, and how many histories among them were different.
    pub fn judged(&self) -> (u64, usize) {
        (self.judged, self.seen.len())
    }

    /// How many places in the trees of orders were looked at.
    pub fn looks(&self) -> u64 {
        self.explainer.looks
    }

    /// In how many histories calls depend so little on each other that not all executions of the class were looked at.
    pub fn unfinished(&self) -> u64 {
        self.unfinished
    }

    /// Is the execution explained, and, if the rule says so, every other of its class?
    pub fn judge(&mut self, trace: &Trace, record: &Record, rule: Rule) -> Result<Finding, Unfit> {
        self.judged += 1;
        let (returned, pending) = record.returned_and_pending();
        self.answers.clear();
        self.answers.extend(record.spans.iter().map(|s| s.map_or(Answer::BLOCKED, |s| s.answer)));
        if rule == Rule::AsItHappened {
            let before = as_it_happened(trace, record, &self.program, returned);
            let mut ends: Vec<usize> = each(returned).collect();
            ends.sort_by_key(|&call| record.spans[call].and_then(|s| s.end));
            return self.look(returned, pending, Some((before, ends)), 0);
        }
        self.dependences.find(trace, record);
        debug_assert_eq!(self.dependences.before, {
            let mut afresh = Dependences::default();
            afresh.find(trace, record);
            afresh.before
        });
        self.describe(pending);
        let (number, new) = self.seen.number(&self.words);
        if !new {
            return self.wrong.get(&number).cloned().unwrap_or(Ok(Finding::Explained));
        }
        // What saves work is true of objects that share nothing but what is watched. So some are looked at without it, and the first is one of them.
        let closely = match (self.thorough, is_power_of_four(number + 1)) {
            (true, _) => u32::MAX,
            (false, true) => CLOSELY,
            (false, false) => 0,
        };
        if closely == 0 && self.explains_itself(pending) {
            return Ok(Finding::Explained);
        }
        let finding = self.look(returned, pending, None, closely);
        if finding != Ok(Finding::Explained) {
            self.wrong.insert(number, finding.clone());
        }
        finding
    }

    /// The words that tell histories of the test apart.
    fn describe(&mut self, pending: Calls) {
        self.words.clear();
        self.words.push(pending);
        let pair = |pair: &[Answer]| u64::from(pair[0].0) << 32 | u64::from(pair.get(1).map_or(0, |a| a.0));
        self.words.extend(self.answers.chunks(2).map(pair));
        // As many bits for each set as there are calls.
        let (mut word, mut bits) = (0, 0);
        for &before in &self.dependences.before {
            word |= before << bits;
            bits += self.answers.len();
            if bits >= 64 {
                self.words.push(word);
                bits -= 64;
                word = before.checked_shr((self.answers.len() - bits) as u32).unwrap_or(0);
            }
        }
        self.words.push(word);
    }

    /// Are there, whatever the adversary chooses, executions of the class in which the calls are made one after the other, and which keep to its choice? Those are the explanation (Line-Up asks for
    /// no other), and nothing has to be run.
    ///
    /// Where dependences between calls are a partial order, each order of the calls that extends it is such an execution. One of them keeps to the adversary's choice, because there is no
    /// cycle of dependences and of pairs of which one is over before the other begins: in a shortest one no two dependences follow each other, as the two would be one; if `b` depends on `a`, `a` begins before `b` is over; so
    /// the beginning of each `a` would be before that of the next, and in the end before itself.
    fn explains_itself(&mut self, pending: Calls) -> bool {
        let depends = &self.dependences.before;
        let is_partial_order = || {
            depends.iter().enumerate().all(|(call, &before)| {
                before >> call & 1 == 0 && each(before).all(|earlier| depends[earlier] & !before == 0)
            })
        };
        // Of calls that fail, or can go in several ways, serial runs have something to say.
        let plain = pending == 0
            && self.parts.len() == 1
            && !self.dependences.several
            && self.answers.iter().all(|&answer| answer < Answer::PANICS);
        if !plain || !is_partial_order() {
            return false;
        }
        self.order.clear();
        let mut left: Calls = self.parts[0];
        while left != 0 {
            let ready = |&call: &usize| (depends[call] | self.program[call]) & left == 0;
            let Some(call) = each(left).find(ready) else { return false };
            self.order.push(call);
            left &= !(1 << call);
        }
        self.serial.learn(&self.order, &self.answers, depends)
    }

    /// Is a history explained in which all calls returned? For each call it is known what was over when it began.
    pub fn explains(&mut self, answers: &[Answer], before: &[Calls]) -> Result<bool, Unfit> {
        self.answers.clear();
        self.answers.extend_from_slice(answers);
        let returned = (0..answers.len()).fold(0, |set, call| set | 1 << call);
        let mut ends: Vec<usize> = (0..answers.len()).collect();
        ends.sort_by_key(|&call| before[call].count_ones());
        Ok(self.look(returned, 0, Some((before.to_vec(), ends)), 0)? == Finding::Explained)
    }

    fn look(
        &mut self,
        returned: Calls,
        pending: Calls,
        happened: Option<(Vec<Calls>, Vec<usize>)>,
        closely: u32,
    ) -> Result<Finding, Unfit> {
        // For each pending call an order in which it is the one that blocks (Line-Up, 2.3: stuck histories).
        let mut questions: Vec<(Calls, Option<usize>)> = Vec::new();
        for &part in &self.parts {
            if pending & part == 0 {
                questions.push((part, None));
            }
            questions.extend(each(pending & part).map(|call| (part, Some(call))));
        }
        for (part, stuck) in questions {
            let members = returned & part;
            if members == 0 && stuck.is_none() {
                continue;
            }
            let wrong = match &happened {
                Some((before, ends)) => self.try_one(members, stuck, before, ends)?,
                None => self.try_all(members, stuck, closely)?,
            };
            if let Some(wrong) = wrong {
                self.make_sure(&wrong)?;
                return Ok(Finding::Unexplained(Box::new(wrong)));
            }
        }
        Ok(Finding::Explained)
    }

    /// A specification that is not the same twice is no reason to complain.
    fn make_sure(&mut self, wrong: &Wrong) -> Result<(), Unfit> {
        let mut order = wrong.closest.order.clone();
        self.serial.confirm(&order)?;
        for &(call, _) in &wrong.closest.instead {
            order.push(call);
            self.serial.confirm(&order)?;
            order.pop();
        }
        Ok(())
    }

    /// One order of beginnings and ends.
    fn try_one(
        &mut self,
        members: Calls,
        stuck: Option<usize>,
        before: &[Calls],
        ends: &[usize],
    ) -> Result<Option<Wrong>, Unfit> {
        let before = match self.criterion {
            Criterion::Linearizable => before.to_vec(),
            Criterion::SequentiallyConsistent => self.program.clone(),
            Criterion::QuiescentlyConsistent => quiet(before, members),
        };
        let question = Question { returned: members, answers: &self.answers, stuck };
        let ends: Vec<usize> = ends.iter().copied().filter(|&call| members >> call & 1 == 1).collect();
        let order = self.explainer.explain(&question, &before, &ends, &mut *self.serial)?;
        let closest = std::mem::take(&mut self.explainer.closest);
        Ok(order.is_none().then_some(Wrong { stuck, before, ends, closest }))
    }

    /// All that executions of the class can have. For some choices of the adversary orders are looked for even if one is known.
    fn try_all(
        &mut self,
        members: Calls,
        stuck: Option<usize>,
        mut closely: u32,
    ) -> Result<Option<Wrong>, Unfit> {
        let quiescent = self.criterion == Criterion::QuiescentlyConsistent;
        if self.criterion == Criterion::SequentiallyConsistent {
            let (program, ends) = (self.program.clone(), each(members).collect::<Vec<_>>());
            return self.try_one(members, stuck, &program, &ends);
        }
        let (program, later, depends) = (&self.program, &self.later, &self.dependences.before);
        let game = Game { members, program, later, depends, quiescent };
        let question = Question { returned: members, answers: &self.answers, stuck };
        let known = self.orders.of(&question);
        let (explainer, serial) = (&mut self.explainer, &mut *self.serial);
        // Threads' own calls may change places where only quiet moments count; that is not what is known of calls that commute.
        let remember = |known: &mut Known, order: &Order, explainer: &Explainer, serial: &mut dyn Serial| {
            let mut later: Box<[Calls]> = vec![0; order.len()].into();
            if !quiescent && serial.follows(&explainer.order, &mut later) {
                known.push(later);
            } else {
                known.add(members, order);
            }
        };
        let possible = game.at_worst(&mut self.worst);
        if closely == 0 && known.explains(&self.worst) {
            return Ok(None);
        }
        // What is over in every execution, as far as two calls are concerned: an order that keeps to it is the most like the execution itself, and most likely good for all.
        let firm: Vec<Calls> =
            (0..program.len()).map(|c| self.worst[c] & (depends[c] | program[c])).collect();
        let mut ends: Vec<usize> = each(members).collect();
        ends.sort_by_key(|&call| firm[call].count_ones());
        if let Some(order) = explainer.explain(&question, &firm, &ends, serial)? {
            remember(known, &order, explainer, serial);
            if possible || (closely == 0 && known.explains(&self.worst)) {
                return Ok(None);
            }
        }
        let mut wrong = None;
        let all = game.play(&mut |choice: &Choice| {
            if closely == 0 && known.explains(&choice.before) {
                return Ok(true);
            }
            closely = closely.saturating_sub(1);
            match explainer.explain(&question, &choice.before, &choice.ends, serial)? {
                Some(order) => remember(known, &order, explainer, serial),
                None => {
                    let closest = std::mem::take(&mut explainer.closest);
                    wrong = Some(Wrong {
                        stuck,
                        before: choice.before.clone(),
                        ends: choice.ends.clone(),
                        closest,
                    });
                }
            }
            Ok(wrong.is_none())
        })?;
        self.unfinished += u64::from(!all && wrong.is_none());
        Ok(wrong)
    }
}

fn is_power_of_four(number: usize) -> bool {
    number.is_power_of_two() && number.trailing_zeros().is_multiple_of(2)
}

impl Wrong {
    /// Choices that lead to an execution of the same class in which the calls end in the order that cannot be explained.
    pub fn witness(&self, trace: &Trace, record: &Record) -> Vec<Planned> {
        reordered(trace, record, &self.ends)
    }
}
