//! The life of a thread: its end, and the token that parks and unparks it.

use super::{Cx, Model, Object, Outcomes};
use crate::access::Act;
use crate::clock::ClockId;
use crate::id::ThreadId;
use crate::op::{Op, OpKind, Reply};
use crate::plan::Options;

/// The life of a thread.
#[derive(Clone, Debug, Default)]
pub struct Life {
    finished: bool,
    token: bool,
    at_exit: ClockId,
    with_token: ClockId,
}

impl Life {
    /// A thread that has just been born.
    pub fn new() -> Life {
        Life::default()
    }

    /// Has the thread ended?
    pub fn is_finished(&self) -> bool {
        self.finished
    }

    pub(crate) fn finish(&mut self, thread: ThreadId, sync: &mut super::Synchronisation) {
        self.finished = true;
        sync.release(thread, &mut self.at_exit);
    }

    pub(crate) fn joined(&self, by: ThreadId, sync: &mut super::Synchronisation) {
        sync.acquire(by, self.at_exit);
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
            OpKind::Join => Outcomes::Blocked,
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
