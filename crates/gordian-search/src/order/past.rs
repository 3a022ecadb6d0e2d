//! What happens before a step: a bit for each of the first 64 steps, or a vector clock.
//!
//! Most executions are short. Then what a step follows is one word, to join two of these takes one instruction, and nothing has to be
//! kept in a table. In longer ones words would grow with the square of the steps, and clocks do not; an [`Order`] goes over to them when
//! it gets there.

use super::{Event, Order, Touch};
use gordian_model::ThreadId;
use gordian_model::clock::ClockId;

/// As many steps as there are bits in a word.
pub(super) const WORD: usize = u64::BITS as usize;

/// What a step that is being added knows of the earlier ones.
pub(super) trait Past: Copy + Default {
    /// What the step before it in its thread knew, and that step itself; there may be none.
    fn after(order: &mut Order, before: u32) -> Self;

    /// Learns of a step and of all that it knew.
    fn learn(&mut self, order: &mut Order, step: u32);

    /// The same, of a step that has touched something.
    fn learn_of(&mut self, order: &mut Order, touch: &Touch);

    /// Learns what another knows.
    fn join(&mut self, order: &mut Order, other: Self);

    /// Is the step that has touched something known?
    fn knows(self, order: &Order, touch: &Touch) -> bool;

    /// Writes down what the step knows at last, itself included.
    fn write(self, order: &mut Order, event: &mut Event);
}

/// A bit for each step.
#[derive(Clone, Copy, Default)]
pub(super) struct Bits(u64);

impl Past for Bits {
    #[inline(always)]
    fn after(order: &mut Order, before: u32) -> Bits {
        Bits(order.events.get(before as usize).map_or(0, |step| step.past))
    }

    #[inline(always)]
    fn learn(&mut self, order: &mut Order, step: u32) {
        self.0 |= order.events[step as usize].past;
    }

    #[inline(always)]
    fn learn_of(&mut self, _: &mut Order, touch: &Touch) {
        self.0 |= touch.past;
    }

    #[inline(always)]
    fn join(&mut self, _: &mut Order, other: Bits) {
        self.0 |= other.0;
    }

    #[inline(always)]
    fn knows(self, _: &Order, touch: &Touch) -> bool {
        self.0 >> touch.step & 1 == 1
    }

    #[inline(always)]
    fn write(self, order: &mut Order, event: &mut Event) {
        event.past = self.0 | 1 << order.events.len();
    }
}

/// A clock. The default is the empty one, in whose place a new one comes when there is something to be put in.
#[derive(Clone, Copy, Default)]
pub(super) struct Row(ClockId);

impl Past for Row {
    fn after(order: &mut Order, before: u32) -> Row {
        // The first of those that the step makes, so that truncating to it takes them all away.
        Row(match order.events.get(before as usize) {
            Some(step) => order.clocks.another(step.clock),
            None => order.clocks.fresh(),
        })
    }

    fn learn(&mut self, order: &mut Order, step: u32) {
        self.join(order, Row(order.events[step as usize].clock));
    }

    fn learn_of(&mut self, order: &mut Order, touch: &Touch) {
        self.learn(order, touch.step);
    }

    fn join(&mut self, order: &mut Order, other: Row) {
        if other.0 != ClockId::default() {
            let into = order.clocks.own(&mut self.0);
            order.clocks.join(into, other.0);
        }
    }

    fn knows(self, order: &Order, touch: &Touch) -> bool {
        order.clocks.get(self.0, touch.thread) >= order.events[touch.step as usize].nth
    }

    fn write(self, order: &mut Order, event: &mut Event) {
        event.nth = order.nth_after(event.before);
        event.clock = self.0;
        order.clocks.set(self.0, event.thread, event.nth);
    }
}

impl Order {
    /// The how-manieth step of a thread comes after this one, which may be none.
    fn nth_after(&self, before: u32) -> u32 {
        self.events.get(before as usize).map_or(0, |step| step.nth) + 1
    }

    /// Goes over to clocks.
    #[cold]
    #[inline(never)]
    pub(super) fn widen(&mut self) {
        self.wide = true;
        if let Some(last) = self.threads.len().checked_sub(1) {
            self.clocks.admit(ThreadId(last as u32));
        }
        for i in 0..self.events.len() {
            self.events[i].nth = self.nth_after(self.events[i].before);
            let clock = self.clocks.fresh();
            let mut past = self.events[i].past;
            while past != 0 {
                let Event { thread, nth, .. } = self.events[past.trailing_zeros() as usize];
                // The steps of a thread come in order, so the last has the last word.
                self.clocks.set(clock, thread, nth);
                past &= past - 1;
            }
            self.events[i].clock = clock;
        }
    }
}
