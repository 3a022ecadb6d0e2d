//! Reference counts. Counting up commutes with counting up and down as long as nobody looks. Giving up strong
//! references does not commute, because the last one drops the value; that only the last matters cannot be used,
//! because which one it is depends on the order.

use super::{Cx, Model, Object, Outcomes};
use crate::access::Act;
use crate::clock::ClockId;
use crate::id::ThreadId;
use crate::op::{Op, OpKind};
use crate::plan::Options;
use crate::reply::Reply;

/// The counts of a shared value.
#[derive(Clone, Debug)]
pub struct Arc {
    strong: u32,
    weak: u32,
    published: ClockId,
}

impl Arc {
    /// `detail`: the weak count is meant.
    pub const WEAK: u8 = 1;
    /// `detail` of `CountTest`: take the value out if it is the only strong reference.
    pub const UNWRAP: u8 = 2;
    /// `detail` of `CountTest`: only look.
    pub const PEEK: u8 = 4;

    /// A value with one strong reference.
    pub fn new() -> Arc {
        Arc { strong: 1, weak: 0, published: ClockId::default() }
    }

    /// A value under construction, with one weak reference (`Arc::new_cyclic`).
    pub fn under_construction() -> Arc {
        Arc { strong: 0, weak: 1, published: ClockId::default() }
    }

    /// Counts up or down, and says whether that was the last strong reference.
    #[inline]
    pub(crate) fn count(&mut self, weak: bool, up: bool) -> bool {
        let count = if weak { &mut self.weak } else { &mut self.strong };
        *count = if up { *count + 1 } else { *count - 1 };
        !weak && *count == 0
    }

    /// Strong references left.
    pub fn strong(&self) -> u32 {
        self.strong
    }

    /// Weak references left.
    pub fn weak(&self) -> u32 {
        self.weak
    }

    /// The value comes to life (`Arc::new_cyclic`).
    pub fn complete(&mut self) {
        self.strong = 1;
    }
}

impl Default for Arc {
    fn default() -> Self {
        Arc::new()
    }
}

impl Model for Arc {
    fn outcomes(&self, _: ThreadId, _: &Op, _: Option<&Object>, _: &Options) -> Outcomes {
        Outcomes::Ready(1)
    }

    fn carry_out(&mut self, op: &Op, _: u32, cx: &mut Cx<'_>) -> Reply {
        let weak = op.detail & Arc::WEAK != 0;
        match op.kind {
            OpKind::CountUp => {
                *if weak { &mut self.weak } else { &mut self.strong } += 1;
                cx.act(Act::Count);
                Reply::DONE
            }
            OpKind::CountDown if weak => {
                self.weak -= 1;
                cx.release(&mut self.published);
                cx.act(Act::Count);
                Reply::DONE
            }
            OpKind::CountDown => {
                self.strong -= 1;
                cx.release(&mut self.published);
                if self.strong == 0 {
                    cx.acquire(self.published);
                }
                cx.act(Act::Down);
                Reply::DONE.flagged(self.strong == 0)
            }
            OpKind::CountRead => {
                cx.act(Act::CountRead);
                Reply::value(u64::from(if weak { self.weak } else { self.strong }))
            }
            OpKind::CountTest => {
                let unwrap = op.detail & Arc::UNWRAP != 0;
                let unique = self.strong == 1 && (unwrap || self.weak == 0);
                if unique {
                    cx.acquire(self.published);
                }
                if unique && unwrap {
                    self.strong = 0;
                    cx.act(Act::CountWrite);
                } else {
                    cx.act(Act::CountRead);
                }
                Reply { ok: unique, ..Reply::value(u64::from(self.strong)) }
            }
            OpKind::Upgrade if self.strong > 0 => {
                self.strong += 1;
                cx.act(Act::CountWrite);
                Reply::DONE
            }
            OpKind::Upgrade => {
                cx.act(Act::CountRead);
                Reply::FAILED
            }
            _ => unreachable!("{:?} on an arc", op.kind),
        }
    }
}
