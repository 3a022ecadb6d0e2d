//! Which steps come with which: what has to be done first to reverse a race, and what keeps a thread waiting.

use super::{NONE, Order, Race};
use gordian_model::{Access, Relation, Step, dependent};
use std::ops::Range;

/// So many threads are few.
pub(super) const FEW: usize = 16;

impl Order {
    /// The steps between `at` and `last` that do not happen after `at`, then `last`: what is to be done first to reverse a
    /// race (Abdulla et al., "Optimal dynamic partial order reduction", POPL 2014, section 5). What comes after `last` may
    /// go otherwise in another execution; when it matters, the end of the trace stands for `last`.
    pub fn without(&self, at: usize, last: usize, into: &mut Vec<usize>) {
        into.clear();
        self.beside(at, last, into);
        into.push(last);
    }

    /// Adds the steps between `at` and `end` that do not happen after `at`.
    pub(crate) fn beside(&self, at: usize, end: usize, into: &mut Vec<usize>) {
        let Some(later) = self.events.get(at + 1..end) else { return };
        if self.wide {
            let after = self.after(at);
            return into.extend((at + 1..end).filter(|&k| !after(k)));
        }
        for (k, event) in later.iter().enumerate() {
            if event.past >> at & 1 == 0 {
                into.push(at + 1 + k);
            }
        }
    }

    /// Those of them that lead to `last`: what must be done for it to come before `at`, and no more. What let it go need not be
    /// needed: without `at` there may be something left for it to take. So if it may have had to wait there are two
    /// answers, with what let it go and without.
    pub fn leading(&mut self, steps: &[Step], at: usize, last: usize, let_go: bool, into: &mut Vec<usize>) {
        into.clear();
        into.push(last);
        let goal = &steps[last];
        let conflicts = |step: &Step| {
            if let_go {
                return dependent(&step.accesses, &goal.accesses);
            }
            let race = |a: &Access, b: &Access| {
                a.object == b.object && a.act.relation(a.seq, b.act, b.seq) == Relation::Race
            };
            step.accesses.iter().any(|a| goal.accesses.iter().any(|b| race(a, b)))
        };
        // Whatever leads to it happens before it.
        self.between(at, last, into);
        let mut led = 1;
        for k in 1..into.len() {
            let k = into[k];
            let leads = |step: &Step| {
                into[1..led].iter().any(|&m| self.before(k, m))
                    || step.thread == goal.thread
                    || goal.after.contains(&(k as u32))
                    || goal.woken_by == Some(k as u32)
                    || conflicts(step)
            };
            if leads(&steps[k]) {
                into[led] = k;
                led += 1;
            }
        }
        into.truncate(led);
        into.reverse();
    }

    /// One of those [that lead](Self::leading) to `last`, which can begin, where it is found at once: if the thread of `last` had
    /// something to do before it that does not happen after `at`, that leads to it, and so does all that happens before that. None of this
    /// happens after `at`, and the first of it after nothing else.
    pub fn first_leading(&self, at: usize, last: usize) -> Option<usize> {
        let own = self.first_of(self.events[last].thread, at + 1).filter(|&own| own < last)?;
        if !self.wide {
            let past = self.events[own].past & (u64::MAX << at);
            return (past >> at & 1 == 0).then(|| past.trailing_zeros() as usize);
        }
        (!self.before(at, own)).then(|| (at + 1..own).find(|&k| self.before(k, own)).unwrap_or(own))
    }

    /// Adds the steps between `at` and `last` that happen before `last`, but not after `at`; the latest first.
    fn between(&mut self, at: usize, last: usize, into: &mut Vec<usize>) {
        if !self.wide {
            let mut past = self.events[last].past & !(1 << last) & (u64::MAX << at) & !(1 << at);
            while past != 0 {
                let latest = past.ilog2() as usize;
                if !self.before(at, latest) {
                    into.push(latest);
                }
                past &= !(1 << latest);
            }
            return;
        }
        // With few threads to look once more takes no longer than to keep it.
        if self.threads.len() <= FEW {
            let after = self.after(at);
            into.extend((at + 1..last).rev().filter(|&k| !after(k) && self.before(k, last)));
            return;
        }
        let mut kept = std::mem::take(&mut self.beside);
        let latest_first = kept.between(at, last, self.after(at)).iter().rev().map(|&k| k as usize);
        into.extend(latest_first.filter(|&k| self.before(k, last)));
        self.beside = kept;
    }

    /// Does one of these steps, which does not happen after step `at`, touch something in a way that this depends on?
    #[inline]
    pub(crate) fn is_touched(&self, accesses: &[Access], at: usize, steps: Range<usize>) -> bool {
        for &Access { object, act, seq } in accesses {
            let concerned = act.concerned_with();
            let mut next = self.objects.get(Order::place(object)).copied().unwrap_or(NONE);
            while let Some(touch) = self.touch_at(next)
                && touch.step as usize >= steps.start
                && touch.acts.meets(concerned)
            {
                if (touch.step as usize) < steps.end
                    && !self.before(at, touch.step as usize)
                    && act.conflicts(seq, touch.access.act, touch.access.seq)
                {
                    return true;
                }
                next = touch.before;
            }
        }
        false
    }

    /// The steps that conflict with one that may have to wait, and did not happen before its thread came to it: pairs of
    /// such a step and this one. They need not be races: while it waits, other steps may come between.
    pub fn conflicts(&self, steps: &[Step], later: usize, into: &mut Vec<Race>) {
        let step = &steps[later];
        if !step.accesses.iter().any(|a| a.act.waits()) {
            return;
        }
        for access in &step.accesses {
            let earlier = self.touches(access.object).skip_while(|t| t.step as usize >= later);
            for touch in earlier {
                let at = touch.step as usize;
                let known = self.thread_of(touch) == step.thread || self.before_start(steps, at, later);
                if known && touch.access.act.is_total() {
                    break;
                }
                let race =
                    touch.access.act.relation(touch.access.seq, access.act, access.seq) == Relation::Race;
                if !known && race && self.possible_before(at, step, steps) {
                    into.push((at, later));
                }
            }
        }
    }

    /// The steps without which a step's thread would have had to wait before it, unless they happened before it came
    /// there: pairs of such a step and this one.
    pub fn enablers(&self, steps: &[Step], later: usize, into: &mut Vec<Race>) {
        let step = &steps[later];
        let came = |at: u32| self.before_in_thread(later).is_some_and(|stop| self.before(at as usize, stop));
        let others = step.after.iter().copied().chain(step.woken_by);
        into.extend(others.filter(|&at| !came(at)).map(|at| (at as usize, later)));
        // Waiting for a limited time ends either way, but only the other way somebody is needed for it.
        let timed = step.kind.is_timed();
        for access in step.accesses.iter().filter(|a| timed || a.act.waits()) {
            let earlier = self.touches(access.object).skip_while(|t| t.step as usize >= later);
            for touch in earlier {
                let known = self.thread_of(touch) == step.thread || came(touch.step);
                if known && touch.access.act.is_total() {
                    break;
                }
                let relation = touch.access.act.relation(touch.access.seq, access.act, access.seq);
                if !known && (relation == Relation::Enables || (timed && relation == Relation::Race)) {
                    into.push((touch.step as usize, later));
                }
            }
        }
    }
}
