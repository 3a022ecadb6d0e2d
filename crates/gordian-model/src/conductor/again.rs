//! The shortest path there is: an op on an atomic or a mutex, by the thread that goes on, in the beginning that an execution shares with the
//! one before it. In long executions that is about half of all steps. The op need not be written down nor announced, since it happens at once: it is
//! [`announce`](Conductor::announce), [`decide`](Conductor::decide) and [`perform`](Conductor::perform) in one.

use super::Conductor;
use crate::access::{Access, only};
use crate::id::{ObjectId, SiteId, ThreadId};
use crate::object::Did;
use crate::op::{Op, OpKind};

/// What became of an op that may have been the next step of the last execution.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Again {
    /// It is another, or not so simple; nothing was done.
    Not,
    /// It was carried out, and failed.
    Failed,
    /// It was carried out.
    Done,
}

impl Conductor {
    /// Is the next step one that this thread made in the last execution? Then its op may be carried out [again](Self::again).
    #[inline(always)]
    pub fn expects(&self, thread: ThreadId, kind: OpKind) -> bool {
        kind.is_frequent()
            && self.recalling
            && self.trace.steps.known(self.shared).is_some_and(|step| step.thread == thread)
    }

    /// Carries out the op, of the thread that is [expected](Self::expects), if the last execution did so here; and gives what it read.
    /// (Both what is taken and what is given fit into registers, an op and a reply would not. Loads are most of all that programs
    /// repeat, and need the least.)
    #[inline(always)]
    pub fn again(&mut self, op: &Op) -> (u64, Again) {
        match op.kind {
            OpKind::Load => self.load_again(op.object, op.site),
            OpKind::Store => self.store_again(op.object, op.site, op.arg, op.detail),
            OpKind::CompareExchange => self.exchange_again(op.object, op.site, op.arg, op.arg2, op.detail),
            kind => {
                self.do_again(kind as u32 | u32::from(op.detail) << 8, op.object, op.site, op.arg, op.arg2)
            }
        }
    }

    #[inline(never)]
    fn load_again(&mut self, object: ObjectId, site: SiteId) -> (u64, Again) {
        self.again_as(Op::new(OpKind::Load, object, site))
    }

    #[inline(never)]
    fn store_again(&mut self, object: ObjectId, site: SiteId, arg: u64, detail: u8) -> (u64, Again) {
        self.again_as(Op { detail, arg, ..Op::new(OpKind::Store, object, site) })
    }

    #[inline(never)]
    fn exchange_again(
        &mut self,
        object: ObjectId,
        site: SiteId,
        arg: u64,
        arg2: u64,
        detail: u8,
    ) -> (u64, Again) {
        self.again_as(Op { detail, arg, arg2, ..Op::new(OpKind::CompareExchange, object, site) })
    }

    #[inline(never)]
    fn do_again(&mut self, what: u32, object: ObjectId, site: SiteId, arg: u64, arg2: u64) -> (u64, Again) {
        let Some(step) = self.trace.steps.known(self.shared) else { return (0, Again::Not) };
        if step.kind as u8 != what as u8 {
            return (0, Again::Not);
        }
        let detail = (what >> 8) as u8;
        self.again_as(Op { detail, arg, arg2, ..Op::new(step.kind, object, site) })
    }

    #[inline(always)]
    fn again_as(&mut self, op: Op) -> (u64, Again) {
        let not = (0, Again::Not);
        let at = self.trace.len();
        let Some(step) = self.trace.steps.known_mut(self.shared) else { return not };
        let Op { kind, object, site, .. } = op;
        if (step.kind, step.object, step.site) != (kind, object, site) || self.options.clocks {
            return not;
        }
        let thread = step.thread;
        let Some(me) = self.threads.get_mut(thread.index()) else { return not };
        let Some(slot) = self.slots.get_mut(object.index()) else { return not };
        // A thread whose state is compared, or will be, keeps off its stack.
        if me.spin.is_probed() || (!op.is_plain() && me.spin.is_at_anchor(&op)) {
            return not;
        }
        let Some(did) = slot.quickly(thread, &op) else { return not };
        if !op.is_plain() {
            me.spin.passes(&op);
        }
        me.goes_again(at);
        step.arg = op.arg;
        let same = me.did_again(step, slot, object, did);
        let Did { value, act, ok, .. } = did;
        self.trace.steps.again();
        self.current = thread;
        if !same {
            self.part_at(at, only(Access { object, act, seq: 0 }));
        }
        (value, if ok { Again::Done } else { Again::Failed })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::conductor::Decision;
    use crate::object::{Atomic, Mutex};
    use crate::plan::Plan;
    use crate::reply::Reply;

    const ATOMIC: ObjectId = ObjectId(0);
    const MUTEX: ObjectId = ObjectId(1);

    /// What one thread does, and what is seen of the conductor after each step. The atomic has this value at first.
    fn run(conductor: &mut Conductor, plan: &Plan, first: u64, shortest: bool) -> Vec<(Reply, String)> {
        let ops = [
            (OpKind::Load, ATOMIC, 0),
            (OpKind::CompareExchange, ATOMIC, 0),
            (OpKind::Store, ATOMIC, 7),
            (OpKind::Store, ATOMIC, 1),
            (OpKind::Load, ATOMIC, 0),
            (OpKind::Swap, ATOMIC, 1),
            (OpKind::CompareExchange, ATOMIC, 1),
            (OpKind::CompareExchange, ATOMIC, 1),
            (OpKind::FetchAdd, ATOMIC, 255),
            (OpKind::Lock, MUTEX, 0),
            (OpKind::TryLock, MUTEX, 0),
            (OpKind::Unlock, MUTEX, 0),
            (OpKind::TryLock, MUTEX, 0),
            (OpKind::Unlock, MUTEX, 0),
            (OpKind::FetchMin, ATOMIC, 2),
            (OpKind::Store, ATOMIC, 9),
            (OpKind::Load, ATOMIC, 0),
            (OpKind::Load, ATOMIC, 0),
        ];
        let last = ops.len() - 1;
        conductor.begin(plan);
        conductor.create(Atomic::new(first).into(), SiteId::UNKNOWN);
        conductor.create(Mutex::new().into(), SiteId::UNKNOWN);
        let announce = |conductor: &mut Conductor, thread, op: &Op| {
            conductor.announce(thread, op);
            assert_eq!(conductor.decide(), Decision::Run(thread));
            conductor.perform(thread)
        };
        announce(conductor, ThreadId::MAIN, &Op::new(OpKind::Load, ATOMIC, SiteId(7)));
        let me = conductor.spawn(ThreadId::MAIN);
        assert!(!conductor.join(ThreadId::MAIN, me, SiteId::UNKNOWN));
        let each = ops.into_iter().enumerate().map(|(i, (kind, object, arg))| {
            // The two loads at the end are at one place: there a loop may have gone round.
            let site = SiteId(1 + i.min(last - 1) as u32);
            let op = Op { arg, arg2: 1, detail: 1, ..Op::new(kind, object, site) };
            let simple = shortest && conductor.recalling && i < last;
            let again = match shortest && conductor.expects(me, kind) {
                true => conductor.again(&op),
                false => (0, Again::Not),
            };
            let reply = match again {
                (_, Again::Not) => announce(conductor, me, &op),
                (value, done) => {
                    conductor.draft(me, op);
                    Reply { value, ok: done == Again::Done, ..Reply::DONE }
                }
            };
            assert_eq!(again.1 != Again::Not, simple, "{i}");
            (reply, format!("{conductor:?}"))
        });
        each.collect()
    }

    #[test]
    fn what_is_done_again_at_once_is_what_is_announced() {
        let mut recorded = Conductor::default();
        run(&mut recorded, &Plan::default(), 0, false);
        let again = Plan { prefix: recorded.trace.choices().collect(), ..Plan::default() };
        // With another value at first a compare-and-swap goes otherwise, which ends the beginning that is shared.
        for first in [0, 0, 1, 0] {
            let [at_once, announced] = [true, false].map(|shortest| {
                let mut conductor = Conductor::default();
                run(&mut conductor, &Plan::default(), 0, false);
                run(&mut conductor, &again, first, shortest)
            });
            for (at_once, announced) in at_once.iter().zip(&announced) {
                assert_eq!(at_once, announced);
            }
            let shared = !announced.last().expect("some").1.contains("recalling: false");
            assert_eq!(shared, first == 0);
        }
    }
}
