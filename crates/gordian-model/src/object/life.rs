//! The life of a thread: its end, the token that parks and unparks it, and whether it was asked to end.
//!
//! A thread that was asked to end finds out where it looks: at a step that does nothing else, or in a wait that it can be called out of
//! ([`Op::CANCELLABLE`]). What it waits for comes first if it is there; a wait that need not be over yet ends without it.
//! What the thread does then is up to the front end.

use super::{Cx, Model, Object, Outcomes, Touched};
use crate::access::Act;
use crate::clock::ClockId;
use crate::id::ThreadId;
use crate::op::{Op, OpKind};
use crate::plan::Options;
use crate::reply::Reply;

/// The life of a thread.
#[derive(Clone, Debug, Default)]
pub struct Life {
    finished: bool,
    token: bool,
    at_exit: ClockId,
    with_token: ClockId,
    requested: bool,
    with_request: ClockId,
}

impl Life {
    /// A thread that has just been born.
    #[inline]
    pub fn new() -> Life {
        Life::default()
    }

    /// Has the thread ended?
    pub fn is_finished(&self) -> bool {
        self.finished
    }

    /// Was the thread asked to end?
    pub fn is_cancelled(&self) -> bool {
        self.requested
    }

    /// The thread does as it was asked: it knows what those knew who asked.
    pub(crate) fn heeded(&self, thread: ThreadId, sync: &mut super::Synchronisation) {
        sync.acquire(thread, self.with_request);
    }

    #[inline]
    pub(crate) fn finish(&mut self, thread: ThreadId, sync: &mut super::Synchronisation) {
        self.finished = true;
        sync.release(thread, &mut self.at_exit);
    }

    #[inline]
    pub(crate) fn joined(&self, by: ThreadId, sync: &mut super::Synchronisation) {
        sync.acquire(by, self.at_exit);
    }

    /// What giving and taking the token does when no clocks are kept.
    #[inline]
    pub(crate) fn quickly(&mut self, op: &Op) -> Option<Touched> {
        let act = match op.kind {
            OpKind::Park => Act::Park,
            OpKind::Unpark if self.token => Act::UnparkAgain,
            OpKind::Unpark => Act::Unpark,
            _ => return None,
        };
        self.token = op.kind == OpKind::Unpark;
        Some(Touched::new(Reply::DONE, act, 0))
    }

    fn take_token(&mut self, act: Act, cx: &mut Cx<'_>) -> Reply {
        self.token = false;
        cx.acquire(self.with_token);
        cx.act(act);
        Reply::DONE
    }
}

impl Model for Life {
    fn outcomes(&self, _: ThreadId, op: &Op, _: Option<&Object>, _: &Options) -> Outcomes {
        match op.kind {
            OpKind::Join => Outcomes::ready_if(op.is_cancellable() && (self.finished || op.is_cancelled())),
            OpKind::Park => Outcomes::ready_if(self.token),
            OpKind::ParkTimed if !self.token => Outcomes::Expiring,
            _ => Outcomes::Ready(1),
        }
    }

    fn carry_out(&mut self, op: &Op, _: u32, cx: &mut Cx<'_>) -> Reply {
        match op.kind {
            OpKind::IsFinished => {
                cx.act(Act::IsFinished);
                Reply::DONE.flagged(self.finished)
            }
            // The end itself is added when the thread finishes.
            OpKind::End => Reply::DONE,
            OpKind::Park => self.take_token(Act::Park, cx),
            OpKind::ParkTimed if self.token => self.take_token(Act::ParkTimed, cx),
            OpKind::ParkTimed => {
                cx.act(Act::ParkExpired);
                Reply::FAILED
            }
            OpKind::Join => {
                let waited = self.finished && !op.is_cancelled();
                cx.act(if waited { Act::Join } else { Act::IsFinished });
                cx.heed(if self.finished { Act::Heed } else { Act::Interrupted });
                Reply { ok: self.finished, ..Reply::DONE }
            }
            OpKind::Cancel => {
                cx.release(&mut self.with_request);
                cx.act(if self.requested { Act::CancelAgain } else { Act::Cancel });
                self.requested = true;
                Reply::DONE
            }
            OpKind::TestCancel => {
                cx.act(Act::Heed);
                Reply::DONE.flagged(self.requested)
            }
            OpKind::Unpark => {
                cx.release(&mut self.with_token);
                cx.act(if self.token { Act::UnparkAgain } else { Act::Unpark });
                self.token = true;
                Reply::DONE
            }
            _ => unreachable!("{:?} on a thread", op.kind),
        }
    }
}
