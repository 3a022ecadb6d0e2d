//! What all atomics have in common: a location in the model, found through a tag.

use crate::runtime::{self, Tag};
use gordian_model::object::{Atomic, Object};
use gordian_model::{ObjectId, Op, OpKind, Order, Reply, Rmw};
use std::panic::Location as Place;
use std::sync::atomic::Ordering;

/// The model's word for an ordering.
pub(crate) fn order(ordering: Ordering) -> Order {
    match ordering {
        Ordering::Relaxed => Order::Relaxed,
        Ordering::Acquire => Order::Acquire,
        Ordering::Release => Order::Release,
        Ordering::AcqRel => Order::AcqRel,
        _ => Order::SeqCst,
    }
}

/// The words of std for orderings that make no sense.
#[cold]
#[inline(never)]
#[track_caller]
fn no_such_thing(ordering: Ordering, what: &str) -> ! {
    let which = match ordering {
        Ordering::Release => "a release",
        Ordering::Acquire => "an acquire",
        _ => "an acquire-release",
    };
    panic!("there is no such thing as {which} {what}")
}

/// A location in the current execution. `first` is its value if this is its first use there.
#[derive(Clone, Copy)]
pub(crate) struct Location<'a> {
    pub(crate) tag: &'a Tag,
    pub(crate) bytes: u8,
}

impl Location<'_> {
    #[inline]
    fn object(&self, first: impl FnOnce() -> u64) -> ObjectId {
        self.tag.object(|| Object::Atomic(Atomic::new(first())))
    }

    #[inline]
    #[track_caller]
    fn op(self, kind: OpKind, first: impl FnOnce() -> u64) -> Op {
        Op { detail: self.bytes, ..Op::new(kind, self.object(first), runtime::site(Place::caller())) }
    }

    #[inline(always)]
    #[track_caller]
    pub(crate) fn load(self, first: impl FnOnce() -> u64, ordering: Ordering) -> u64 {
        if matches!(ordering, Ordering::Release | Ordering::AcqRel) {
            no_such_thing(ordering, "load");
        }
        runtime::op(Op { order: order(ordering), ..self.op(OpKind::Load, first) }).value
    }

    #[inline(always)]
    #[track_caller]
    pub(crate) fn store(self, first: impl FnOnce() -> u64, value: u64, ordering: Ordering) {
        if matches!(ordering, Ordering::Acquire | Ordering::AcqRel) {
            no_such_thing(ordering, "store");
        }
        runtime::op(Op { order: order(ordering), arg: value, ..self.op(OpKind::Store, first) });
    }

    #[inline(always)]
    #[track_caller]
    pub(crate) fn rmw(self, first: impl FnOnce() -> u64, rmw: Rmw, value: u64, ordering: Ordering) -> u64 {
        runtime::op(Op { order: order(ordering), arg: value, ..self.op(rmw.into(), first) }).value
    }

    #[inline(always)]
    #[track_caller]
    pub(crate) fn compare_exchange(
        self,
        first: impl FnOnce() -> u64,
        (current, new): (u64, u64),
        (success, failure): (Ordering, Ordering),
        weak: bool,
    ) -> Result<u64, u64> {
        if matches!(failure, Ordering::Release | Ordering::AcqRel) {
            no_such_thing(failure, "failure ordering");
        }
        let kind = if weak { OpKind::CompareExchangeWeak } else { OpKind::CompareExchange };
        let op = Op {
            order: order(success),
            failure: order(failure),
            arg: current,
            arg2: new,
            ..self.op(kind, first)
        };
        let Reply { value, ok, .. } = runtime::op(op);
        if ok { Ok(value) } else { Err(value) }
    }

    /// The value for exclusive access, if this execution has one.
    pub(crate) fn current(&self) -> Option<u64> {
        if !self.tag.is_current() {
            return None;
        }
        let object = self.object(|| unreachable!("it is registered"));
        runtime::with(|conductor, _| match conductor.object_mut(object) {
            Object::Atomic(atomic) => Some(atomic.value()),
            _ => None,
        })
    }
}
