//! Who says whether an execution of a test is explained.

use super::execution::{OneByOne, Recorder};
use super::object::Shared;
use crate::closure::Referee;
use gordian_lin::{
    Answer, Call, Calls, Finding, Hindered, Judge, Record, Rerun, Rule, Serial, Specification, Step, Test,
    Unfit, Wrong, hindered,
};
use gordian_model::{End, Failure, FailureKind, Planned, SiteId, ThreadId, Trace};
use std::fmt;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

pub(super) const NOT_LINEARIZABLE: &str = "no order of the calls explains what they returned";

/// Judges the executions of one test.
pub(super) struct Court<T, S> {
    shared: Shared<T, S>,
    test: Arc<Test>,
    recorder: Arc<Recorder>,
    judge: Mutex<Judge<'static>>,
    strict: AtomicBool,
    /// A promise of progress was made.
    promises: bool,
}

impl<T, S> fmt::Debug for Court<T, S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Court").field("test", &self.test).finish_non_exhaustive()
    }
}

impl<T: Send + Sync + 'static, S: Clone + Send + Sync + 'static> Court<T, S> {
    pub(super) fn new(
        shared: Shared<T, S>,
        test: Arc<Test>,
        recorder: Arc<Recorder>,
        stack_size: usize,
    ) -> Self {
        let calls: Vec<Call> = test.calls().collect();
        let serial: Box<dyn Serial + Send> = match &shared.model {
            None => {
                let mut one_by_one = OneByOne::new(Arc::clone(&shared), &test, stack_size);
                let (name, text) = (Arc::clone(&shared), Arc::clone(&shared));
                let (named, told) = (calls.clone(), calls.clone());
                Box::new(Rerun::new(
                    calls.len(),
                    Box::new(move |order: &[usize]| one_by_one.run(order)),
                    move |call| name.call_text(named[call]),
                    move |call, answer| text.answer_text(told[call], answer),
                ))
            }
            Some(model) => {
                let (spec, told) = (Arc::clone(&shared), calls.clone());
                let apply = move |state: &mut S, call: usize, again: bool| -> Result<Step, Unfit> {
                    let Call { op, arg } = told[call];
                    Ok(spec.listed[usize::from(op)].operation.specified(state, usize::from(arg), call, again))
                };
                let number = model.number.map(|number| number());
                let program = test.program_order();
                Box::new(Specification::new(model.start.clone(), program, Box::new(apply), number))
            }
        };
        let judge =
            Judge::new(&test, shared.criterion, parts(&shared, &calls), serial).thorough(shared.thorough);
        let promises = shared.listed.iter().any(|l| l.progress != gordian_lin::Progress::Blocking);
        let strict = AtomicBool::new(shared.naive);
        Court { shared, test, recorder, judge: Mutex::new(judge), strict, promises }
    }

    pub(super) fn judge(&self) -> MutexGuard<'_, Judge<'static>> {
        self.judge.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn find(&self, trace: &Trace, record: &Record) -> Result<Finding, Unfit> {
        let rule = if self.strict.load(Relaxed) { Rule::AsItHappened } else { Rule::AllOfTheClass };
        self.judge().judge(trace, record, rule)
    }

    fn call(&self, number: usize) -> String {
        self.shared.call_text(self.test.calls().nth(number).expect("a call of the test"))
    }

    fn answer(&self, number: usize, answer: Answer) -> String {
        self.shared.answer_text(self.test.calls().nth(number).expect("a call of the test"), answer)
    }

    /// The failure of an execution that no order explains.
    fn unexplained(&self, trace: &Trace, record: &Record, wrong: &Wrong) -> Failure {
        let kind = if wrong.stuck.is_some() { FailureKind::Stuck } else { FailureKind::NotLinearizable };
        let message = match wrong.stuck {
            None => NOT_LINEARIZABLE.to_owned(),
            Some(call) => {
                format!("{} never returns, and no order of the other calls explains that", self.call(call))
            }
        };
        let mut failure = Failure::new(kind, message);
        let place = |number: usize| {
            steps(trace, record, number).map_or(SiteId::UNKNOWN, |(first, _)| trace.steps[first].site)
        };
        for (number, span) in record.spans.iter().enumerate() {
            let Some(span) = span else { continue };
            let text = match span.end {
                Some(_) => format!("{} returned {}", self.call(number), self.answer(number, span.answer)),
                None => format!("{} has not returned", self.call(number)),
            };
            let text = match steps(trace, record, number) {
                Some((first, last)) if first == last => format!("{text} (step {})", first + 1),
                Some((first, last)) => format!("{text} (steps {} to {})", first + 1, last + 1),
                None => text,
            };
            failure = failure.note(Some(span.thread), text, place(number));
        }
        for text in self.reasons(record, wrong) {
            failure = failure.note(None, text, SiteId::UNKNOWN);
        }
        let again = format!("this test alone: Object::test(\"{}\")", self.test);
        failure.note(None, again, SiteId::UNKNOWN)
    }

    /// A call, with whose it is if that is not clear.
    fn whose(&self, number: usize) -> String {
        let call = self.call(number);
        if (0..self.test.len()).all(|other| other == number || self.call(other) != call) {
            return call;
        }
        let mut thread = (0..self.test.threads.len()).rev();
        let first = self.test.len() - self.test.after.len();
        match thread.find(|&thread| number < first && number >= self.test.first_of(thread)) {
            Some(thread) => format!("main.{}'s {call}", thread + 1),
            None => format!("main's {call}"),
        }
    }

    /// What any order has to keep to, and where the one that comes closest ends.
    fn reasons(&self, record: &Record, wrong: &Wrong) -> Vec<String> {
        let mut reasons = Vec::new();
        let thread = |number: usize| record.spans[number].map(|s| s.thread);
        for (later, &before) in wrong.before.iter().enumerate() {
            for earlier in (0..record.spans.len()).filter(|&e| before >> e & 1 == 1) {
                let between = |c: usize| before >> c & 1 == 1 && wrong.before[c] >> earlier & 1 == 1;
                let apart = thread(earlier).is_some()
                    && thread(earlier) != thread(later)
                    && thread(earlier) != Some(ThreadId::MAIN)
                    && thread(later) != Some(ThreadId::MAIN);
                // What follows from others needs no words.
                if apart && wrong.ends.contains(&later) && !(0..record.spans.len()).any(between) {
                    reasons.push(format!(
                        "{} is over before {} begins",
                        self.whose(earlier),
                        self.whose(later)
                    ));
                }
            }
        }
        let order: Vec<String> = wrong.closest.order.iter().map(|&c| self.whose(c)).collect();
        let order =
            if order.is_empty() { "at first".to_owned() } else { format!("after {}", order.join(", ")) };
        for &(call, instead) in &wrong.closest.instead {
            let returned = record.spans[call].map_or(Answer::BLOCKED, |s| s.answer);
            reasons.push(match instead {
                Some(instead) => format!(
                    "{order}, {} would have returned {}, not {}",
                    self.whose(call),
                    self.answer(call, instead),
                    self.answer(call, returned)
                ),
                None => format!("{order}, {} would have blocked", self.whose(call)),
            });
        }
        if let (Some(stuck), true) = (wrong.stuck, wrong.closest.instead.is_empty()) {
            reasons.push(format!("{order}, {} would have returned", self.whose(stuck)));
        }
        reasons
    }

    fn too_slow(&self, trace: &Trace, record: &Record, hindered: Hindered) -> Failure {
        let (call, message) = match hindered {
            Hindered::Waits { call, .. } => (
                call,
                format!(
                    "{} has to wait for another thread, which may have been suspended for good",
                    self.call(call)
                ),
            ),
            Hindered::Slow { call, steps } => {
                (call, format!("{} takes {steps} steps, more than it may", self.call(call)))
            }
        };
        let mut failure = Failure::new(FailureKind::Stuck, message);
        let thread = record.spans[call].map(|s| s.thread);
        if let Hindered::Waits { step, .. } = hindered {
            let next = trace.steps.iter().skip(step).find(|s| Some(s.thread) == thread);
            let text = format!("waits here, before step {}", step + 1);
            failure = failure.note(thread, text, next.map_or(SiteId::UNKNOWN, |s| s.site));
        }
        let again = format!("this test alone: Object::test(\"{}\")", self.test);
        failure.note(None, again, SiteId::UNKNOWN)
    }
}

/// Calls that have to be explained together.
fn parts<T, S>(shared: &Shared<T, S>, calls: &[Call]) -> Vec<Calls> {
    let all = (0..calls.len()).fold(0, |set, call| set | 1 << call);
    if !shared.partitioned {
        return vec![all];
    }
    let mut keys: Vec<(String, Calls)> = Vec::new();
    for (number, call) in calls.iter().enumerate() {
        let key = shared.listed[usize::from(call.op)].operation.key(usize::from(call.arg));
        match keys.iter_mut().find(|k| k.0 == key) {
            Some(known) => known.1 |= 1 << number,
            None => keys.push((key, 1 << number)),
        }
    }
    keys.into_iter().map(|key| key.1).collect()
}

/// The first and the last step of a call.
fn steps(trace: &Trace, record: &Record, number: usize) -> Option<(usize, usize)> {
    let span = record.spans[number]?;
    let end = span.end.map_or(trace.len(), |end| (end as usize).min(trace.len()));
    let mine = |&i: &usize| trace.steps[i].thread == span.thread;
    let range = span.start as usize..end;
    range.clone().find(mine).zip(range.clone().rfind(mine))
}

fn is_stuck(failure: &Failure) -> bool {
    matches!(failure.kind, FailureKind::Deadlock | FailureKind::Livelock)
}

impl<T: Send + Sync + 'static, S: Clone + Send + Sync + 'static> Referee for Court<T, S> {
    fn rule(&self, trace: &Trace) -> Option<End> {
        let over = match &trace.end {
            End::Complete => true,
            End::Failed(failure) => is_stuck(failure),
            End::Running | End::Asleep => false,
        };
        if !over {
            return None;
        }
        let record = self.recorder.record();
        if self.promises {
            let promise = |number: usize| {
                let call = self.test.calls().nth(number).expect("a call of the test");
                self.shared.listed[usize::from(call.op)].progress
            };
            if let Some(hindered) = hindered(trace, &record, &promise) {
                return Some(End::Failed(Box::new(self.too_slow(trace, &record, hindered))));
            }
        }
        // Threads that wait for each other outside of any call are a mistake of the object's, not of a call.
        let (_, pending) = record.returned_and_pending();
        if trace.failure().is_some() && pending == 0 {
            return None;
        }
        match self.find(trace, &record) {
            Ok(Finding::Explained) => trace.failure().map(|_| End::Complete),
            Ok(Finding::Unexplained(wrong)) => {
                Some(End::Failed(Box::new(self.unexplained(trace, &record, &wrong))))
            }
            Err(unfit) => Some(End::Failed(Box::new(Failure::new(FailureKind::Misuse, unfit.to_string())))),
        }
    }

    fn witness(&self, trace: &Trace) -> Option<Vec<Planned>> {
        let known = |kind| matches!(kind, FailureKind::NotLinearizable | FailureKind::Stuck);
        if self.strict.load(Relaxed) || !trace.failure().is_some_and(|f| known(f.kind)) {
            return None;
        }
        let record = self.recorder.record();
        match self.find(trace, &record) {
            Ok(Finding::Unexplained(wrong)) => Some(wrong.witness(trace, &record)),
            _ => None,
        }
    }

    fn be_strict(&self, strict: bool) {
        self.strict.store(strict, Relaxed);
    }
}
