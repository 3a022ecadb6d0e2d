//! Looking back from a step: what it knows of the earlier ones, and with which of them it races.

use super::past::Past;
use super::{NONE, Order, Race, Touch, met_by_others};
use gordian_model::{Access, Act, Acts, Relation, Step, ThreadId};
use smallvec::SmallVec;

impl Order {
    /// As [`look_back`](Self::look_back), for a step that touched one object; gives the latest touch of that. The touch
    /// that will be added is then the latest.
    #[inline(always)]
    pub(super) fn look_back_at_one<P: Past>(
        &mut self,
        i: usize,
        steps: &[Step],
        access: Access,
        known: &mut P,
        races: &mut Vec<Race>,
    ) -> u32 {
        let place = Order::place(access.object);
        let own = self.touches.len() as u32;
        let Some(latest) = self.objects.get_mut(place) else {
            self.make_room(place);
            self.objects[place] = own;
            return NONE;
        };
        let latest = std::mem::replace(latest, own);
        let Some(&touch) = self.touch_at(latest) else { return NONE };
        if touch.acts.meets(access.act.concerned_by()) && !self.stands_for_all(touch, steps[i].thread) {
            // Whatever waits, or goes by numbers, takes more than that.
            if access.act.only_races() {
                self.race_with(i, access.act, touch, known, races);
            } else {
                self.objects[place] = latest;
                *known = self.look_back_from(i, steps, access, latest, *known, races);
                self.objects[place] = own;
            }
        }
        latest
    }

    #[inline(always)]
    pub(super) fn thread_of(&self, touch: &Touch) -> ThreadId {
        self.event(touch.step as usize).thread
    }

    /// Was it done by the thread itself, in such a way that it stands for all that was before it?
    #[inline(always)]
    pub(super) fn stands_for_all(&self, touch: Touch, thread: ThreadId) -> bool {
        touch.access.act.is_total() && self.thread_of(&touch) == thread
    }

    /// As [`meet`](Self::meet), for an act that [only races](Act::only_races), with this touch and those before it.
    #[inline(always)]
    pub(super) fn race_with<P: Past>(
        &mut self,
        i: usize,
        act: Act,
        mut touch: Touch,
        known: &mut P,
        races: &mut Vec<Race>,
    ) {
        debug_assert!(!Order::waits(act) && !act.is_numbered());
        let (concerned, stand_for_all) = (act.concerned_by(), Acts::TOTAL.with(act));
        loop {
            let is_known = known.knows(self, &touch);
            if !is_known && concerned.has(touch.access.act) {
                races.push((touch.step as usize, i));
                known.learn_of(self, &touch);
                if stand_for_all.has(touch.access.act) {
                    return;
                }
            } else if is_known && stand_for_all.has(touch.access.act) {
                return;
            }
            match self.touch_at(touch.before) {
                Some(&before) if before.acts.meets(concerned) => touch = before,
                _ => return,
            }
        }
    }

    /// Goes through the touches of an object from this one back, for a step that touched nothing else. Not inlined: it would take
    /// registers from all steps that need no more than [`race_with`](Self::race_with).
    #[inline(never)]
    pub(super) fn look_back_from<P: Past>(
        &mut self,
        i: usize,
        steps: &[Step],
        access: Access,
        mut next: u32,
        known: P,
        races: &mut Vec<Race>,
    ) -> P {
        let mut look = Look {
            i,
            step: &steps[i],
            steps,
            known,
            late: P::default(),
            woken_by: None,
            waited: Order::waits(access.act),
            put_met: false,
        };
        while let Some(&touch) = self.touch_at(next)
            && touch.acts.meets(access.act.concerned_by())
            && self.meet(&mut look, access, touch, races)
        {
            next = touch.before;
        }
        look.known.join(self, look.late);
        look.known
    }

    /// Goes through the earlier steps that touched the same objects and makes what step `i` knows of them.
    #[inline(never)]
    pub(super) fn look_back<P: Past>(
        &mut self,
        i: usize,
        steps: &[Step],
        accesses: &[Access],
        known: P,
        races: &mut Vec<Race>,
    ) -> P {
        let step = &steps[i];
        // Most steps meet others at one object at most; then there is nothing to merge.
        let (mut only, mut several) = (None, false);
        for access in accesses {
            let place = Order::place(access.object);
            if self.objects.len() <= place {
                self.make_room(place);
            }
            let latest = self.objects[place];
            if let Some(touch) = self.touch_at(latest)
                && touch.acts.meets(access.act.concerned_by())
                && !self.stands_for_all(*touch, step.thread)
            {
                several |= only.is_some();
                only = Some((*access, latest));
            }
        }
        if only.is_none() && step.woken_by.is_none() {
            return known;
        }
        let mut look = Look {
            i,
            step,
            steps,
            known,
            late: P::default(),
            woken_by: step.woken_by,
            waited: Order::may_have_waited(step),
            put_met: false,
        };
        if several {
            self.look_at_all(&mut look, races);
        } else if let Some((access, mut next)) = only {
            while let Some(&touch) = self.touch_at(next)
                && touch.acts.meets(access.act.concerned_by())
                && self.meet(&mut look, access, touch, races)
            {
                next = touch.before;
            }
        }
        if let Some(waker) = look.woken_by {
            look.known.learn(self, waker);
        }
        look.known.join(self, look.late);
        look.known
    }

    /// Looks at earlier touches latest first over all objects together, so that whatever lies between two steps is known before
    /// their race is judged.
    #[inline(never)]
    fn look_at_all<P: Past>(&mut self, look: &mut Look<'_, P>, races: &mut Vec<Race>) {
        // For each object that was touched before, the access to it and the touch that is to be looked at next.
        let mut cursors: SmallVec<[(Access, u32); 4]> = SmallVec::new();
        for access in met_by_others(look.step.kind, &look.step.accesses) {
            cursors.push((*access, self.objects[Order::place(access.object)]));
        }
        loop {
            // Of several accesses of one step the first comes first.
            let mut latest: Option<(usize, Touch)> = None;
            for (c, cursor) in cursors.iter().enumerate() {
                if let Some(&touch) = self.touch_at(cursor.1)
                    && latest.is_none_or(|(_, other)| touch.step > other.step)
                {
                    latest = Some((c, touch));
                }
            }
            let Some((c, touch)) = latest else { break };
            look.put_met = false;
            let access = cursors[c].0;
            let more = touch.acts.meets(access.act.concerned_by()) && self.meet(look, access, touch, races);
            cursors[c].1 = if more { touch.before } else { NONE };
        }
    }

    /// Judges one earlier touch of an object, up to which there is one that has something to do with the access; `false` if those
    /// before it need no look.
    #[inline(always)]
    fn meet<P: Past>(
        &mut self,
        look: &mut Look<'_, P>,
        access: Access,
        touch: Touch,
        races: &mut Vec<Race>,
    ) -> bool {
        let at = touch.step;
        if look.woken_by.is_some_and(|w| w >= at) {
            let waker = look.woken_by.take().expect("just seen");
            look.known.learn(self, waker);
        }
        // What was touched in the same way, and is known, has met everything before it that the step would meet; only messages
        // are told apart by their numbers.
        let stands_for_all = touch.access.act.is_total()
            || (touch.access.act == access.act
                && (!access.act.is_numbered() || (access.act == Act::Get && look.put_met)));
        if look.known.knows(self, &touch) {
            look.put_met |= touch.access.act == Act::Put
                && touch.access.seq == access.seq
                && self.thread_of(&touch) != look.step.thread;
            return !stands_for_all;
        }
        match touch.access.act.relation(touch.access.seq, access.act, access.seq) {
            Relation::Commute => true,
            Relation::Enables if lets_go(touch.access.act) => {
                look.put_met |= touch.access.act == Act::Put;
                look.late.learn_of(self, &touch);
                !touch.access.act.is_total()
            }
            Relation::Enables => {
                look.known.learn_of(self, &touch);
                !stands_for_all
            }
            Relation::Race if look.waited && !self.possible_before(at as usize, look.step, look.steps) => {
                look.late.learn_of(self, &touch);
                !touch.access.act.is_total()
            }
            Relation::Race => {
                races.push((at as usize, look.i));
                look.known.learn_of(self, &touch);
                !stands_for_all
            }
        }
    }
}

/// Looking back from a step.
struct Look<'a, P> {
    i: usize,
    step: &'a Step,
    steps: &'a [Step],
    /// What the step knows.
    known: P,
    /// What it knows besides, but has no part in judging races.
    late: P,
    /// The step that ended its wait, until it has been taken into account.
    woken_by: Option<u32>,
    /// It may have waited: then it need not be possible any earlier.
    waited: bool,
    /// The message that it got has been met.
    put_met: bool,
}

/// Releasing lets a waiting taker go, but an earlier turn might have been had before the release.
fn lets_go(act: Act) -> bool {
    matches!(act, Act::Free | Act::Unshare | Act::Put | Act::Empty | Act::Shut | Act::Cancel)
}
