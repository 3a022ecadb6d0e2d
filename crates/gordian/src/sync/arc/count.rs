//! One counted reference, as the model sees it.

use crate::runtime;
use gordian_model::object::{Arc as Model, Object};
use gordian_model::{ObjectId, Op, OpKind, Reply};
use std::panic::Location;

/// The share of one reference in the counts of its value. Dropping it counts down.
///
/// Counting commutes as long as nobody looks, so it is a step of its own only when the program looks at a count
/// somewhere. To see which reference is the last is to look as well, so dropping the value counts as looking if
/// it does anything that others can see. A search begins without such steps and starts again when one is needed.
pub(super) struct Count {
    /// The execution it belongs to; zero if it is not tracked.
    epoch: u64,
    object: ObjectId,
    weak: bool,
    /// Dropping the value runs code.
    matters: bool,
}

impl Count {
    /// A reference that no check sees.
    pub(super) const UNTRACKED: Count =
        Count { epoch: 0, object: ObjectId::NONE, weak: false, matters: false };

    /// The first strong reference to a new value.
    #[track_caller]
    pub(super) fn new(matters: bool) -> Count {
        Count::create(Model::new(), false, matters)
    }

    /// A weak reference to a value that is still being made.
    #[track_caller]
    pub(super) fn under_construction(matters: bool) -> Count {
        Count::create(Model::under_construction(), true, matters)
    }

    #[track_caller]
    fn create(model: Model, weak: bool, matters: bool) -> Count {
        if !runtime::active() {
            return Count::UNTRACKED;
        }
        let site = runtime::site(Location::caller());
        let object = runtime::create(Object::Arc(model), site);
        Count { epoch: runtime::epoch(), object, weak, matters }
    }

    /// The strong reference that ends the construction begun with [`under_construction`](Self::under_construction).
    pub(super) fn completed(&self) -> Count {
        if self.epoch != 0 {
            self.model(Model::complete);
        }
        Count { weak: false, ..*self }
    }

    /// The share of a reference that was a raw pointer for a while.
    pub(super) fn from_raw(address: usize, weak: bool, matters: bool) -> Count {
        let found = raw_at(address, true);
        match found {
            Some(object) => Count { epoch: runtime::epoch(), object, weak, matters },
            None => Count::UNTRACKED,
        }
    }

    /// A reference becomes a raw pointer.
    pub(super) fn into_raw(self, address: usize) {
        if self.is_current() {
            let object = self.object.0;
            runtime::shared(|shared, _| shared.raw.push((address, object)));
        }
        self.forget();
    }

    /// A reference that exists only as a raw pointer gets a sibling. Does nothing if it is not tracked.
    #[track_caller]
    pub(super) fn duplicate_raw(address: usize) {
        if let Some(object) = raw_at(address, false) {
            let count = Count { epoch: runtime::epoch(), object, weak: false, matters: true };
            count.another(false).into_raw(address);
            count.forget();
        }
    }

    /// Moves it out of an `Arc` that is taken apart.
    pub(super) fn take(&mut self) -> Count {
        std::mem::replace(self, Count::UNTRACKED)
    }

    /// Leaves the counts as they are.
    pub(super) fn forget(self) {
        std::mem::forget(self);
    }

    /// The reference leaves what the check sees, without a step.
    pub(super) fn leave(self) {
        if self.is_current() {
            runtime::settle();
            let op = self.op(OpKind::CountDown, 0);
            runtime::with(|conductor, me| conductor.silently(me, &op));
        }
        self.forget();
    }

    pub(super) fn is_tracked(&self) -> bool {
        self.epoch != 0
    }

    fn is_current(&self) -> bool {
        self.epoch != 0 && self.epoch == runtime::epoch()
    }

    #[track_caller]
    fn op(&self, kind: OpKind, detail: u8) -> Op {
        let detail = detail | if self.weak { Model::WEAK } else { 0 };
        Op { detail, ..Op::new(kind, self.object, runtime::site(Location::caller())) }
    }

    fn model<R>(&self, f: impl FnOnce(&mut Model) -> R) -> R {
        runtime::with(|conductor, _| match conductor.object_mut(self.object) {
            Object::Arc(model) => f(model),
            _ => unreachable!("a count belongs to an arc"),
        })
    }

    /// Weak references that are left.
    pub(super) fn weak_left(&self) -> u32 {
        self.model(|model| model.weak())
    }

    /// Strong references that are left.
    pub(super) fn strong_left(&self) -> u32 {
        self.model(|model| model.strong())
    }

    /// Takes back that the value was taken out.
    pub(super) fn revive(&self) {
        self.model(Model::complete);
    }

    /// Counts up for another reference to the same value.
    #[track_caller]
    pub(super) fn another(&self, weak: bool) -> Count {
        if self.epoch == 0 {
            return Count::UNTRACKED;
        }
        runtime::same_execution(self.epoch, "Arc");
        let new = Count { weak, ..*self };
        let quick = runtime::with(|conductor, _| {
            let options = conductor.options();
            let quick = !options.count_steps && !options.clocks;
            if quick {
                conductor.count(new.object, weak, true);
            }
            quick
        });
        if !quick {
            new.count(OpKind::CountUp);
        }
        new
    }

    /// A step that looks at a count.
    #[track_caller]
    pub(super) fn look(&self, kind: OpKind, detail: u8) -> Reply {
        runtime::same_execution(self.epoch, "Arc");
        runtime::with(|conductor, _| conductor.note_count_seen());
        runtime::op(self.op(kind, detail))
    }

    /// Another strong reference, if the value is still there.
    #[track_caller]
    pub(super) fn upgrade(&self) -> Option<Count> {
        let strong = Count { weak: false, ..*self };
        let ok = strong.look(OpKind::Upgrade, 0).ok;
        if !ok {
            strong.forget();
            return None;
        }
        Some(strong)
    }
}

fn raw_at(address: usize, take: bool) -> Option<ObjectId> {
    if !runtime::active() {
        return None;
    }
    runtime::shared(|shared, _| {
        let i = shared.raw.iter().rposition(|r| r.0 == address)?;
        Some(ObjectId(if take { shared.raw.swap_remove(i).1 } else { shared.raw[i].1 }))
    })
}

/// The value is about to be dropped, silently.
pub(super) struct Dropping {
    visible: u32,
}

impl Dropping {
    /// The value has been dropped.
    pub(super) fn done(self) {
        runtime::with(|conductor, me| {
            if conductor.visible(me) != self.visible {
                conductor.note_count_seen();
            }
        });
    }
}

impl Count {
    /// Counts down. If the value goes now, [`Dropping::done`] is to be called after that.
    #[track_caller]
    pub(super) fn down(mut self) -> Option<Dropping> {
        let last = self.give_up();
        let matters = self.matters;
        self.forget();
        (last && matters && !runtime::is_silent())
            .then(|| runtime::with(|conductor, me| Dropping { visible: conductor.visible(me) }))
    }

    /// Was it the last strong one, without a step of its own?
    #[track_caller]
    fn give_up(&mut self) -> bool {
        if !self.is_current() {
            return false;
        }
        runtime::settle();
        let quick = runtime::with(|conductor, _| {
            let options = conductor.options();
            let quick = !options.count_steps && !options.clocks;
            quick.then(|| conductor.count(self.object, self.weak, false))
        });
        match quick {
            Some(last) => last,
            None => self.count(OpKind::CountDown),
        }
    }

    /// Counts with a step or a clock, as is needed. Without a step: was it the last strong one?
    #[track_caller]
    fn count(&self, kind: OpKind) -> bool {
        let op = self.op(kind, 0);
        if runtime::with(|conductor, _| conductor.options().count_steps) {
            runtime::op(op);
            return false;
        }
        let reply = runtime::with(|conductor, me| conductor.silently(me, &op));
        kind == OpKind::CountDown && !self.weak && reply.flag
    }
}

impl Drop for Count {
    #[track_caller]
    fn drop(&mut self) {
        self.give_up();
    }
}
