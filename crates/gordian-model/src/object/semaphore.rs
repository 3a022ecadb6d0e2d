//! Counting semaphores. Permits are numbered: the k-th acquire takes the permit that the k-th release (or
//! the beginning) put in, so a release and an acquire of different permits commute.

use super::{Cx, Model, Object, Outcomes};
use crate::access::Act;
use crate::clock::ClockId;
use crate::id::ThreadId;
use crate::op::{Op, OpKind};
use crate::plan::Options;
use crate::reply::Reply;

/// A semaphore.
#[derive(Clone, Debug)]
pub struct Semaphore {
    put: u32,
    got: u32,
    published: ClockId,
}

impl Semaphore {
    /// A semaphore with its first permits.
    pub fn new(permits: u32) -> Semaphore {
        Semaphore { put: permits, got: 0, published: ClockId::default() }
    }

    /// How many permits can be had now.
    pub fn permits(&self) -> u32 {
        self.put - self.got
    }

    /// Ends a wait that the thread can be called out of.
    fn take_or_leave(&mut self, op: &Op, cx: &mut Cx<'_>) -> Reply {
        if self.put > self.got {
            let waits = op.kind == OpKind::Acquire && !op.is_cancelled();
            self.take(if waits { Act::Get } else { Act::TryGet }, cx)
        } else {
            cx.act(Act::Empty);
            Reply::FAILED.flagged(op.is_cancelled())
        }
    }

    fn take(&mut self, act: Act, cx: &mut Cx<'_>) -> Reply {
        cx.acquire(self.published);
        cx.touch(cx.object, act, self.got);
        self.got += 1;
        Reply::DONE
    }
}

impl Model for Semaphore {
    fn outcomes(&self, _: ThreadId, op: &Op, _: Option<&Object>, _: &Options) -> Outcomes {
        match op.kind {
            OpKind::Acquire | OpKind::AcquireTimed if op.is_cancelled() => Outcomes::Ready(1),
            OpKind::AcquireTimed if self.put <= self.got => Outcomes::Expiring,
            kind => Outcomes::ready_if(kind != OpKind::Acquire || self.put > self.got),
        }
    }

    fn carry_out(&mut self, op: &Op, _: u32, cx: &mut Cx<'_>) -> Reply {
        match op.kind {
            OpKind::Acquire | OpKind::AcquireTimed if op.is_cancellable() => {
                let reply = self.take_or_leave(op, cx);
                let interrupted = op.kind == OpKind::Acquire && !reply.ok;
                cx.heed(if interrupted { Act::Interrupted } else { Act::Heed });
                reply
            }
            OpKind::Acquire => self.take(Act::Get, cx),
            OpKind::TryAcquire | OpKind::AcquireTimed if self.put > self.got => self.take(Act::TryGet, cx),
            OpKind::TryAcquire | OpKind::AcquireTimed => {
                cx.act(Act::Empty);
                Reply::FAILED
            }
            OpKind::Permits => {
                cx.act(Act::Look);
                Reply::value(u64::from(self.permits()))
            }
            OpKind::Release => {
                cx.release(&mut self.published);
                for _ in 0..op.arg {
                    cx.touch(cx.object, Act::Put, self.put);
                    self.put += 1;
                }
                Reply::DONE
            }
            _ => unreachable!("{:?} on a semaphore", op.kind),
        }
    }
}
