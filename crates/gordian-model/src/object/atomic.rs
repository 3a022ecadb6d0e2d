//! Atomics of every width. Execution is sequentially consistent: a load sees the last store. What it
//! *synchronises with* is decided by the orderings.

use super::{Cx, Did, Model, Object, Outcomes, Synchronisation};
use crate::access::Act;
use crate::clock::ClockId;
use crate::id::ThreadId;
use crate::op::{Op, OpKind, Rmw};
use crate::plan::Options;
use crate::reply::Reply;

/// An atomic location.
#[derive(Clone, Debug)]
pub struct Atomic {
    value: u64,
    carried: ClockId,
}

impl Atomic {
    /// A location with its first value.
    pub fn new(value: u64) -> Atomic {
        Atomic { value, carried: ClockId::default() }
    }

    /// The value now.
    pub fn value(&self) -> u64 {
        self.value
    }

    /// Sets the value behind everybody's back: exclusive access through `&mut`.
    pub fn set(&mut self, value: u64) {
        self.value = value;
    }

    /// What the last write published.
    pub(crate) fn carried(&self) -> ClockId {
        self.carried
    }

    /// Sets the value as a thread did in code that nobody watches: as if it had read it, acquiring, and written it, releasing.
    pub(crate) fn set_unseen(&mut self, value: u64, thread: ThreadId, sync: &mut Synchronisation) {
        sync.read(thread, self.carried, true);
        sync.write(thread, &mut self.carried, true, true);
        self.value = value;
    }

    /// A write by a thread to some of its bytes, made by their own atomic, releases what it has done.
    pub(crate) fn publish(&mut self, thread: ThreadId, sync: &mut Synchronisation) {
        sync.write(thread, &mut self.carried, true, true);
    }

    /// What an op with one outcome does when no clocks are kept. Writing the value that was there already (a swap that finds a lock taken)
    /// orders memory, but is no change that anybody waits for.
    #[inline(always)]
    pub(crate) fn quickly(&mut self, op: &Op) -> Option<Did> {
        let old = self.value;
        let read = |ok| Some(Did { value: old, act: Act::Read, ok, changed: false });
        let new = match op.kind {
            OpKind::FetchAdd => Rmw::Add.apply(old, op.arg, op.detail),
            OpKind::Load => return read(true),
            OpKind::Store => op.arg,
            OpKind::CompareExchange if old == op.arg => op.arg2,
            OpKind::CompareExchange => return read(false),
            kind => kind.rmw()?.apply(old, op.arg, op.detail),
        };
        self.value = new;
        Some(Did { value: old, act: Act::Write, ok: true, changed: new != old })
    }

    #[inline]
    fn replace(&mut self, new: u64, op: &Op, cx: &mut Cx<'_>) {
        cx.sync.read(cx.thread, self.carried, op.order.acquires());
        cx.sync.write(cx.thread, &mut self.carried, op.order.releases(), true);
        cx.act(Act::Write);
        self.value = new;
    }
}

impl Model for Atomic {
    #[inline]
    fn outcomes(&self, _: ThreadId, op: &Op, _: Option<&Object>, options: &Options) -> Outcomes {
        let may_fail =
            op.kind == OpKind::CompareExchangeWeak && options.weak_failures && self.value == op.arg;
        Outcomes::Ready(if may_fail { 2 } else { 1 })
    }

    #[inline]
    fn carry_out(&mut self, op: &Op, outcome: u32, cx: &mut Cx<'_>) -> Reply {
        let old = self.value;
        match op.kind {
            OpKind::Load => {
                cx.sync.read(cx.thread, self.carried, op.order.acquires());
                cx.act(Act::Read);
            }
            OpKind::Store => {
                cx.sync.write(cx.thread, &mut self.carried, op.order.releases(), false);
                cx.act(Act::Write);
                self.value = op.arg;
            }
            OpKind::FetchAdd => self.replace(Rmw::Add.apply(old, op.arg, op.detail), op, cx),
            OpKind::CompareExchange | OpKind::CompareExchangeWeak => {
                if old == op.arg && outcome == 0 {
                    self.replace(op.arg2, op, cx);
                } else {
                    cx.sync.read(cx.thread, self.carried, op.failure.acquires());
                    cx.act(Act::Read);
                    return Reply { value: old, ..Reply::FAILED };
                }
            }
            kind => {
                let rmw = kind.rmw().expect("an op on an atomic");
                self.replace(rmw.apply(old, op.arg, op.detail), op, cx);
            }
        }
        Reply::value(old)
    }
}
