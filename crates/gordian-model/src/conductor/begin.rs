//! How an execution begins: what the plan says is taken over, and what the last execution has left is put away.
//!
//! An execution of a search mostly goes by the same rules as the one before it. What follows from the rules alone stays as it is then.

use super::at_once::NOBODY;
use super::policy::Kind;
use super::{Conductor, Status};
use crate::id::ThreadId;
use crate::plan::{Options, Plan};
use crate::policy::Policy;

impl Conductor {
    /// Starts an execution; the main thread is running.
    pub fn begin(&mut self, plan: &Plan) {
        let same_rules = self.goes_by_rules_of(plan);
        self.shared = if same_rules { self.begins_like(plan) } else { 0 };
        self.recalling = self.shared > 0;
        self.smooth = usize::MAX;
        if self.recalling {
            self.trace.restart();
        } else {
            self.trace.clear();
        }
        self.prefix.clear();
        self.prefix.extend_from_slice(&plan.prefix);
        self.planned = plan.prefix.len();
        self.deviations.clear();
        self.comparisons.clear();
        self.deviated = 0;
        if !plan.deviations.is_empty() {
            self.take_deviations(plan);
        }
        self.sleep.clear();
        for sleeper in &plan.sleep {
            self.sleep.push(sleeper.clone());
        }
        self.sleep_from = plan.sleep_from;
        if !same_rules {
            self.take_rules(plan);
        }
        // What lies between deviations is left to the policy, so such a plan does not say where the execution ends.
        self.replay = plan.replay && plan.deviations.is_empty();
        self.lenient = plan.lenient;
        for thread in &mut self.threads {
            thread.status = Status::Absent;
        }
        self.live_slots = 0;
        self.live_cells = 0;
        self.enabled.clear();
        self.unfinished = 0;
        self.released.clear();
        self.current = ThreadId::MAIN;
        self.pauses_seen = false;
        self.polite_seen = false;
        self.abandons = false;
        self.leader = NOBODY;
        self.by_itself =
            self.driver.kind == Kind::RunOn && plan.deviations.is_empty() && !self.options.clocks;
        self.may_repeat = !self.options.clocks;
        self.birth(ThreadId::MAIN);
        if self.options.clocks {
            self.sync.clear(true);
            self.sync.admit(ThreadId::MAIN, None);
        }
    }

    /// Are limits, options and policy those of the last execution, and is the policy one that draws nothing?
    #[inline(always)]
    fn goes_by_rules_of(&self, plan: &Plan) -> bool {
        self.driver.kind == Kind::RunOn
            && matches!(plan.policy, Policy::RunOn)
            && self.limits == plan.limits
            && are_same(&self.options, &plan.options)
    }

    #[inline(never)]
    fn take_rules(&mut self, plan: &Plan) {
        self.driver.begin(&plan.policy, &self.names);
        self.limits = plan.limits;
        self.options = plan.options;
        self.sync.clear(plan.options.clocks);
    }

    #[inline(never)]
    fn take_deviations(&mut self, plan: &Plan) {
        self.deviations.extend_from_slice(&plan.deviations);
        self.comparisons.extend_from_slice(&plan.comparisons);
    }

    /// How many steps of the last execution the plan asks for again.
    #[cfg(test)]
    pub(super) fn shared_with(&self, plan: &Plan) -> usize {
        if self.goes_by_rules_of(plan) { self.begins_like(plan) } else { 0 }
    }

    /// The same, where the plan has the same rules.
    #[inline(always)]
    fn begins_like(&self, plan: &Plan) -> usize {
        let mut known = self.trace.len().min(self.smooth);
        if !plan.sleep.is_empty() {
            known = known.min(plan.sleep_from);
        }
        let known = &self.trace.steps[..known];
        // Two numbers that lie side by side in both are compared as one.
        let pair = |thread: ThreadId, outcome: u32| u64::from(thread.0) | u64::from(outcome) << 32;
        let mut shared = 0;
        for (planned, step) in plan.prefix.iter().zip(known) {
            if pair(planned.thread, planned.outcome) != pair(step.thread, step.outcome)
                || planned.expected != Some((step.kind, step.site))
            {
                break;
            }
            shared += 1;
        }
        shared
    }
}

/// Are the options the same? They lie side by side, and compared like this most of them are as one number, where `==` would ask for each.
#[inline(always)]
fn are_same(one: &Options, other: &Options) -> bool {
    let most = |options: &Options| {
        let &Options { weak_failures, spurious_wakeups, leaks, count_steps, .. } = options;
        let &Options { clocks, end_steps, cancels, races, inputs: _, .. } = options;
        u64::from_le_bytes([
            weak_failures as u8,
            spurious_wakeups as u8,
            leaks as u8,
            count_steps as u8,
            clocks as u8,
            end_steps as u8,
            cancels as u8,
            races as u8,
        ])
    };
    most(one) ^ most(other) | u64::from(one.inputs as u8 ^ other.inputs as u8) == 0
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::id::SiteId;
    use crate::input::Inputs;
    use crate::object::{Atomic, Channel, Mutex, Object, RwLock};
    use crate::plan::Limits;
    use crate::race::Races;

    #[test]
    fn options_are_the_same_only_if_all_of_them_are() {
        let switches: [fn(&mut Options) -> &mut bool; 7] = [
            |o| &mut o.weak_failures,
            |o| &mut o.spurious_wakeups,
            |o| &mut o.leaks,
            |o| &mut o.count_steps,
            |o| &mut o.clocks,
            |o| &mut o.end_steps,
            |o| &mut o.cancels,
        ];
        let mut all = vec![Options::default()];
        for switch in switches {
            let mut other = Options::default();
            *switch(&mut other) ^= true;
            all.push(other);
        }
        all.extend([Races::Explore, Races::Ignore].map(|races| Options { races, ..Options::default() }));
        all.extend([Inputs::Recorded, Inputs::Travel].map(|inputs| Options { inputs, ..Options::default() }));
        for one in &all {
            for other in &all {
                assert_eq!(are_same(one, other), one == other, "{one:?} {other:?}");
            }
        }
    }

    /// Begins an execution with these objects, which somebody waits for then: what there is, and how many were created in place.
    fn create(conductor: &mut Conductor, models: &[Object], in_place: bool) -> (String, usize) {
        conductor.begin(&Plan::default());
        let mut many = 0;
        for (i, model) in models.iter().enumerate() {
            let site = SiteId(i as u32);
            let made = match in_place {
                true => conductor.create_in_place(model.clone(), site),
                false => Err(model.clone()),
            };
            many += usize::from(made.is_ok());
            let object = made.unwrap_or_else(|model| conductor.create(model, site));
            conductor.slot_mut(object).pending.push(ThreadId(1));
            conductor.slot_mut(object).watchers.push(ThreadId(2));
            conductor.slot_mut(object).version += 1;
        }
        (format!("{:?} {:?}", &conductor.slots[..conductor.live_slots], conductor.trace.objects), many)
    }

    #[test]
    fn objects_that_are_created_in_place_are_like_others() {
        let (one, two) = (Atomic::new(1).into(), Atomic::new(2).into());
        let (mutex, channel): (Object, Object) = (Mutex::new().into(), Channel::new(None).into());
        let rwlock = RwLock::new().into();
        let lists: [&[&Object]; 8] = [
            &[&rwlock, &mutex, &one],
            &[&one, &rwlock, &rwlock, &channel, &mutex],
            &[&one, &mutex],
            &[&two, &mutex, &one],
            &[&mutex, &two],
            &[&channel, &one, &one],
            &[&one, &one, &two, &one, &mutex],
            &[&mutex, &one, &channel],
        ];
        let mut all = 0;
        for first in lists {
            for second in lists {
                let [first, second] = [first, second].map(|l| l.iter().copied().cloned().collect::<Vec<_>>());
                let (mut quick, mut slow) = (Conductor::default(), Conductor::default());
                for list in [&first, &second, &second] {
                    let (told, many) = create(&mut quick, list, true);
                    assert_eq!(told, create(&mut slow, list, false).0);
                    all += many;
                }
            }
        }
        assert!(all > 100, "only {all} were");
    }

    #[test]
    fn other_rules_are_taken_over() {
        let mut conductor = Conductor::default();
        let clocks = Options { clocks: true, ..Options::default() };
        let short = Limits { steps: 5, ..Limits::default() };
        let plans = [
            Plan::default(),
            Plan { options: clocks, ..Plan::default() },
            Plan { options: clocks, limits: short, ..Plan::default() },
            Plan { policy: Policy::Random { seed: 1 }, ..Plan::default() },
            Plan { limits: short, ..Plan::default() },
        ];
        for from in &plans {
            for to in &plans {
                for plan in [from, to, to] {
                    conductor.begin(plan);
                    assert_eq!((conductor.limits, conductor.options), (plan.limits, plan.options));
                    assert_eq!(conductor.driver.kind == Kind::RunOn, matches!(plan.policy, Policy::RunOn));
                    let child = conductor.spawn(ThreadId::MAIN);
                    if plan.options.clocks {
                        assert_eq!([ThreadId::MAIN, child].map(|t| conductor.sync.time(t)), [2, 1]);
                    }
                }
            }
        }
    }
}
