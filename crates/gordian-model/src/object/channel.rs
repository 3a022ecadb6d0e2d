//! Channels with many senders and one receiver: unbounded, bounded, and rendezvous.
//!
//! Messages are numbered, and so are the slots of a bounded channel: receiving message k frees the slot
//! that send k + capacity needs. That makes a channel two counters, and a send and a receive of different
//! messages commute. A rendezvous send is an offer that waits to be taken.
//!
//! A channel occupies three object numbers: the messages, the slots (or, for a rendezvous, the
//! acknowledgements), and who stands ready.

use super::{Cx, Model, Object, Outcomes, Touched};
use crate::access::Act;
use crate::clock::ClockId;
use crate::id::{ObjectId, ThreadId};
use crate::op::{Op, OpKind};
use crate::plan::Options;
use crate::reply::Reply;
use std::collections::VecDeque;

/// A channel.
#[derive(Clone, Debug)]
pub struct Channel {
    /// How many messages it holds; none means that it is unbounded.
    capacity: Option<u32>,
    sent: u32,
    received: u32,
    senders: u32,
    receiver: bool,
    shut_when_full: bool,
    waiting: u32,
    /// What each message that waits carries; empty where no clocks are kept.
    messages: VecDeque<ClockId>,
    slots: ClockId,
    closing: ClockId,
}

impl Channel {
    /// Object numbers that a channel takes up.
    pub const NUMBERS: u32 = 3;

    /// A channel with one sender.
    pub fn new(capacity: Option<u32>) -> Channel {
        Channel {
            capacity,
            sent: 0,
            received: 0,
            senders: 1,
            receiver: true,
            shut_when_full: false,
            waiting: 0,
            messages: VecDeque::new(),
            slots: ClockId::default(),
            closing: ClockId::default(),
        }
    }

    /// One more sender.
    pub fn add_sender(&mut self) {
        self.senders += 1;
    }

    /// Is there always room?
    pub(crate) fn is_unbounded(&self) -> bool {
        self.capacity.is_none()
    }

    /// What the usual ops on an unbounded channel do when no clocks are kept.
    #[inline]
    pub(crate) fn quickly(&mut self, op: &Op) -> Option<Touched> {
        if self.capacity.is_some() {
            return None;
        }
        let numbered = |act, number: u32| Touched::new(Reply::value(u64::from(number)), act, number);
        match op.kind {
            OpKind::Send if self.receiver => {
                self.sent += 1;
                Some(numbered(Act::Put, self.sent - 1))
            }
            OpKind::Receive if self.is_empty() => {
                Some(Touched::new(Reply::FAILED.flagged(true), Act::Closed, 0))
            }
            OpKind::Receive => {
                self.received += 1;
                Some(numbered(Act::Get, self.received - 1))
            }
            OpKind::DropSender => {
                self.senders -= 1;
                Some(Touched::new(Reply::DONE, Act::Close, 0))
            }
            OpKind::DropReceiver => {
                self.receiver = false;
                Some(Touched::new(Reply::DONE, Act::Shut, 0))
            }
            _ => None,
        }
    }

    fn is_rendezvous(&self) -> bool {
        self.capacity == Some(0)
    }

    fn is_full(&self) -> bool {
        match self.capacity {
            None | Some(0) => false,
            Some(capacity) => self.sent - self.received >= capacity,
        }
    }

    fn is_empty(&self) -> bool {
        self.sent == self.received
    }

    fn put(&mut self, blocking: bool, cx: &mut Cx<'_>) -> Reply {
        let number = self.sent;
        if cx.options.clocks {
            let mut clock = ClockId::default();
            cx.release(&mut clock);
            self.messages.push_back(clock);
        }
        cx.touch(cx.object, Act::Put, number);
        match self.capacity {
            None => {}
            Some(0) => cx.touch(ready(cx.object), Act::Write, 0),
            Some(_) => {
                cx.acquire(self.slots);
                cx.touch(slots(cx.object), if blocking { Act::Get } else { Act::TryGet }, number);
            }
        }
        self.sent += 1;
        Reply::value(u64::from(number))
    }

    fn get(&mut self, blocking: bool, cx: &mut Cx<'_>) -> Reply {
        let number = self.received;
        if let Some(clock) = self.messages.pop_front() {
            cx.acquire(clock);
        }
        cx.touch(cx.object, if blocking { Act::Get } else { Act::TryGet }, number);
        if let Some(capacity) = self.capacity {
            cx.release(&mut self.slots);
            let act = if capacity == 0 { Act::Arrive } else { Act::Put };
            cx.touch(slots(cx.object), act, number + capacity);
        }
        self.received += 1;
        Reply::value(u64::from(number))
    }

    fn refuse(&self, cx: &mut Cx<'_>, waited: bool) -> Reply {
        cx.act(if waited { Act::RefusedFull } else { Act::Refused });
        Reply::FAILED.flagged(true)
    }
}

fn slots(object: ObjectId) -> ObjectId {
    ObjectId(object.0 + 1)
}

fn ready(object: ObjectId) -> ObjectId {
    ObjectId(object.0 + 2)
}

impl Model for Channel {
    fn outcomes(&self, _: ThreadId, op: &Op, _: Option<&Object>, _: &Options) -> Outcomes {
        match op.kind {
            OpKind::Send => Outcomes::ready_if(!self.receiver || !self.is_full()),
            OpKind::SendTaken => Outcomes::ready_if(!self.receiver || self.received > op.arg as u32),
            OpKind::Receive => Outcomes::ready_if(!self.is_empty() || self.senders == 0),
            OpKind::ReceiveTimed if self.is_empty() && self.senders > 0 => Outcomes::Expiring,
            _ => Outcomes::Ready(1),
        }
    }

    /// Replies: `ok` for success; a failure with the flag set means that the other end is gone.
    fn carry_out(&mut self, op: &Op, _: u32, cx: &mut Cx<'_>) -> Reply {
        match op.kind {
            OpKind::Send if !self.receiver => {
                if self.shut_when_full {
                    // It depends on who else took the last slot.
                    cx.touch(slots(cx.object), Act::Empty, 0);
                }
                self.refuse(cx, self.shut_when_full)
            }
            OpKind::Send => self.put(true, cx),
            OpKind::TrySend if !self.receiver => self.refuse(cx, false),
            OpKind::TrySend if self.is_rendezvous() => {
                if self.waiting > self.sent - self.received {
                    self.put(false, cx)
                } else {
                    cx.act(Act::Refused);
                    cx.touch(ready(cx.object), Act::Read, 0);
                    Reply::FAILED
                }
            }
            OpKind::TrySend if self.is_full() => {
                cx.touch(slots(cx.object), Act::Empty, 0);
                cx.act(Act::Refused);
                Reply::FAILED
            }
            OpKind::TrySend => self.put(false, cx),
            OpKind::SendTaken if self.received > op.arg as u32 => {
                cx.acquire(self.slots);
                cx.touch(slots(cx.object), Act::Leave, op.arg as u32);
                Reply::DONE
            }
            OpKind::SendTaken => self.refuse(cx, true),
            OpKind::ReceiverWaits => {
                self.waiting += 1;
                cx.touch(ready(cx.object), Act::Write, 0);
                Reply::DONE
            }
            OpKind::Receive => {
                self.waiting = self.waiting.saturating_sub(u32::from(self.is_rendezvous()));
                if self.is_empty() {
                    cx.acquire(self.closing);
                    cx.act(Act::Closed);
                    Reply::FAILED.flagged(true)
                } else {
                    self.get(true, cx)
                }
            }
            OpKind::TryReceive | OpKind::ReceiveTimed => {
                let timed = op.kind == OpKind::ReceiveTimed;
                if self.is_rendezvous() {
                    self.waiting -= u32::from(timed);
                    // What `try_send` looks at is who waits beyond the offers that stand.
                    if timed == self.is_empty() {
                        cx.touch(ready(cx.object), Act::Write, 0);
                    }
                }
                if self.is_empty() {
                    let gone = self.senders == 0;
                    if gone {
                        cx.acquire(self.closing);
                    }
                    cx.act(Act::Empty);
                    Reply::FAILED.flagged(gone)
                } else {
                    self.get(false, cx)
                }
            }
            OpKind::DropSender => {
                self.senders -= 1;
                cx.release(&mut self.closing);
                cx.act(Act::Close);
                Reply::DONE
            }
            OpKind::DropReceiver => {
                self.receiver = false;
                self.shut_when_full = self.is_full();
                while let Some(clock) = self.messages.pop_front() {
                    cx.acquire(clock);
                }
                cx.act(Act::Shut);
                Reply::DONE
            }
            _ => unreachable!("{:?} on a channel", op.kind),
        }
    }
}
