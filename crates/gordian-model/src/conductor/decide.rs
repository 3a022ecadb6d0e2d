//! Who steps next: the plan's prefix, then the policy with the plan's deviations, leaving out what sleeps.

use super::at_once::NOBODY;
use super::policy::Kind;
use super::{Conductor, Decision, Idle, Status, Thread};
use crate::id::{ObjectId, SiteId, ThreadId};
use crate::op::OpKind;
use crate::plan::{Planned, Sleeper};
use crate::trace::End;

impl Conductor {
    /// Which thread steps next?
    #[inline(always)]
    pub fn decide(&mut self) -> Decision {
        // Told at once in the beginning that is shared with the last execution.
        if self.recalling
            && !self.is_over()
            && let Some(thread) = self.decide_again()
        {
            return Decision::Run(thread);
        }
        self.decide_anew()
    }

    #[inline(never)]
    fn decide_anew(&mut self) -> Decision {
        if self.is_over() {
            return Decision::End;
        }
        if self.recalling {
            return self.decide_where_they_part();
        }
        let at = self.trace.len();
        if let Some(planned) = self.prefix.get(at) {
            if (at != self.sleep_from || self.sleep.is_empty()) && self.fits(planned) {
                self.chosen = planned.outcome;
                return Decision::Run(planned.thread);
            }
            return self.follow_prefix(at);
        }
        if self.goes_on_by_itself(at) {
            self.chosen = 0;
            return Decision::Run(self.current);
        }
        self.decide_freely(at)
    }

    #[inline(never)]
    fn decide_where_they_part(&mut self) -> Decision {
        self.part();
        self.decide_anew()
    }

    /// Which thread steps next, beyond the plan's prefix?
    #[inline(never)]
    fn decide_freely(&mut self, at: usize) -> Decision {
        let deviation = self.deviations.get(self.deviated);
        if let Some(deviation) = deviation
            && deviation.choice == self.trace.choices_made()
        {
            return self.deviate(deviation.planned);
        }
        if self.enabled.is_empty() && !self.let_polite_threads_go() {
            self.end_here();
            return Decision::End;
        }
        if at as u32 >= self.limits.steps {
            self.fail_for_length();
            return Decision::End;
        }
        if !self.sleep.is_empty() {
            self.wake_what_lets_go();
        }
        match self.choose_by_policy() {
            Some(thread) => Decision::Run(thread),
            None => {
                self.fall_asleep();
                Decision::End
            }
        }
    }

    /// Nobody can go on.
    #[cold]
    #[inline(never)]
    fn end_here(&mut self) {
        match self.deviations.get(self.deviated) {
            Some(missed) => self.fail(self.departure(missed.planned)),
            None => self.stop(),
        }
    }

    #[cold]
    #[inline(never)]
    fn fail_for_length(&mut self) {
        self.fail(self.too_many_steps());
    }

    /// Everything that could go on is asleep.
    #[cold]
    #[inline(never)]
    fn fall_asleep(&mut self) {
        self.leader = NOBODY;
        self.trace.end = End::Asleep;
        let blocked = |t: &Thread| t.status == Status::Announced && t.outcomes == 0;
        let waiting = self.threads.iter().enumerate().filter(|(_, t)| blocked(t));
        for (i, t) in waiting {
            let thread = ThreadId(i as u32);
            self.trace.waiting.push((thread, [t.op.object, t.op.other]));
            if t.op.is_cancellable() {
                self.trace.waiting.push((thread, [ObjectId::life(thread), ObjectId::NONE]));
            }
        }
    }

    /// Does the thread that stepped last simply go on? It is what happens most, and all of it is asked below, too.
    #[inline]
    fn goes_on_by_itself(&self, at: usize) -> bool {
        let me = &self.threads[self.current.index()];
        self.sleep.is_empty()
            && self.enabled.contains(self.current)
            && !me.paused
            && !me.expiring
            && self.driver.kind == Kind::RunOn
            && self.deviated == self.deviations.len()
            && (at as u32) < self.limits.steps
    }

    /// Departs from the policy.
    #[inline(never)]
    fn deviate(&mut self, planned: Planned) -> Decision {
        self.deviated += 1;
        self.planned = self.trace.len() + 1;
        if self.enabled.is_empty() {
            // The policy would have done so, and the same choices have to lead to the same state.
            self.let_polite_threads_go();
        }
        self.follow(planned)
    }

    /// The thread that stepped last may have come to a stop. Where preemptions are counted that is free only because those
    /// that might have let it go on were not there first, so they do not sleep any more.
    #[inline(never)]
    fn wake_what_lets_go(&mut self) {
        let me = &self.threads[self.current.index()];
        if me.status != Status::Announced || (me.outcomes > 0 && !me.expiring) {
            return;
        }
        let (object, other, objects) = (me.op.object, me.op.other, &self.trace.objects);
        let life = if me.op.is_cancellable() { ObjectId::life(self.current) } else { ObjectId::NONE };
        let lets_go = |s: &Sleeper| {
            let touches = |object| object != ObjectId::NONE && s.touches(object, objects);
            s.touches(object, objects) || touches(other) || touches(life)
        };
        self.sleep.retain(|s| !(s.bounded && lets_go(s)));
    }

    /// The first outcome of the thread's op that is not asleep.
    #[inline]
    pub(super) fn awake(&self, thread: ThreadId) -> Option<u32> {
        let asleep = |outcome| self.sleep.iter().any(|s| s.thread == thread && s.outcome == outcome);
        (0..self.threads[thread.index()].outcomes).find(|&outcome| !asleep(outcome))
    }

    /// Go on with the same thread if it can and wants to; then the lowest that wants to; then, among those
    /// that would rather wait (they paused, or would time out), the one after the last, so that each gets a turn.
    #[inline]
    pub(super) fn run_on(&self) -> Option<ThreadId> {
        if self.sleep.is_empty() { self.run_on_among(|_| true) } else { self.run_on_awake() }
    }

    #[inline(never)]
    fn run_on_awake(&self) -> Option<ThreadId> {
        self.run_on_among(|t| self.awake(t).is_some())
    }

    #[inline(always)]
    fn run_on_among(&self, awake: impl Fn(ThreadId) -> bool) -> Option<ThreadId> {
        let current = self.current;
        let eager = |t: ThreadId| {
            let thread = &self.threads[t.index()];
            !thread.paused && !thread.expiring
        };
        if self.enabled.contains(current) && eager(current) && awake(current) {
            return Some(current);
        }
        if let Some(thread) = self.enabled.iter().find(|&t| eager(t) && awake(t)) {
            return Some(thread);
        }
        let after = self.enabled.iter().find(|&t| t > current && awake(t));
        after.or_else(|| self.enabled.iter().find(|&t| awake(t)))
    }

    /// Can the planned step be taken?
    #[inline]
    fn fits(&self, planned: &Planned) -> bool {
        let Some(me) = self.threads.get(planned.thread.index()) else { return false };
        me.status == Status::Announced
            && planned.expected.is_none_or(|e| e == (me.op.kind, me.op.site))
            && planned.outcome < me.outcomes
            && (self.enabled.contains(planned.thread) || self.is_idle(planned.thread))
    }

    #[inline(never)]
    fn follow_prefix(&mut self, at: usize) -> Decision {
        self.follow(self.prefix[at])
    }

    #[inline]
    fn follow(&mut self, planned: Planned) -> Decision {
        if self.trace.len() == self.sleep_from
            && let Some(sleeper) = self.sleep.iter().find(|s| !self.is_about_to(s.thread, s.expected))
        {
            let expected = Planned { thread: sleeper.thread, outcome: 0, expected: Some(sleeper.expected) };
            let failure = self.departure(expected);
            self.fail(failure);
            return Decision::End;
        }
        if !self.fits(&planned) {
            if self.lenient {
                let at = self.trace.len();
                self.prefix.truncate(at);
                return self.decide_freely(at);
            }
            let failure = self.departure(planned);
            self.fail(failure);
            return Decision::End;
        }
        self.chosen = planned.outcome;
        Decision::Run(planned.thread)
    }

    /// Has the thread announced this op?
    pub(super) fn is_about_to(&self, thread: ThreadId, (kind, site): (OpKind, SiteId)) -> bool {
        let me = self.threads.get(thread.index()).and_then(Thread::announced);
        me.is_some_and(|op| op.kind == kind && op.site == site)
    }

    /// A planned step of a thread that this execution found idle: it was not when the plan was made, because
    /// fewer rounds of its loop had been seen. Going round once more is always possible.
    pub(super) fn is_idle(&self, thread: ThreadId) -> bool {
        self.threads[thread.index()].idle != Idle::No
    }
}
