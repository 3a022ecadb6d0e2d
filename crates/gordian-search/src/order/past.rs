//! What happens before a step: a bit for each of the first 64 steps, or a vector clock.
//!
//! Most executions are short. Then what a step follows is one word, to join two of these takes one instruction, and nothing has to be
//! kept in a table. In longer ones words would grow with the square of the steps, and clocks do not; an [`Order`] goes over to them when
//! it gets there.

use super::{Event, Order, Touch};
use gordian_model::clock::ClockId;
use gordian_model::{Act, ThreadId};

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

    /// [Open](Touch::open) touches, and one more.
    fn open(open: u64, step: usize, act: Act) -> u64;
}

/// A bit for each step.
#[derive(Clone, Copy, Default)]
pub(super) struct Bits(u64);

impl Bits {
    /// What a step knows of those before it, if that is all it knows with itself.
    pub(super) fn before(past: u64, step: usize) -> Bits {
        Bits(past & !(1 << step))
    }

    /// The same with the step itself.
    pub(super) fn with(self, step: usize) -> u64 {
        self.0 | 1 << step
    }
}

impl Past for Bits {
    #[inline(always)]
    fn after(order: &mut Order, before: u32) -> Bits {
        Bits(order.events.get(before as usize).map_or(0, |step| step.past))
    }

    #[inline(always)]
    fn learn(&mut self, order: &mut Order, step: u32) {
        self.0 |= order.event(step as usize).past;
    }

    #[inline(always)]
    fn learn_of(&mut self, order: &mut Order, touch: &Touch) {
        self.0 |= order.event(touch.step as usize).past;
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
        event.past = self.with(order.events.len());
    }

    #[inline(always)]
    fn open(open: u64, step: usize, act: Act) -> u64 {
        1 << step | if act.is_total() { 0 } else { open }
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
        let event = &order.events[touch.step as usize];
        order.clocks.get(self.0, event.thread) >= event.nth
    }

    fn write(self, order: &mut Order, event: &mut Event) {
        event.nth = order.nth_after(event.before);
        event.clock = self.0;
        order.clocks.set(self.0, event.thread, event.nth);
    }

    fn open(_: u64, _: usize, _: Act) -> u64 {
        0
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
