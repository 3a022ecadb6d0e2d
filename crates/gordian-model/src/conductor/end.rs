//! How an execution ends.

use super::slots::Slot;
use super::{Conductor, verdict};
use crate::failure::{Failure, FailureKind};
use crate::object::{Arc, Object};
use crate::trace::End;

impl Conductor {
    /// Nobody can go on: is it the end, or are they stuck?
    #[cold]
    pub(super) fn stop(&mut self) {
        if self.unfinished == 0 {
            self.trace.end = End::Complete;
        } else {
            let failure = self.stuck();
            self.fail(failure);
        }
    }

    /// The last look at an execution that came to its end, after the front end has dropped everything that
    /// lives as long as it.
    pub fn close(&mut self) {
        if self.trace.end == End::Complete && self.options.leaks {
            let leaked = (0..self.live_slots)
                .find(|&i| matches!(&self.slots[i].model, Object::Arc(a) if Arc::strong(a) > 0));
            if let Some(i) = leaked {
                let site = self.trace.objects[i].site;
                let failure = verdict::leak(&self.names, site);
                self.fail_complete(failure);
            }
        }
        if self.replay
            && self.trace.end != End::Running
            && let Some(failure) = self.went_on()
        {
            self.fail_complete(failure);
        }
    }

    #[cold]
    pub(super) fn fail_complete(&mut self, failure: Failure) {
        let held = |slot: &Slot| match &slot.model {
            Object::Atomic(atomic) => atomic.value(),
            Object::Semaphore(semaphore) => u64::from(semaphore.permits()),
            _ => 0,
        };
        self.trace.left = self.slots[..self.live_slots].iter().map(held).collect();
        self.trace.end = End::Failed(Box::new(failure));
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
