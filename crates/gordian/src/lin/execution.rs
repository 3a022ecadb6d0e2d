//! Carrying out the calls of a test, at once or one after the other, and writing down what they return.

use super::object::{Object, Shared};
use crate::runtime::{self, Engine};
use crate::thread;
use gordian_lin::{Answer, Call, Conflicts, Made, Record, Test, Unfit};
use gordian_model::{End, FailureKind, Options, Plan, Trace};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// What the calls of the running execution have returned so far.
#[derive(Debug, Default)]
pub(super) struct Recorder(Mutex<Record>);

impl Recorder {
    pub(super) fn record(&self) -> MutexGuard<'_, Record> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<T, S> Object<T, S> {
    /// Makes a call and writes down when it began and ended and what it returned.
    fn carry_out(&self, object: &T, number: usize, call: Call, recorder: &Recorder) {
        runtime::with(|conductor, me| {
            // The call before is over: what it waited for in a loop says nothing about this one.
            conductor.goes_on(me);
            recorder.record().begin(number, me, conductor.trace.len());
        });
        let operation = &self.listed[usize::from(call.op)].operation;
        let result = catch_unwind(AssertUnwindSafe(|| operation.call(object, usize::from(call.arg))));
        let answer = result.unwrap_or_else(|payload| {
            runtime::user_panic(payload);
            self.number_panic(runtime::take_panic().message)
        });
        runtime::with(|conductor, _| recorder.record().end(number, conductor.trace.len(), answer));
    }

    fn number_panic(&self, message: String) -> Answer {
        let mut panicked = self.panicked.lock().unwrap_or_else(PoisonError::into_inner);
        let place = panicked.iter().position(|m| *m == message).unwrap_or_else(|| {
            panicked.push(message);
            panicked.len() - 1
        });
        Answer(Answer::PANICS.0 + place as u32)
    }

    /// What a call returned, in words.
    pub(super) fn answer_text(&self, call: Call, answer: Answer) -> String {
        if answer == Answer::BLOCKED {
            return "nothing, because it blocks".to_owned();
        }
        match answer.0.checked_sub(Answer::PANICS.0) {
            None => self.listed[usize::from(call.op)].operation.answer_text(answer),
            Some(place) => {
                let panicked = self.panicked.lock().unwrap_or_else(PoisonError::into_inner);
                format!("panic {:?}", panicked[place as usize])
            }
        }
    }

    /// A call as a person would write it.
    pub(super) fn call_text(&self, call: Call) -> String {
        self.listed[usize::from(call.op)].operation.call_text(usize::from(call.arg))
    }
}

/// The body of an execution in which the threads make their calls at once.
pub(super) fn at_once<T: Send + Sync + 'static, S: Send + Sync + 'static>(
    shared: &Shared<T, S>,
    test: &Arc<Test>,
    recorder: &Arc<Recorder>,
) {
    recorder.record().clear(test.len());
    let object = Arc::new((shared.make)());
    for (i, &call) in test.before.iter().enumerate() {
        shared.carry_out(&object, i, call, recorder);
    }
    let spawn = |i: usize| {
        let (shared, test, recorder, object) =
            (Arc::clone(shared), Arc::clone(test), Arc::clone(recorder), Arc::clone(&object));
        thread::spawn(move || {
            let first = test.first_of(i);
            for (k, &call) in test.threads[i].iter().enumerate() {
                shared.carry_out(&object, first + k, call, &recorder);
            }
        })
    };
    let threads: Vec<_> = (0..test.threads.len()).map(spawn).collect();
    for thread in threads {
        thread.join().expect("panics of calls are answers");
    }
    let first = test.len() - test.after.len();
    for (k, &call) in test.after.iter().enumerate() {
        shared.carry_out(&object, first + k, call, recorder);
    }
}

/// Makes calls one after the other.
pub(super) struct OneByOne<T, S> {
    shared: Shared<T, S>,
    calls: Vec<Call>,
    recorder: Recorder,
    conflicts: Conflicts,
    stack_size: usize,
}

impl<T: Send + Sync + 'static, S: Send + Sync + 'static> OneByOne<T, S> {
    pub(super) fn new(shared: Shared<T, S>, test: &Test, stack_size: usize) -> Self {
        OneByOne {
            shared,
            calls: test.calls().collect(),
            recorder: Recorder::default(),
            conflicts: Conflicts::default(),
            stack_size,
        }
    }

    /// What becomes of calls, up to the first that blocks.
    pub(super) fn run(&mut self, order: &[usize]) -> Result<Vec<Made>, Unfit> {
        let OneByOne { shared, calls, recorder, conflicts, stack_size } = self;
        let states = Mutex::new(Vec::new());
        let body = || {
            recorder.record().clear(order.len());
            let object = (shared.make)();
            for (i, &call) in order.iter().enumerate() {
                shared.carry_out(&object, i, calls[call], recorder);
                if let Some(state) = &shared.state {
                    let state = state(&object);
                    states.lock().unwrap_or_else(PoisonError::into_inner).push(state);
                }
            }
        };
        // Data races have no second thread here, and reference counts nobody else to see them.
        let plan = Plan { options: Options { leaks: false, ..Options::default() }, ..Plan::default() };
        // Beside the engine that searches; the second of an OS thread is kept, so that only the first time costs something.
        let mut engine = Engine::new(*stack_size, None);
        let trace = engine.run(&plan, &body);
        fit(shared, calls, order, trace)?;
        let record = recorder.record();
        let answers: Vec<Answer> =
            record.spans.iter().map_while(|s| s.filter(|s| s.end.is_some()).map(|s| s.answer)).collect();
        if let Some(i) = answers.iter().position(|a| *a >= Answer::PANICS).filter(|_| !shared.panics) {
            let call = calls[order[i]];
            let before: Vec<String> = order[..i].iter().map(|&c| shared.call_text(calls[c])).collect();
            return Err(Unfit(format!(
                "{} fails by itself: {}, when it is called after {} and nobody else is there; fix that first, or, if it is meant to panic, say so with Object::panics(true)",
                shared.call_text(call),
                shared.answer_text(call, answers[i]),
                if before.is_empty() { "nothing".to_owned() } else { before.join(", ") },
            )));
        }
        let states = states.into_inner().unwrap_or_else(PoisonError::into_inner);
        conflicts.find(engine.trace(), &record);
        let made = |(i, &answer): (usize, &Answer)| Made {
            answer,
            state: states.get(i).copied(),
            after: conflicts.after[i],
        };
        Ok(answers.iter().enumerate().map(made).collect())
    }
}

/// Is the execution of calls one after the other good for a specification?
fn fit<T, S>(shared: &Object<T, S>, calls: &[Call], order: &[usize], trace: &Trace) -> Result<(), Unfit> {
    let names = || order.iter().map(|&c| shared.call_text(calls[c])).collect::<Vec<_>>().join(", ");
    if let Some(step) = trace.steps.iter().find(|step| step.outcomes > 1) {
        return Err(Unfit(format!(
            "the calls {} are not deterministic: one of them can {} in {} ways although nobody else is there; what a call returns may depend on the calls before it only",
            names(),
            step.kind.verb(),
            step.outcomes
        )));
    }
    match &trace.end {
        End::Complete => Ok(()),
        End::Failed(f) if matches!(f.kind, FailureKind::Deadlock | FailureKind::Livelock) => Ok(()),
        End::Failed(failure) => Err(Unfit(format!(
            "the calls {}, made one after the other, fail by themselves: {}",
            names(),
            failure.message
        ))),
        End::Running | End::Asleep => unreachable!("an execution without a sleep set comes to its end"),
    }
}
