//! Many readers or one writer. Readers are let in whenever no writer holds the lock, which is the most
//! permissive of the policies that std allows.

use super::{Cx, Holder, Model, Object, Outcomes, Touched};
use crate::access::Act;
use crate::clock::ClockId;
use crate::id::ThreadId;
use crate::op::{Op, OpKind};
use crate::plan::Options;
use crate::reply::Reply;
use smallvec::SmallVec;

/// A readers-writer lock.
#[derive(Clone, Debug, Default)]
pub struct RwLock {
    writer: Option<Holder>,
    readers: SmallVec<[Holder; 2]>,
    poisoned: bool,
    by_writers: ClockId,
    by_readers: ClockId,
}

impl RwLock {
    /// A lock that nobody holds.
    pub fn new() -> RwLock {
        RwLock::default()
    }

    /// Who writes.
    pub fn writer(&self) -> Option<ThreadId> {
        self.writer.map(|(thread, _)| thread)
    }

    /// What taking and giving back does when there is no poison and no clocks are kept.
    #[inline]
    pub(crate) fn quickly(&mut self, thread: ThreadId, op: &Op) -> Option<Touched> {
        let shared = self.writer.is_none();
        let act = match op.kind {
            OpKind::ReadUnlock => {
                self.unshare(thread);
                Act::Unshare
            }
            OpKind::WriteUnlock if op.arg == 0 => {
                self.writer = None;
                Act::Free
            }
            _ if self.poisoned => return None,
            OpKind::ReadLock | OpKind::TryReadLock if shared => {
                self.readers.push((thread, op.site));
                if op.kind == OpKind::ReadLock { Act::Share } else { Act::TryShare }
            }
            OpKind::WriteLock | OpKind::TryWriteLock if self.is_free() => {
                self.writer = Some((thread, op.site));
                if op.kind == OpKind::WriteLock { Act::Take } else { Act::TryTake }
            }
            _ => return None,
        };
        Some(Touched::new(Reply::DONE, act, 0))
    }

    fn unshare(&mut self, thread: ThreadId) {
        // In C a share may be given back by another thread than the one that took it.
        let mine = self.readers.iter().position(|&(t, _)| t == thread);
        if let Some(i) = mine.or(self.readers.len().checked_sub(1)) {
            self.readers.swap_remove(i);
        }
    }

    fn share(&mut self, op: &Op, act: Act, cx: &mut Cx<'_>) -> Reply {
        self.readers.push((cx.thread, op.site));
        cx.acquire(self.by_writers);
        cx.act(act);
        Reply::DONE.flagged(self.poisoned)
    }

    fn take(&mut self, op: &Op, act: Act, cx: &mut Cx<'_>) -> Reply {
        self.writer = Some((cx.thread, op.site));
        cx.acquire(self.by_writers);
        cx.acquire(self.by_readers);
        cx.act(act);
        Reply::DONE.flagged(self.poisoned)
    }

    fn is_free(&self) -> bool {
        self.writer.is_none() && self.readers.is_empty()
    }
}

impl Model for RwLock {
    fn outcomes(&self, _: ThreadId, op: &Op, _: Option<&Object>, _: &Options) -> Outcomes {
        match op.kind {
            OpKind::ReadLock => Outcomes::ready_if(self.writer.is_none()),
            OpKind::WriteLock => Outcomes::ready_if(self.is_free()),
            OpKind::ReadLockTimed if self.writer.is_some() => Outcomes::Expiring,
            OpKind::WriteLockTimed if !self.is_free() => Outcomes::Expiring,
            _ => Outcomes::Ready(1),
        }
    }

    fn carry_out(&mut self, op: &Op, _: u32, cx: &mut Cx<'_>) -> Reply {
        match op.kind {
            OpKind::ReadLock => self.share(op, Act::Share, cx),
            OpKind::TryReadLock | OpKind::ReadLockTimed if self.writer.is_none() => {
                self.share(op, Act::TryShare, cx)
            }
            OpKind::TryReadLock | OpKind::ReadLockTimed => {
                cx.act(Act::ProbeShare);
                Reply::FAILED
            }
            OpKind::WriteLock => self.take(op, Act::Take, cx),
            OpKind::TryWriteLock | OpKind::WriteLockTimed if self.is_free() => {
                self.take(op, Act::TryTake, cx)
            }
            OpKind::TryWriteLock | OpKind::WriteLockTimed => {
                cx.act(Act::Probe);
                Reply::FAILED
            }
            OpKind::ReadUnlock => {
                self.unshare(cx.thread);
                cx.release(&mut self.by_readers);
                cx.act(Act::Unshare);
                Reply::DONE
            }
            OpKind::WriteUnlock => {
                self.poisoned |= op.arg != 0;
                self.writer = None;
                cx.release(&mut self.by_writers);
                cx.act(Act::Free);
                Reply::DONE
            }
            OpKind::Downgrade => {
                self.writer = None;
                self.readers.push((cx.thread, op.site));
                cx.release(&mut self.by_writers);
                cx.act(Act::Free);
                cx.act(Act::TryShare);
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
            _ => unreachable!("{:?} on a rwlock", op.kind),
        }
    }

    fn holders(&self) -> SmallVec<[Holder; 2]> {
        self.writer.iter().chain(&self.readers).copied().collect()
    }
}
