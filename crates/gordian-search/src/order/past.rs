//! What happens before a step: a bit for each of the first 64 steps, or a vector clock.
//!
//! Most executions are short. Then what a step follows is one word, to join two of these takes one instruction, and nothing has to be
//! kept in a table. In longer ones words would grow with the square of the steps, and clocks do not; an [`Order`] goes over to them when
//! it gets there.

use super::{Event, Order};
use gordian_model::ThreadId;
use gordian_model::clock::ClockId;

/// As many steps as there are bits in a word.
pub(super) const WORD: usize = u64::BITS as usize;

/// What a step that is being added knows of the earlier ones.
pub(super) trait Past: Copy + Default {
    /// What the step before it in its thread knew, and that step itself.
    fn after(order: &mut Order, before: Option<Event>) -> Self;

    /// Learns of a step and of all that it knew.
    fn learn(&mut self, order: &mut Order, step: &Event);

    /// Learns what another knows.
    fn join(&mut self, order: &mut Order, other: Self);

    /// Is the step known?
    fn knows(self, order: &Order, number: u32, step: &Event) -> bool;

    /// Writes down what the step knows at last, itself included.
    fn write(self, order: &mut Order, event: &mut Event);
}

/// A bit for each step.
#[derive(Clone, Copy, Default)]
pub(super) struct Bits(u64);

impl Past for Bits {
    #[inline(always)]
    fn after(_: &mut Order, before: Option<Event>) -> Bits {
        Bits(before.map_or(0, |step| step.past))
    }

    #[inline(always)]
    fn learn(&mut self, _: &mut Order, step: &Event) {
        self.0 |= step.past;
    }

    #[inline(always)]
    fn join(&mut self, _: &mut Order, other: Bits) {
        self.0 |= other.0;
    }

    #[inline(always)]
    fn knows(self, _: &Order, number: u32, _: &Event) -> bool {
        self.0 >> number & 1 == 1
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
    fn after(order: &mut Order, before: Option<Event>) -> Row {
        // The first of those that the step makes, so that truncating to it takes them all away.
        Row(match before {
            Some(step) => order.clocks.another(step.clock),
            None => order.clocks.fresh(),
        })
    }

    fn learn(&mut self, order: &mut Order, step: &Event) {
        self.join(order, Row(step.clock));
    }

    fn join(&mut self, order: &mut Order, other: Row) {
        if other.0 != ClockId::default() {
            let into = order.clocks.own(&mut self.0);
            order.clocks.join(into, other.0);
        }
    }

    fn knows(self, order: &Order, _: u32, step: &Event) -> bool {
        order.clocks.get(self.0, step.thread) >= step.nth
    }

    fn write(self, order: &mut Order, event: &mut Event) {
        order.clocks.set(self.0, event.thread, event.nth);
        event.clock = self.0;
    }
}

impl Order {
    /// Goes over to clocks.
    #[cold]
    #[inline(never)]
    pub(super) fn widen(&mut self) {
        self.wide = true;
        if let Some(last) = self.threads.len().checked_sub(1) {
            self.clocks.admit(ThreadId(last as u32));
        }
        for i in 0..self.events.len() {
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
