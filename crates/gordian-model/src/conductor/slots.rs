//! Where the objects of an execution are kept, and how an op on one is carried out.

use crate::access::{Accesses, Act};
use crate::id::{ObjectId, ThreadId};
use crate::object::{Cx, Did, Life, Model, Object, Synchronisation};
use crate::op::{Op, OpKind};
use crate::plan::Options;
use crate::reply::Reply;

/// The slot of an object.
#[inline(always)]
pub(super) fn slot_of<'a>(slots: &'a mut [Slot], lives: &'a mut [Slot], object: ObjectId) -> &'a mut Slot {
    match object.as_life() {
        Some(thread) => &mut lives[thread.index()],
        None => &mut slots[object.index()],
    }
}

#[derive(Debug)]
pub(super) struct Slot {
    pub(super) model: Object,
    /// Threads whose announced op here depends on the state.
    pub(super) pending: Vec<ThreadId>,
    /// Idle threads that wait for a change here.
    pub(super) watchers: Vec<ThreadId>,
    pub(super) version: u32,
}

impl Slot {
    pub(super) fn new(model: Object) -> Slot {
        Slot { model, pending: Vec::new(), watchers: Vec::new(), version: 0 }
    }

    /// Carries out an op on an atomic or a mutex, while no clocks are kept, if it is so simple. Nothing has changed if not.
    #[inline(always)]
    pub(super) fn quickly(&mut self, thread: ThreadId, op: &Op) -> Option<Did> {
        match &mut self.model {
            Object::Atomic(atomic) => atomic.quickly(op),
            Object::Mutex(mutex) => mutex.quickly(thread, op),
            _ => None,
        }
    }

    /// Is the state another than before an act that gave this value? Writing the value that was there already (a swap that
    /// finds a lock taken) orders memory, but is nothing that anybody waits for.
    #[inline(always)]
    pub(super) fn was_changed(&self, act: Act, value: u64) -> bool {
        match &self.model {
            Object::Atomic(atomic) if act == Act::Write => atomic.value() != value,
            _ => !act.is_read(),
        }
    }

    /// Does anybody wait for it to change?
    #[inline(always)]
    pub(super) fn is_awaited(&self) -> bool {
        !self.pending.is_empty() || !self.watchers.is_empty()
    }

    #[inline]
    pub(super) fn no_longer_pending(&mut self, thread: ThreadId) {
        if let Some(i) = self.pending.iter().position(|&t| t == thread) {
            self.pending.swap_remove(i);
        }
    }

    /// The life of a thread begins again.
    #[inline(always)]
    pub(super) fn revive(&mut self) {
        match &mut self.model {
            // Nothing has to be dropped.
            Object::Life(life) => *life = Life::new(),
            _ => unreachable!("the life of a thread is nothing else"),
        }
        self.begin_again();
    }

    #[inline(always)]
    pub(super) fn renew(&mut self, model: Object) {
        self.model = model;
        self.begin_again();
    }

    /// Nobody waits for the object, which is a new one.
    #[inline(always)]
    pub(super) fn begin_again(&mut self) {
        self.pending.clear();
        self.watchers.clear();
        self.version = 0;
    }
}

/// The part of the conductor that carrying out an op changes.
pub(super) struct Objects<'a> {
    pub(super) options: Options,
    pub(super) slots: &'a mut [Slot],
    pub(super) lives: &'a mut [Slot],
    pub(super) sync: &'a mut Synchronisation,
}

/// The part of a conductor that carrying out an op changes. The rest of it stays free to be borrowed, which a method would not allow.
macro_rules! objects {
    ($conductor:expr) => {
        Objects {
            options: $conductor.options,
            slots: &mut $conductor.slots,
            lives: &mut $conductor.lives,
            sync: &mut $conductor.sync,
        }
    };
}
pub(super) use objects;

impl Objects<'_> {
    /// Carries out a step, whether it has an object or not.
    #[inline(always)]
    pub(super) fn make_step(
        self,
        thread: ThreadId,
        op: &Op,
        outcome: u32,
        panicking: bool,
        accesses: &mut Accesses,
    ) -> Reply {
        match op.kind {
            OpKind::Choose => Reply::value(u64::from(outcome)),
            _ if op.object == ObjectId::NONE => Reply::DONE,
            _ => self.carry_out(thread, op, outcome, panicking, accesses),
        }
    }

    #[inline]
    pub(super) fn model(&mut self, object: ObjectId) -> &mut Object {
        match object.as_life() {
            Some(thread) => &mut self.lives[thread.index()].model,
            None => &mut self.slots[object.index()].model,
        }
    }

    #[inline]
    pub(super) fn carry_out(
        mut self,
        thread: ThreadId,
        op: &Op,
        outcome: u32,
        panicking: bool,
        accesses: &mut Accesses,
    ) -> Reply {
        if op.other != ObjectId::NONE {
            return self.carry_out_with_mutex(thread, op, outcome, panicking, accesses);
        }
        let model = match op.object.as_life() {
            Some(thread) => &mut self.lives[thread.index()].model,
            None => &mut self.slots[op.object.index()].model,
        };
        let mut cx = Cx {
            thread,
            object: op.object,
            other: None,
            sync: self.sync,
            options: self.options,
            panicking,
            accesses,
        };
        model.carry_out(op, outcome, &mut cx)
    }

    /// The second object is a mutex, which is small: it is taken out while both are changed.
    pub(super) fn carry_out_with_mutex(
        &mut self,
        thread: ThreadId,
        op: &Op,
        outcome: u32,
        panicking: bool,
        accesses: &mut Accesses,
    ) -> Reply {
        let empty = Object::Mutex(crate::object::Mutex::new());
        let mut mutex = std::mem::replace(self.model(op.other), empty);
        let model = &mut self.slots[op.object.index()].model;
        let other = Some(&mut mutex);
        let mut cx = Cx {
            thread,
            object: op.object,
            other,
            sync: self.sync,
            options: self.options,
            panicking,
            accesses,
        };
        let reply = model.carry_out(op, outcome, &mut cx);
        *self.model(op.other) = mutex;
        reply
    }
}
