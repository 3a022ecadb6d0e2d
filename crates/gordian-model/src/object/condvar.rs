//! Condition variables. Waiting is two steps: `Wait` gives the mutex back and joins the waiters, `Wake`
//! takes the mutex again once notified. Which waiter a `notify_one` wakes is an outcome, counted in
//! the order of thread names, so that the order in which threads began to wait does not matter.
//!
//! A thread that can be called out of its wait (`Op::CANCELLABLE`) gives its place among the waiters up as soon as it is called, or when
//! its time is over, whoever has the mutex. Its reply says that it was not notified and has yet to take the mutex.
//!
//! If waking for no reason is tried at all, a thread does so once until it is notified: a loop around the wait
//! would otherwise go round for ever.

use super::{Cx, Model, Object, Outcomes, Touched};
use crate::access::Act;
use crate::id::ThreadId;
use crate::op::{Op, OpKind};
use crate::plan::Options;
use crate::reply::Reply;
use smallvec::SmallVec;

/// A condition variable.
#[derive(Clone, Debug, Default)]
pub struct Condvar {
    waiting: SmallVec<[ThreadId; 4]>,
    notified: SmallVec<[(ThreadId, u32); 4]>,
    notifications: u32,
    /// Threads that woke for no reason and have not been notified since.
    startled: SmallVec<[ThreadId; 4]>,
}

impl Condvar {
    /// A condition variable that nobody waits for.
    pub fn new() -> Condvar {
        Condvar::default()
    }

    /// Has the thread been notified since it began to wait?
    pub fn is_notified(&self, thread: ThreadId) -> bool {
        self.notified.iter().any(|&(t, _)| t == thread)
    }

    /// What notifying does, which knows nothing of clocks.
    #[inline]
    pub(crate) fn quickly(&mut self, op: &Op, outcome: u32) -> Option<Touched> {
        let (count, act) = match op.kind {
            OpKind::NotifyOne | OpKind::NotifyAll if self.waiting.is_empty() => {
                return Some(Touched::new(Reply::value(0), Act::NotifyNone, 0));
            }
            OpKind::NotifyOne => {
                let woken = self.waiting.remove(outcome as usize);
                self.notifications += 1;
                self.notified.push((woken, self.notifications));
                (1, Act::Notify)
            }
            OpKind::NotifyAll => {
                self.notifications += 1;
                let count = self.waiting.len() as u64;
                self.notified.extend(self.waiting.drain(..).map(|t| (t, self.notifications)));
                (count, Act::Notify)
            }
            _ => return None,
        };
        Some(Touched::new(Reply::value(count), act, self.notifications))
    }

    fn may_startle(&self, thread: ThreadId, options: &Options) -> bool {
        options.spurious_wakeups && !self.startled.contains(&thread)
    }
}

impl Model for Condvar {
    fn outcomes(&self, thread: ThreadId, op: &Op, other: Option<&Object>, options: &Options) -> Outcomes {
        let mutex_free = || matches!(other, Some(Object::Mutex(m)) if m.is_free());
        match op.kind {
            OpKind::NotifyOne => Outcomes::Ready(self.waiting.len().max(1) as u32),
            OpKind::Wake | OpKind::WakeTimed if op.is_cancellable() && !self.is_notified(thread) => {
                let awake = op.is_cancelled() || self.may_startle(thread, options);
                match op.kind {
                    OpKind::WakeTimed if !op.is_cancelled() => Outcomes::Expiring,
                    _ => Outcomes::ready_if(awake || op.kind == OpKind::WakeTimed),
                }
            }
            OpKind::Wake => {
                let awake = self.is_notified(thread) || self.may_startle(thread, options);
                Outcomes::ready_if(awake && mutex_free())
            }
            OpKind::WakeTimed if !mutex_free() => Outcomes::Blocked,
            OpKind::WakeTimed if !self.is_notified(thread) => Outcomes::Expiring,
            _ => Outcomes::Ready(1),
        }
    }

    fn carry_out(&mut self, op: &Op, outcome: u32, cx: &mut Cx<'_>) -> Reply {
        let mutex = match cx.other.take() {
            Some(Object::Mutex(mutex)) => Some(mutex),
            _ => None,
        };
        match op.kind {
            OpKind::Wait => {
                mutex.expect("a wait names its mutex").free(cx, op.other);
                let at = self.waiting.partition_point(|&t| t < cx.thread);
                self.waiting.insert(at, cx.thread);
                cx.act(Act::Enqueue);
                Reply::DONE
            }
            OpKind::Wake | OpKind::WakeTimed if op.is_cancellable() && !self.is_notified(cx.thread) => {
                let had_to = op.kind == OpKind::Wake && !self.may_startle(cx.thread, &cx.options);
                self.waiting.retain(|t| *t != cx.thread);
                if op.kind == OpKind::Wake && !op.is_cancelled() {
                    self.startled.push(cx.thread);
                }
                cx.act(Act::Expired);
                cx.heed(if had_to { Act::Interrupted } else { Act::Heed });
                Reply::FAILED.flagged(op.is_cancelled())
            }
            OpKind::Wake | OpKind::WakeTimed => {
                let reply = mutex.expect("a wait names its mutex").take(op, Act::Take, cx, op.other);
                if let Some(i) = self.notified.iter().position(|&(t, _)| t == cx.thread) {
                    let (_, seq) = self.notified.swap_remove(i);
                    let need_not_wait = op.kind == OpKind::WakeTimed
                        || op.is_cancelled()
                        || self.may_startle(cx.thread, &cx.options);
                    self.startled.retain(|t| *t != cx.thread);
                    cx.touch(cx.object, if need_not_wait { Act::WokenTimed } else { Act::Woken }, seq);
                    if op.is_cancellable() {
                        cx.heed(Act::Heed);
                    }
                    Reply { value: 1, ..reply }
                } else {
                    self.waiting.retain(|t| *t != cx.thread);
                    if op.kind == OpKind::Wake {
                        self.startled.push(cx.thread);
                    }
                    cx.act(Act::Expired);
                    Reply { value: 0, ..reply }
                }
            }
            _ => match self.quickly(op, outcome) {
                Some(did) => {
                    cx.touch(cx.object, did.act, u32::from(did.seq));
                    did.reply()
                }
                None => unreachable!("{:?} on a condvar", op.kind),
            },
        }
    }
}
