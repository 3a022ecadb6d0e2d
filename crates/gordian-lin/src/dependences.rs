//! What has to come before what, whichever execution of a class happens.

use crate::record::Record;
use crate::test::Calls;
use gordian_model::{Act, ObjectId, Relation, ThreadId, Trace};

#[derive(Clone, Copy)]
struct Touch {
    thread: ThreadId,
    act: Act,
    seq: u16,
    /// The calls with a step that happens before this touch, its own included.
    known: Calls,
}

/// The touches of an object that later ones have to be compared with.
type Touches = Vec<Touch>;

/// The call that a thread is in, or will be in next: its steps are those from `start` up to `end`.
#[derive(Clone, Copy)]
struct Current {
    start: u32,
    end: u32,
    call: u32,
    /// How many calls of the thread, in order, are over.
    over: u32,
}

/// Finds the dependences between calls: call `a` comes before call `b` if some step of `a` happens before some step of `b`. All executions of a
/// class agree on that. The clocks that tell are sets of calls, because it does not matter which step of a call is known.
#[derive(Default)]
pub struct Dependences {
    threads: Vec<(Calls, Current)>,
    steps: Vec<Calls>,
    objects: Vec<Touches>,
    lives: Vec<Touches>,
    /// For each thread its calls, in order.
    calls: Vec<Vec<usize>>,
    /// For each call the calls with steps that happen before one of its own.
    pub before: Vec<Calls>,
}

impl Current {
    const NONE: Current = Current { start: u32::MAX, end: u32::MAX, call: 0, over: 0 };

    fn nth(over: u32, calls: &[usize], record: &Record) -> Current {
        let Some(&call) = calls.get(over as usize) else { return Current { over, ..Current::NONE } };
        let span = record.spans[call].expect("it began");
        Current { start: span.start, end: span.end.unwrap_or(u32::MAX), call: call as u32, over }
    }
}

impl Dependences {
    fn clear(&mut self, trace: &Trace, record: &Record) {
        self.objects.iter_mut().chain(&mut self.lives).for_each(Vec::clear);
        if self.objects.len() < trace.objects.len() {
            self.objects.resize_with(trace.objects.len(), Vec::new);
        }
        self.steps.clear();
        self.before.clear();
        self.before.resize(record.spans.len(), 0);
        self.calls.iter_mut().for_each(Vec::clear);
        for (call, span) in record.spans.iter().enumerate() {
            let Some(span) = span else { continue };
            if self.calls.len() <= span.thread.index() {
                self.calls.resize_with(span.thread.index() + 1, Vec::new);
            }
            self.calls[span.thread.index()].push(call);
        }
        self.threads.clear();
        self.threads.extend(self.calls.iter().map(|calls| (0, Current::nth(0, calls, record))));
    }

    #[inline]
    fn touches(&mut self, object: ObjectId) -> &mut Touches {
        let (lists, i) = match object.as_life() {
            Some(thread) => (&mut self.lives, thread.index()),
            None => (&mut self.objects, object.index()),
        };
        if lists.len() <= i {
            lists.resize_with(i + 1, Vec::new);
        }
        &mut lists[i]
    }

    /// The call that a step of a thread belongs to.
    #[inline]
    fn call_of(&mut self, thread: ThreadId, step: usize, record: &Record) -> Option<usize> {
        let thread = thread.index();
        loop {
            let current = self.threads[thread].1;
            if (step as u32) < current.end {
                return (current.start <= step as u32).then_some(current.call as usize);
            }
            self.threads[thread].1 = Current::nth(current.over + 1, &self.calls[thread], record);
        }
    }

    /// Finds the dependences in an execution.
    pub fn find(&mut self, trace: &Trace, record: &Record) {
        self.clear(trace, record);
        for (i, step) in trace.steps.iter().enumerate() {
            let thread = step.thread.index();
            if self.threads.len() <= thread {
                self.threads.resize(thread + 1, (0, Current::NONE));
            }
            let mut known = self.threads[thread].0;
            for &past in &step.after {
                known |= self.steps[past as usize];
            }
            if let Some(waker) = step.woken_by {
                known |= self.steps[waker as usize];
            }
            for access in &step.accesses {
                for touch in self.touches(access.object).iter().rev() {
                    // What is known already need not be compared.
                    if touch.known & !known != 0
                        && touch.thread != step.thread
                        && touch.act.relation(touch.seq, access.act, access.seq) != Relation::Commute
                    {
                        known |= touch.known;
                    }
                }
            }
            if let Some(call) = self.call_of(step.thread, i, record) {
                self.before[call] |= known & !(1 << call);
                known |= 1 << call;
            }
            self.threads[thread].0 = known;
            self.steps.push(known);
            for access in &step.accesses {
                let touch = Touch { thread: step.thread, act: access.act, seq: access.seq, known };
                let touches = self.touches(access.object);
                if access.act.is_total() {
                    // It knows all that those before it do.
                    touches.clear();
                }
                touches.push(touch);
            }
        }
    }
}
