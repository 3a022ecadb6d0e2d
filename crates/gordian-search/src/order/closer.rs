//! A closer look at the touches of one object, for usual steps whose races take more than one instruction to find: where shares are
//! taken, or messages put in and taken out. This still goes from touch to touch, but what is known are bits, and what the acts have to
//! do with each other is known beforehand. The rest looks back [as any step does](Order::look_back_from).

use super::past::Bits;
use super::{Event, Order, Race, Touch};
use gordian_model::{Act, Acts, Step};

/// What is done to a lock where nobody only tries to take it.
const LOCK: Acts = Acts::NONE.with(Act::Take).with(Act::Share).with(Act::Free).with(Act::Unshare);

impl Order {
    /// Finds the races of step `i`, of which all is written down but what it learns by this, touch `own`.
    #[inline(never)]
    pub(super) fn look_closer(&mut self, i: usize, own: usize, steps: &[Step], races: &mut Vec<Race>) {
        let Touch { access, before: latest, .. } = self.touches[own];
        let Some(&touch) = self.touch_at(latest) else { return };
        let among = |others: Acts| touch.acts.and(others) == others;
        let past = match access.act {
            act if act.only_races() => {
                let mut known = Bits::before(self.events[i].past, i);
                self.race_with(i, act, touch, &mut known, races);
                Some(known.with(i))
            }
            Act::Share if among(LOCK) => Some(self.share(i, touch, races)),
            Act::Take if among(LOCK) => self.take_after_shares(i, touch, races),
            Act::Get if !touch.acts.has(Act::Empty) && !touch.acts.has(Act::Look) => {
                Some(self.get(i, access.seq, touch, races))
            }
            _ => None,
        };
        self.events[i].past = past.unwrap_or_else(|| {
            // Before it may have waited, who holds what there has to be told, and then it is not there yet.
            let place = Order::place(access.object);
            self.objects[place] = latest;
            let known = Bits::before(self.events[i].past, i);
            let known = self.look_back_from(i, steps, access, latest, known, races);
            self.objects[place] = own as u32;
            known.with(i)
        });
    }

    /// What a step knows that takes a share: it races with the latest that took all, and whoever gave that back let it go.
    fn share(&self, i: usize, mut touch: Touch, races: &mut Vec<Race>) -> u64 {
        let concerned = Act::Share.concerned_by();
        let (known, mut late) = (self.events[i].past, 0);
        loop {
            let is_known = known >> touch.step & 1 == 1;
            match touch.access.act {
                // These know whoever took or gave back all before them.
                Act::Share | Act::Unshare if is_known => break,
                Act::Share | Act::Unshare => {}
                act => {
                    if !is_known {
                        late |= self.event(touch.step as usize).past;
                        if act == Act::Take {
                            races.push((touch.step as usize, i));
                        }
                    }
                    if act == Act::Take {
                        break;
                    }
                }
            }
            match self.touch_at(touch.before) {
                Some(&before) if before.acts.meets(concerned) => touch = before,
                _ => break,
            }
        }
        known | late
    }

    /// What a step knows that takes a lock of which there were shares. It races with whoever took one when nobody else held any, or
    /// held some only until then. Nothing if threads held several shares at a time, or gave back those of others.
    fn take_after_shares(&self, i: usize, touch: Touch, races: &mut Vec<Race>) -> Option<u64> {
        let shares = self.shares(touch)?;
        let open = touch.open;
        // Only the first that is open can have taken all.
        let taken = if touch.acts.has(Act::Take) { open & open.wrapping_neg() } else { 0 };
        let takers = taken | shares;
        let mut known = self.events[i].past;
        let mut late = 0;
        let mut given_back = open & !takers & !known;
        while given_back != 0 {
            late |= self.event(given_back.trailing_zeros() as usize).past;
            given_back &= given_back - 1;
        }
        let mut left = takers & !known;
        while left != 0 {
            let earlier = left.ilog2() as usize;
            left &= !(1 << earlier);
            let Event { past, .. } = *self.event(earlier);
            if taken >> earlier & 1 == 1 || self.nobody_holds(earlier, open, takers) {
                races.push((earlier, i));
                known |= past;
                left &= !past;
            } else {
                late |= past;
            }
        }
        Some(known | late)
    }

    /// Those among the [open](Touch::open) touches of a lock, of which this is the latest, that took a share. Nothing unless everybody
    /// who took something gave it back before anything else, which is so unless threads take several shares.
    fn shares(&self, mut touch: Touch) -> Option<u64> {
        let open = touch.open;
        // Going back, the threads that have given back what they will have taken, as bits.
        let (mut shares, mut holding) = (0, 0u64);
        loop {
            let thread = 1u64.checked_shl(self.thread_of(&touch).0)?;
            let takes = matches!(touch.access.act, Act::Take | Act::Share);
            if takes != (holding & thread != 0) {
                return None;
            }
            holding ^= thread;
            if touch.access.act == Act::Share {
                shares |= 1 << touch.step;
            }
            match self.touch_at(touch.before) {
                Some(&before) => touch = before,
                None => return (holding == 0).then_some(shares & open),
            }
        }
    }

    /// Would a lock that is free now have been free where `step` took a share of it, if that and what happens after it were gone?
    /// It would if whatever is taken there is given back there.
    fn nobody_holds(&self, step: usize, open: u64, takers: u64) -> bool {
        let mut held = 1;
        let mut later = open & !1 << step;
        while later != 0 {
            let k = later.trailing_zeros();
            if self.event(k as usize).past >> step & 1 == 1 {
                held += if takers >> k & 1 == 1 { 1 } else { -1 };
            }
            later &= later - 1;
        }
        held == 0
    }

    /// What a step knows that takes a message out: it races with who took one out before, and who put it in let it go.
    fn get(&self, i: usize, number: u16, mut touch: Touch, races: &mut Vec<Race>) -> u64 {
        let concerned = Act::Get.concerned_by();
        let Event { past: mut known, thread, .. } = *self.event(i);
        let (mut late, mut put_met) = (0, false);
        loop {
            let is_known = known >> touch.step & 1 == 1;
            match touch.access.act {
                Act::Put if touch.access.seq == number => {
                    put_met |= !is_known || self.thread_of(&touch) != thread;
                    late |= self.event(touch.step as usize).past;
                }
                act @ (Act::Get | Act::TryGet) => {
                    if !is_known {
                        races.push((touch.step as usize, i));
                        known |= self.event(touch.step as usize).past;
                    }
                    // It has met everything before it but the message.
                    if put_met && act == Act::Get {
                        break;
                    }
                }
                _ => {}
            }
            match self.touch_at(touch.before) {
                Some(&before) if before.acts.meets(concerned) => touch = before,
                _ => break,
            }
        }
        known | late
    }
}
