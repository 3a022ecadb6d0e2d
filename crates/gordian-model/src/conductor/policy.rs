//! Carries a policy out.

use super::Conductor;
use super::spin::whole;
use crate::chance::Chance;
use crate::id::{ObjectId, SiteId, ThreadId};
use crate::names::Names;
use crate::policy::{Change, Moment, Policy, Priorities, Weighted};

#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) enum Kind {
    #[default]
    RunOn,
    Random,
    Priorities,
    PartialOrder,
    Weighted,
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
    /// What each thread and those it has yet to spawn have left to do, by thread.
    weights: Vec<u32>,
    /// Where the objects were created whose steps count.
    at: Option<SiteId>,
    /// The thread that is to make the next step that counts.
    intended: Option<ThreadId>,
}

impl Driver {
    /// Starts over with a policy.
    #[inline]
    pub(super) fn begin(&mut self, policy: &Policy, names: &Names) {
        match policy {
            Policy::RunOn => self.kind = Kind::RunOn,
            policy => self.begin_to_draw(policy, names),
        }
    }

    #[inline(never)]
    fn begin_to_draw(&mut self, policy: &Policy, names: &Names) {
        match policy {
            Policy::RunOn => {}
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
            Policy::PartialOrder { seed } => {
                self.kind = Kind::PartialOrder;
                self.chance = Chance::new(*seed);
                self.priorities.clear();
            }
            Policy::Weighted(Weighted { of, at, seed }) => {
                self.kind = Kind::Weighted;
                self.chance = Chance::new(*seed);
                self.weights.clear();
                self.weights.extend_from_slice(of);
                // A thread has a higher number than the one that spawns it.
                for i in (1..of.len()).rev() {
                    if let Some(parent) = names.parent(ThreadId(i as u32)) {
                        self.weights[parent.index()] += self.weights[i];
                    }
                }
                self.at = *at;
                self.intended = None;
            }
        }
    }

    /// The memory that a step may write to.
    pub(super) fn memory(&self, tell: &mut dyn FnMut(usize, usize)) {
        for buffer in [&self.priorities, &self.steps, &self.at_sites, &self.weights] {
            whole(buffer, tell);
        }
    }

    fn draw(&mut self) -> u32 {
        let above = u64::from(u32::MAX - Priorities::LOW);
        Priorities::LOW + self.chance.below(above) as u32
    }

    /// Draws the priorities of this thread and those before it that have none.
    #[inline]
    fn admit(&mut self, thread: ThreadId) {
        while self.priorities.len() <= thread.index() {
            let priority = self.draw();
            self.priorities.push(priority);
        }
    }

    /// What the new thread has to do is no longer its parent's.
    #[inline]
    pub(super) fn spawned(&mut self, parent: ThreadId, child: ThreadId) {
        if self.kind == Kind::Weighted {
            self.move_weight(parent, child);
        }
    }

    #[inline(never)]
    fn move_weight(&mut self, parent: ThreadId, child: ThreadId) {
        let moved = self.weights.get(child.index()).copied().unwrap_or(0);
        if let Some(left) = self.weights.get_mut(parent.index()) {
            *left = left.saturating_sub(moved);
        }
    }

    fn weight(&self, thread: ThreadId) -> u64 {
        self.weights.get(thread.index()).copied().unwrap_or(0).into()
    }
}

impl Conductor {
    /// The thread that the policy lets go next, out of those that are enabled and awake, and the outcome of its op.
    #[inline]
    pub(super) fn choose_by_policy(&mut self) -> Option<ThreadId> {
        let runs_on = self.driver.kind == Kind::RunOn;
        let thread = if runs_on { self.run_on() } else { self.draw_thread() }?;
        self.chosen = if !self.sleep.is_empty() {
            self.awake(thread).expect("it is awake")
        } else if runs_on {
            0
        } else {
            self.draw_outcome(thread)
        };
        Some(thread)
    }

    /// The outcome of its op if the policy draws, and nothing sleeps.
    #[inline(never)]
    fn draw_outcome(&mut self, thread: ThreadId) -> u32 {
        let outcomes = self.threads[thread.index()].outcomes;
        if outcomes > 1 { self.driver.chance.below(outcomes.into()) as u32 } else { 0 }
    }

    #[inline(never)]
    fn draw_thread(&mut self) -> Option<ThreadId> {
        match self.driver.kind {
            Kind::RunOn => self.run_on(),
            // Where there is no choice nothing is drawn.
            _ if self.sleep.is_empty() && self.enabled.only().is_some() => self.enabled.only(),
            Kind::Random => self.draw_uniformly(|_, _| true),
            Kind::Priorities | Kind::PartialOrder => {
                if let Some(last) = self.enabled.iter().last() {
                    self.driver.admit(last);
                }
                let awake = self.enabled.iter().filter(|&t| self.is_awake(t));
                awake.max_by_key(|t| (self.driver.priorities[t.index()], std::cmp::Reverse(*t)))
            }
            Kind::Weighted if self.driver.at.is_none() => self.draw_by_weight(),
            Kind::Weighted => self.draw_selectively(),
        }
    }

    #[inline]
    fn is_awake(&self, thread: ThreadId) -> bool {
        self.sleep.is_empty() || self.awake(thread).is_some()
    }

    /// One of the enabled threads that fit, each as likely as the others.
    #[inline]
    fn draw_uniformly(&mut self, fits: impl Fn(&Conductor, ThreadId) -> bool) -> Option<ThreadId> {
        let count = self.enabled.iter().filter(|&t| self.is_awake(t) && fits(self, t)).count() as u64;
        let nth = if count > 1 { self.driver.chance.below(count) } else { 0 };
        self.enabled.iter().filter(|&t| self.is_awake(t) && fits(self, t)).nth(nth as usize)
    }

    /// One of the enabled threads, in proportion to what they have left to do. One that has come to a step that counts
    /// has at least that one left, whatever was expected; if nobody has anything left, any thread will do.
    #[inline]
    fn draw_by_weight(&mut self) -> Option<ThreadId> {
        let weight = |me: &Conductor, t: ThreadId| match me.driver.weight(t) {
            0 => u64::from(me.counts(t)),
            weight => weight,
        };
        let sum = self.enabled.iter().filter(|&t| self.is_awake(t)).map(|t| weight(self, t)).sum();
        if sum == 0 {
            return self.draw_uniformly(|_, _| true);
        }
        let mut nth = self.driver.chance.below(sum);
        self.enabled.iter().filter(|&t| self.is_awake(t)).find(|&t| {
            let weight = weight(self, t);
            let is_here = nth < weight;
            nth = nth.wrapping_sub(weight);
            is_here
        })
    }

    /// The thread that makes the next step that counts is drawn by weight; until it has, any thread goes on whose next
    /// step does not count. If only others are left, one of them goes first after all.
    fn draw_selectively(&mut self) -> Option<ThreadId> {
        if self.driver.intended.is_none() {
            self.driver.intended = self.draw_by_weight();
        }
        let intended = self.driver.intended;
        let free = self.draw_uniformly(|me, t| Some(t) == intended || !me.counts(t));
        if free.is_none() {
            self.driver.intended = self.draw_by_weight();
            return self.driver.intended;
        }
        free
    }

    /// Does the thread's next step count for its weight?
    #[inline]
    fn counts(&self, thread: ThreadId) -> bool {
        let op = &self.threads[thread.index()].op;
        self.driver.at.is_none_or(|site| self.is_from(op.object, site) || self.is_from(op.other, site))
    }

    /// Was the object created here?
    #[inline]
    fn is_from(&self, object: ObjectId, site: SiteId) -> bool {
        self.trace.objects.get(object.index()).is_some_and(|o| o.site == site)
    }

    /// Tells the policy of the step that was just carried out.
    #[inline]
    pub(super) fn follow_up(&mut self, thread: ThreadId, at: usize) {
        if !matches!(self.driver.kind, Kind::RunOn | Kind::Random) {
            self.take_in(thread, at);
        }
    }

    /// The policies that look at what was done. Not inlined: the step path is as short as it was without them.
    #[inline(never)]
    fn take_in(&mut self, thread: ThreadId, at: usize) {
        match self.driver.kind {
            Kind::RunOn | Kind::Random => {}
            Kind::Priorities => {
                if !self.driver.changes.is_empty() {
                    self.change_priority(thread, at);
                }
            }
            Kind::PartialOrder => self.draw_again(thread),
            Kind::Weighted => {
                if self.counts(thread) {
                    if let Some(left) = self.driver.weights.get_mut(thread.index()) {
                        *left = left.saturating_sub(1);
                    }
                    if self.driver.intended == Some(thread) {
                        self.driver.intended = None;
                    }
                }
            }
        }
    }

    fn change_priority(&mut self, thread: ThreadId, at: usize) {
        self.driver.admit(thread);
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
                        .any(|a| objects.get(a.object.index()).map_or(SiteId::UNKNOWN, |o| o.site) == site);
                    driver.at_sites[k] += u32::from(touches);
                    touches && driver.at_sites[k] == n
                }
            };
            if is_now {
                driver.priorities[thread.index()] = change.to;
            }
        }
    }

    /// The next op of the thread that has stepped draws a priority of its own, and those that conflict with the step draw
    /// again.
    fn draw_again(&mut self, thread: ThreadId) {
        self.driver.admit(thread);
        self.driver.priorities[thread.index()] = self.driver.draw();
        let done = self.threads[thread.index()].op;
        if done.object == ObjectId::NONE {
            return;
        }
        for rival in self.enabled.iter() {
            let op = &self.threads[rival.index()].op;
            let meet = op.object == done.object
                || op.other == done.object
                || (done.other != ObjectId::NONE && (op.object == done.other || op.other == done.other));
            if rival != thread && meet && op.kind.may_conflict(done.kind) {
                self.driver.admit(rival);
                self.driver.priorities[rival.index()] = self.driver.draw();
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::Plan;

    /// A loop that waits would not come back to the same state if this were taken for the program's.
    #[test]
    fn what_a_policy_writes_at_every_step_is_told() {
        let mut conductor = Conductor::default();
        let changes = vec![Change { after: Moment::Step(9), to: 1 }];
        let policy = Policy::Priorities(Priorities { of: vec![3, 2], changes, seed: 0 });
        conductor.begin(&Plan { policy, ..Plan::default() });
        conductor.driver.steps.resize(2, 0);
        conductor.driver.weights.resize(2, 0);
        let Driver { priorities, steps, at_sites, weights, .. } = &conductor.driver;
        for buffer in [priorities, steps, at_sites, weights] {
            let (start, end) = (buffer.as_ptr() as usize, buffer.as_ptr_range().end as usize);
            let mut told = false;
            conductor.memory(&mut |a, b| told |= start < end && a <= start && end <= b);
            assert!(told, "{:?}", conductor.driver);
        }
    }
}
