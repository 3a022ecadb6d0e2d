//! One-time initialisation: `Once`, `OnceLock`, `LazyLock`.

use super::{Cx, Holder, Model, Object, Outcomes};
use crate::access::Act;
use crate::clock::ClockId;
use crate::id::ThreadId;
use crate::op::{Op, OpKind};
use crate::plan::Options;
use crate::reply::Reply;
use smallvec::SmallVec;

/// How far an initialisation has come.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum OnceState {
    /// Not begun, or begun and given up.
    #[default]
    Fresh,
    /// Somebody is at it.
    Running(Holder),
    /// Done.
    Complete,
    /// The initialiser panicked.
    Poisoned,
}

/// A one-time initialisation.
#[derive(Clone, Debug, Default)]
pub struct Once {
    state: OnceState,
    published: ClockId,
}

impl Once {
    /// `arg` of `OnceEnd`: done.
    pub const COMPLETED: u64 = 0;
    /// `arg` of `OnceEnd`: the initialiser panicked and nobody may try again.
    pub const POISONED: u64 = 1;
    /// `arg` of `OnceEnd`: the initialiser gave up and somebody else may try.
    pub const ABANDONED: u64 = 2;

    /// An initialisation that has not begun.
    pub fn new() -> Once {
        Once::default()
    }

    /// One that was done before anybody could look.
    pub fn completed() -> Once {
        Once { state: OnceState::Complete, ..Once::default() }
    }

    /// Is it done? For exclusive access, which is no step.
    pub fn is_completed(&self) -> bool {
        self.state == OnceState::Complete
    }

    /// Did the initialiser panic? For exclusive access, which is no step.
    pub fn is_poisoned(&self) -> bool {
        self.state == OnceState::Poisoned
    }
}

impl Model for Once {
    fn outcomes(&self, _: ThreadId, op: &Op, _: Option<&Object>, _: &Options) -> Outcomes {
        Outcomes::ready_if(match op.kind {
            OpKind::OnceBegin => !matches!(self.state, OnceState::Running(_)),
            OpKind::OnceWait => match self.state {
                OnceState::Complete => true,
                OnceState::Poisoned => op.arg == 0,
                _ => false,
            },
            _ => true,
        })
    }

    /// `OnceBegin`: `ok` means "do it"; otherwise it is complete, or poisoned (flag) unless `arg` says that
    /// poison is no hindrance. `flag` with `ok`: it was poisoned before.
    fn carry_out(&mut self, op: &Op, _: u32, cx: &mut Cx<'_>) -> Reply {
        match op.kind {
            OpKind::OnceBegin => {
                cx.acquire(self.published);
                let poisoned = self.state == OnceState::Poisoned;
                match self.state {
                    OnceState::Complete => {
                        cx.act(Act::Saw);
                        Reply::FAILED
                    }
                    OnceState::Poisoned if op.arg == 0 => {
                        cx.act(Act::Saw);
                        Reply::FAILED.flagged(true)
                    }
                    _ => {
                        self.state = OnceState::Running((cx.thread, op.site));
                        cx.act(Act::Take);
                        Reply::DONE.flagged(poisoned)
                    }
                }
            }
            OpKind::OnceWait => {
                cx.acquire(self.published);
                cx.act(Act::Saw);
                Reply::DONE.flagged(self.state == OnceState::Poisoned)
            }
            OpKind::OnceEnd => {
                self.state = match op.arg {
                    Once::COMPLETED => OnceState::Complete,
                    Once::POISONED => OnceState::Poisoned,
                    _ => OnceState::Fresh,
                };
                cx.release(&mut self.published);
                cx.act(Act::Free);
                if self.state != OnceState::Fresh {
                    cx.touch(cx.object, Act::Exit, u32::from(self.state == OnceState::Complete));
                }
                Reply::DONE
            }
            OpKind::OncePeek => {
                let complete = self.state == OnceState::Complete;
                if complete {
                    cx.acquire(self.published);
                }
                cx.act(Act::Probe);
                Reply { ok: complete, ..Reply::DONE }.flagged(self.state == OnceState::Poisoned)
            }
            _ => unreachable!("{:?} on a once", op.kind),
        }
    }

    fn holders(&self) -> SmallVec<[Holder; 2]> {
        match self.state {
            OnceState::Running(holder) => SmallVec::from_slice(&[holder]),
            _ => SmallVec::new(),
        }
    }
}
