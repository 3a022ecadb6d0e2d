//! Carries a policy out.

use super::Conductor;
use crate::chance::Chance;
use crate::id::ThreadId;
use crate::policy::{Change, Moment, Policy, Priorities};

#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) enum Kind {
    #[default]
    RunOn,
    Random,
    Priorities,
}

/// The state of the policy that is followed.
#[derive(Debug, Default)]
pub(super) struct Driver {
    pub(super) kind: Kind,
    chance: Chance,
    /// By thread; those not drawn yet are missing.
    priorities: Vec<u32>,
    changes: Vec<Change>,
    /// Steps of each thread, and of each site that a change waits for.
    steps: Vec<u32>,
    at_sites: Vec<u32>,
}

impl Driver {
    /// Starts over with a policy.
    pub(super) fn begin(&mut self, policy: &Policy) {
        match policy {
            Policy::RunOn => self.kind = Kind::RunOn,
            Policy::Random { seed } => {
                self.kind = Kind::Random;
                self.chance = Chance::new(*seed);
            }
            Policy::Priorities(Priorities { of, changes, seed }) => {
                self.kind = Kind::Priorities;
                self.chance = Chance::new(*seed);
                self.priorities.clear();
                self.priorities.extend_from_slice(of);
                self.changes.clear();
                self.changes.extend_from_slice(changes);
                self.steps.clear();
                self.at_sites.clear();
                self.at_sites.resize(changes.len(), 0);
            }
        }
    }

    #[inline]
    fn priority(&mut self, thread: ThreadId) -> u32 {
        while self.priorities.len() <= thread.index() {
            let above = u64::from(u32::MAX - Priorities::LOW);
            self.priorities.push(Priorities::LOW + self.chance.below(above) as u32);
        }
        self.priorities[thread.index()]
    }
}

impl Conductor {
    /// The thread that the policy lets go next, out of those that are enabled and awake, and the outcome of its op.
    pub(super) fn choose_by_policy(&mut self) -> Option<ThreadId> {
        let thread = match self.driver.kind {
            Kind::RunOn => self.run_on(),
            Kind::Random => {
                let count = self.enabled.iter().filter(|&t| self.is_awake(t)).count() as u64;
                let nth = if count > 1 { self.driver.chance.below(count) } else { 0 };
                self.enabled.iter().filter(|&t| self.is_awake(t)).nth(nth as usize)
            }
            Kind::Priorities => {
                if let Some(last) = self.enabled.iter().last() {
                    self.driver.priority(last);
                }
                let awake = self.enabled.iter().filter(|&t| self.is_awake(t));
                awake.max_by_key(|t| (self.driver.priorities[t.index()], std::cmp::Reverse(*t)))
            }
        }?;
        let outcomes = self.threads[thread.index()].outcomes;
        self.chosen = if !self.sleep.is_empty() {
            self.awake(thread).expect("it is awake")
        } else if outcomes > 1 && self.driver.kind != Kind::RunOn {
            self.driver.chance.below(outcomes.into()) as u32
        } else {
            0
        };
        Some(thread)
    }

    #[inline]
    fn is_awake(&self, thread: ThreadId) -> bool {
        self.sleep.is_empty() || self.awake(thread).is_some()
    }

    /// Tells the policy of the step that was just carried out.
    #[inline]
    pub(super) fn follow_up(&mut self, thread: ThreadId, at: usize) {
        if self.driver.kind == Kind::Priorities && !self.driver.changes.is_empty() {
            self.change_priority(thread, at);
        }
    }

    fn change_priority(&mut self, thread: ThreadId, at: usize) {
        self.driver.priority(thread);
        let driver = &mut self.driver;
        if driver.steps.len() <= thread.index() {
            driver.steps.resize(thread.index() + 1, 0);
        }
        driver.steps[thread.index()] += 1;
        for (k, change) in driver.changes.iter().enumerate() {
            let is_now = match change.after {
                Moment::Step(n) => n as usize == at + 1,
                Moment::Thread(whose, n) => whose == thread && driver.steps[thread.index()] == n,
                Moment::Site(site, n) => {
                    let objects = &self.trace.objects;
                    let touches = self.trace.steps[at]
                        .accesses
                        .iter()
                        .any(|a| objects.get(a.object.index()).is_some_and(|o| o.site == site));
                    driver.at_sites[k] += u32::from(touches);
                    touches && driver.at_sites[k] == n
                }
            };
            if is_now {
                driver.priorities[thread.index()] = change.to;
            }
        }
    }
}
