//! What has to come before what, whichever execution of a class happens.

use crate::record::Record;
use crate::test::Calls;
use gordian_model::{Act, ObjectId, OpKind, Relation, Step, ThreadId, Trace};

#[derive(Clone, Copy)]
struct Touch {
    thread: ThreadId,
    act: Act,
    seq: u16,
    /// The calls with a step that happens before this touch, its own included.
    known: Calls,
}

/// The call that a thread is in, or will be in next: its steps are those from `start` up to `end`.
#[derive(Clone, Copy)]
struct Current {
    start: u32,
    end: u32,
    call: u32,
    /// How many calls of the thread, in order, are over.
    over: u32,
}

impl Current {
    const NONE: Current = Current { start: u32::MAX, end: u32::MAX, call: 0, over: 0 };

    fn nth(over: u32, calls: &[usize], record: &Record) -> Current {
        let Some(&call) = calls.get(over as usize) else { return Current { over, ..Current::NONE } };
        let span = record.spans[call].expect("it began");
        Current { start: span.start, end: span.end.unwrap_or(u32::MAX), call: call as u32, over }
    }
}

/// What tells a step apart from others that could have been taken in its place.
type Mark = (ThreadId, OpKind, u32, ObjectId, bool, Option<u32>);

fn mark(step: &Step) -> Mark {
    (step.thread, step.kind, step.outcome, step.object, step.ok, step.woken_by)
}

/// A step that was taken in, and how it is taken back.
#[derive(Clone, Copy)]
struct Taken {
    mark: Mark,
    /// What its thread knew before, and how many of its calls were over.
    known: Calls,
    over: u32,
    /// Its call, and what was before that.
    call: Option<(u32, Calls)>,
    /// Where its objects begin in [`Dependences::touched`].
    touched: u32,
    /// What is known after it.
    after: Calls,
    /// It could have gone in several ways, or one before it.
    several: bool,
}

/// Finds the dependences between calls: call `a` comes before call `b` if some step of `a` happens before some step of `b`. All executions of a
/// class agree on that. The clocks that tell are sets of calls, because it does not matter which step of a call is known. What an execution shares with
/// the one before is kept.
#[derive(Default)]
pub struct Dependences {
    threads: Vec<(Calls, Current)>,
    taken: Vec<Taken>,
    objects: Vec<Vec<Touch>>,
    lives: Vec<Vec<Touch>>,
    touched: Vec<ObjectId>,
    /// For each call who makes it.
    owners: Vec<Option<ThreadId>>,
    /// For each thread its calls, in order.
    calls: Vec<Vec<usize>>,
    /// For each call the calls with steps that happen before one of its own.
    pub before: Vec<Calls>,
    /// Could some step have gone in several ways, with the same steps before it?
    pub several: bool,
}

impl Dependences {
    #[inline]
    fn touches(&mut self, object: ObjectId) -> &mut Vec<Touch> {
        let (lists, i) = match object.as_life() {
            Some(thread) => (&mut self.lives, thread.index()),
            None => (&mut self.objects, object.index()),
        };
        if lists.len() <= i {
            lists.resize_with(i + 1, Vec::new);
        }
        &mut lists[i]
    }

    /// Takes back what the execution before did otherwise.
    fn go_back(&mut self, trace: &Trace, record: &Record) {
        let same =
            self.taken.iter().zip(trace.steps.iter()).take_while(|(taken, step)| taken.mark == mark(step));
        let same = same.count();
        while self.taken.len() > same {
            let taken = self.taken.pop().expect("there is one");
            while self.touched.len() > taken.touched as usize {
                let object = self.touched.pop().expect("there is one");
                self.touches(object).pop();
            }
            let thread = &mut self.threads[taken.mark.0.index()];
            thread.0 = taken.known;
            thread.1.over = taken.over;
            if let Some((call, before)) = taken.call {
                self.before[call as usize] = before;
            }
        }
        self.before.resize(record.spans.len(), 0);
        // Who calls what is the same in all executions of a test that go as far.
        let owners = || record.spans.iter().map(|span| span.map(|span| span.thread));
        if !self.owners.iter().copied().eq(owners()) {
            self.owners.clear();
            self.owners.extend(owners());
            self.calls.iter_mut().for_each(Vec::clear);
            for (call, span) in record.spans.iter().enumerate() {
                let Some(span) = span else { continue };
                if self.calls.len() <= span.thread.index() {
                    self.calls.resize_with(span.thread.index() + 1, Vec::new);
                }
                self.calls[span.thread.index()].push(call);
            }
        }
        if self.threads.len() < self.calls.len() {
            self.threads.resize(self.calls.len(), (0, Current::NONE));
        }
        // When calls began and ended later on is another matter.
        for (thread, calls) in self.threads.iter_mut().zip(&self.calls) {
            thread.1 = Current::nth(thread.1.over, calls, record);
        }
    }

    /// The call that a step of a thread belongs to.
    #[inline]
    fn call_of(&mut self, thread: usize, step: usize, record: &Record) -> Option<usize> {
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
        self.go_back(trace, record);
        self.several = self.taken.last().is_some_and(|taken| taken.several);
        for (i, step) in trace.steps.iter().enumerate().skip(self.taken.len()) {
            let thread = step.thread.index();
            if self.threads.len() <= thread {
                self.threads.resize(thread + 1, (0, Current::NONE));
            }
            let (before, Current { over, .. }) = self.threads[thread];
            let mut known = before;
            for &past in &step.after {
                known |= self.taken[past as usize].after;
            }
            if let Some(waker) = step.woken_by {
                known |= self.taken[waker as usize].after;
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
                    if touch.act.is_total() {
                        break;
                    }
                }
            }
            let call = self.call_of(thread, i, record).map(|call| {
                let was = self.before[call];
                self.before[call] |= known & !(1 << call);
                known |= 1 << call;
                (call as u32, was)
            });
            self.threads[thread].0 = known;
            let touched = self.touched.len() as u32;
            for access in &step.accesses {
                let touch = Touch { thread: step.thread, act: access.act, seq: access.seq, known };
                self.touches(access.object).push(touch);
                self.touched.push(access.object);
            }
            self.several |= step.outcomes > 1;
            let several = self.several;
            self.taken.push(Taken {
                mark: mark(step),
                known: before,
                over,
                call,
                touched,
                after: known,
                several,
            });
        }
    }
}
