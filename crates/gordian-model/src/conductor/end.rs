//! How an execution ends.

use super::at_once::NOBODY;
use super::slots::Slot;
use super::{Conductor, Idle, Thread, verdict};
use crate::aftermath::{Aftermath, Pending};
use crate::failure::{Failure, FailureKind};
use crate::id::ThreadId;
use crate::object::{Arc, Object};
use crate::step::Step;
use crate::trace::End;

impl Conductor {
    /// Nobody can go on: is it the end, or are they stuck?
    #[cold]
    pub(super) fn stop(&mut self) {
        self.leader = NOBODY;
        if self.unfinished == 0 || self.abandons {
            self.trace.end = End::Complete;
        } else {
            self.fail_stuck();
        }
    }

    #[cold]
    #[inline(never)]
    fn fail_stuck(&mut self) {
        let failure = self.stuck();
        self.fail(failure);
    }

    /// The program has come to its end, as a process does when its main thread returns: the threads that can go on still do, those
    /// that wait, or only pause, are given up. (Whatever a thread does from here on it could have done just before.)
    pub fn abandon_waiting(&mut self) {
        self.abandons = true;
    }

    /// The last look at an execution that came to its end, after the front end has dropped everything that
    /// lives as long as it.
    pub fn close(&mut self) {
        if self.recalling {
            self.part();
        }
        if self.trace.end == End::Complete && self.options.leaks {
            let leaked = (0..self.live_slots)
                .find(|&i| matches!(&self.slots[i].model, Object::Arc(a) if Arc::strong(a) > 0));
            if let Some(i) = leaked {
                self.fail_leaking(i);
            }
        }
        if self.replay && self.trace.end != End::Running {
            self.close_replay();
        }
    }

    /// The object with this number was not dropped.
    #[cold]
    #[inline(never)]
    fn fail_leaking(&mut self, object: usize) {
        let site = self.trace.objects[object].site;
        let failure = verdict::leak(&self.names, site);
        self.fail_complete(failure);
    }

    /// A replay ends where the plan does.
    #[cold]
    #[inline(never)]
    fn close_replay(&mut self) {
        if self.only_went_round() {
            self.trace.take_back(self.prefix.len());
        } else if let Some(failure) = self.went_on() {
            self.fail_complete(failure);
        }
    }

    /// Are all steps beyond the plan rounds of loops that wait for ever? The rounds that proved it at first were taken out of the
    /// trace, so a plan does not have them; proving it again may take one more, where several threads wait.
    fn only_went_round(&self) -> bool {
        let livelock = |f: &Failure| f.kind == FailureKind::Livelock;
        let waits = |s: &Step| {
            self.threads[s.thread.index()].idle == Idle::Proved && s.accesses.iter().all(|a| a.act.is_read())
        };
        self.trace.failure().is_some_and(livelock)
            && self.trace.steps.iter().skip(self.prefix.len()).all(waits)
    }

    pub(super) fn fail_complete(&mut self, failure: Failure) {
        self.leader = NOBODY;
        if self.recalling {
            self.part();
        }
        let aftermath = self.aftermath();
        self.trace.aftermath.get_or_insert_with(|| Box::new(aftermath));
        self.trace.end = End::Failed(Box::new(failure));
    }

    /// What there is now.
    pub fn aftermath(&self) -> Aftermath {
        let value = |slot: &Slot| match &slot.model {
            Object::Atomic(atomic) => Some(atomic.value()),
            Object::Semaphore(semaphore) => Some(u64::from(semaphore.permits())),
            _ => None,
        };
        let pending = |(i, me): (usize, &Thread)| {
            let op = me.announced()?;
            let thread = ThreadId(i as u32);
            let stuck = me.outcomes == 0 || me.idle == Idle::Proved;
            Some(Pending { thread, kind: op.kind, object: op.object, other: op.other, site: op.site, stuck })
        };
        Aftermath {
            values: self.slots[..self.live_slots].iter().map(value).collect(),
            pending: self.threads.iter().enumerate().filter_map(pending).collect(),
        }
    }

    /// Something went wrong after the last step, while the front end dropped what lives as long as the execution.
    pub fn fail_at_end(&mut self, failure: Failure) {
        if matches!(self.trace.end, End::Complete | End::Running) {
            self.fail_complete(failure);
        }
    }

    pub(super) fn went_on(&self) -> Option<Failure> {
        let expected = self.prefix.len();
        let step = self.trace.steps.get(expected)?;
        Some(
            Failure::new(
                FailureKind::Nondeterminism,
                format!(
                    "the replay departed after its last step {expected}: the recorded execution ended there, but {} went on with {} at {}",
                    self.names.thread(step.thread),
                    step.kind.verb(),
                    self.names.place(step.site)
                ),
            )
            .at(step.thread, step.site),
        )
    }
}
