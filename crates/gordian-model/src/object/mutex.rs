//! Mutual exclusion, with poisoning and a `try_lock` that really fails.

use super::{Cx, Did, Holder, Model, Object, Outcomes};
use crate::access::Act;
use crate::clock::ClockId;
use crate::id::ThreadId;
use crate::op::{Op, OpKind};
use crate::plan::Options;
use crate::reply::Reply;
use smallvec::SmallVec;

/// A mutex.
#[derive(Clone, Debug, Default)]
pub struct Mutex {
    owner: Option<Holder>,
    poisoned: bool,
    published: ClockId,
}

impl Mutex {
    /// A mutex that nobody holds.
    pub fn new() -> Mutex {
        Mutex::default()
    }

    /// Can it be taken?
    pub fn is_free(&self) -> bool {
        self.owner.is_none()
    }

    /// Who holds it.
    pub fn owner(&self) -> Option<ThreadId> {
        self.owner.map(|(thread, _)| thread)
    }

    /// Was it given back with a mark that every taker sees?
    pub fn is_poisoned(&self) -> bool {
        self.poisoned
    }

    /// What taking or giving back a mutex without poison does when no clocks are kept.
    #[inline(always)]
    pub(crate) fn quickly(&mut self, thread: ThreadId, op: &Op) -> Option<Did> {
        let changed = |act| Some(Did { value: 0, act, ok: true, changed: true });
        let act = match op.kind {
            OpKind::Lock if !self.poisoned => Act::Take,
            OpKind::Unlock if op.arg == 0 => {
                self.owner = None;
                return changed(Act::Free);
            }
            OpKind::TryLock if self.owner.is_some() => {
                return Some(Did { value: 0, act: Act::Probe, ok: false, changed: false });
            }
            OpKind::TryLock if !self.poisoned => Act::TryTake,
            _ => return None,
        };
        debug_assert!(self.owner.is_none());
        self.owner = Some((thread, op.site));
        changed(act)
    }

    pub(super) fn take(&mut self, op: &Op, act: Act, cx: &mut Cx<'_>, id: crate::ObjectId) -> Reply {
        debug_assert!(self.owner.is_none());
        self.owner = Some((cx.thread, op.site));
        cx.sync.acquire(cx.thread, self.published);
        cx.touch(id, act, 0);
        Reply::DONE.flagged(self.poisoned)
    }

    pub(super) fn free(&mut self, cx: &mut Cx<'_>, id: crate::ObjectId) {
        self.owner = None;
        cx.sync.release(cx.thread, &mut self.published);
        cx.touch(id, Act::Free, 0);
    }
}

impl Model for Mutex {
    #[inline]
    fn outcomes(&self, _: ThreadId, op: &Op, _: Option<&Object>, _: &Options) -> Outcomes {
        match op.kind {
            OpKind::LockTimed if !self.is_free() => Outcomes::Expiring,
            kind => Outcomes::ready_if(kind != OpKind::Lock || self.is_free()),
        }
    }

    #[inline]
    fn carry_out(&mut self, op: &Op, _: u32, cx: &mut Cx<'_>) -> Reply {
        let id = cx.object;
        match op.kind {
            OpKind::Lock => self.take(op, Act::Take, cx, id),
            // One that might have timed out has tried, and no more.
            OpKind::TryLock | OpKind::LockTimed if self.is_free() => self.take(op, Act::TryTake, cx, id),
            OpKind::TryLock | OpKind::LockTimed => {
                cx.act(Act::Probe);
                Reply::FAILED
            }
            OpKind::Unlock => {
                self.poisoned |= op.arg != 0;
                self.free(cx, id);
                Reply::DONE
            }
            OpKind::IsPoisoned => {
                cx.act(Act::Probe);
                Reply::DONE.flagged(self.poisoned)
            }
            OpKind::ClearPoison => {
                self.poisoned = false;
                cx.act(Act::Mark);
                Reply::DONE
            }
            _ => unreachable!("{:?} on a mutex", op.kind),
        }
    }

    fn holders(&self) -> SmallVec<[Holder; 2]> {
        self.owner.into_iter().collect()
    }
}
