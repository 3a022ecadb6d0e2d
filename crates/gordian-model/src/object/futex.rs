//! Futexes: queues of threads that wait at a word of memory, as the kernel keeps them.
//!
//! Waiting is two steps: `FutexWait` compares the word and joins the waiters, `FutexLeave` goes on once woken. What the word holds
//! is known to the front end alone: `arg` says whether it is what was expected. Which waiters a wake-up is for is an
//! outcome, counted in the order of thread names, because the kernel promises nothing about it.

use super::{Cx, Model, Object, Outcomes};
use crate::access::Act;
use crate::clock::ClockId;
use crate::id::ThreadId;
use crate::op::{Op, OpKind};
use crate::plan::Options;
use crate::reply::Reply;
use smallvec::SmallVec;

#[derive(Clone, Copy, Debug)]
struct Waiter {
    thread: ThreadId,
    bits: u32,
}

#[derive(Clone, Copy, Debug)]
struct Woken {
    thread: ThreadId,
    seq: u32,
    published: ClockId,
}

/// A futex.
#[derive(Clone, Debug, Default)]
pub struct Futex {
    waiting: SmallVec<[Waiter; 2]>,
    woken: SmallVec<[Woken; 2]>,
    wakes: u32,
}

/// Out of more than so many ways to choose whom to wake, the first are tried.
const MOST_WAYS: u32 = 64;

impl Futex {
    /// A futex that nobody waits at.
    pub fn new() -> Futex {
        Futex::default()
    }

    /// Who waits.
    pub fn waiting(&self) -> impl Iterator<Item = ThreadId> + '_ {
        self.waiting.iter().map(|waiter| waiter.thread)
    }

    fn is_woken(&self, thread: ThreadId) -> bool {
        self.woken.iter().any(|woken| woken.thread == thread)
    }

    /// How many of those that wait a wake-up is meant for.
    fn fitting(&self, bits: u32) -> u32 {
        self.waiting.iter().filter(|waiter| waiter.bits & bits != 0).count() as u32
    }

    /// Wakes `most` of those it is meant for, as the wake-up with the next number, and tells how many that were.
    fn wake(&mut self, most: u64, bits: u32, outcome: u32, cx: &mut Cx<'_>) -> u64 {
        let mut left = self.fitting(bits);
        let mut taken = u32::try_from(most).unwrap_or(u32::MAX).min(left);
        self.wakes += 1;
        let (count, mut rank) = (taken, outcome);
        let mut published = ClockId::default();
        cx.release(&mut published);
        let (woken, seq) = (&mut self.woken, self.wakes);
        self.waiting.retain(|waiter| {
            if waiter.bits & bits == 0 {
                return true;
            }
            // The ways that take this one come first.
            left -= 1;
            let with = if taken == 0 { 0 } else { ways(left, taken - 1) };
            if rank >= with {
                rank -= with;
                return true;
            }
            taken -= 1;
            woken.push(Woken { thread: waiter.thread, seq, published });
            false
        });
        u64::from(count)
    }
}

/// In how many ways can `taken` be taken out of `all`? No more than it can be counted to.
fn ways(all: u32, taken: u32) -> u32 {
    if taken > all {
        return 0;
    }
    let mut ways = 1u64;
    for i in 0..u64::from(taken.min(all - taken)) {
        ways = ways * (u64::from(all) - i) / (i + 1);
        if ways > u64::from(u32::MAX / 2) {
            return u32::MAX / 2;
        }
    }
    ways as u32
}

impl Model for Futex {
    fn outcomes(&self, thread: ThreadId, op: &Op, _: Option<&Object>, _: &Options) -> Outcomes {
        match op.kind {
            OpKind::FutexLeave => Outcomes::ready_if(self.is_woken(thread)),
            OpKind::FutexLeaveTimed if !self.is_woken(thread) => Outcomes::Expiring,
            OpKind::FutexWake | OpKind::FutexRequeue => {
                let bits = if op.kind == OpKind::FutexWake { op.arg2 as u32 } else { u32::MAX };
                let fitting = self.fitting(bits);
                let most = u32::try_from(op.arg).unwrap_or(u32::MAX).min(fitting);
                Outcomes::Ready(ways(fitting, most).clamp(1, MOST_WAYS))
            }
            _ => Outcomes::Ready(1),
        }
    }

    /// `FutexWait`: `arg` is one if the word is as expected, `arg2` which wake-ups are meant for the thread. `FutexWake`: `arg` is how
    /// many at most, `arg2` which. `FutexRequeue`: `arg` is how many are woken, `arg2` how many of the others wait at
    /// the other futex from now on, those with the first names; nothing happens if `detail` is set, as the word is another.
    fn carry_out(&mut self, op: &Op, outcome: u32, cx: &mut Cx<'_>) -> Reply {
        match op.kind {
            OpKind::FutexWait => {
                if cx.other.is_some() {
                    cx.touch(op.other, Act::Read, 0);
                }
                // To have found another word there is to have come too late for whoever wakes waiters.
                cx.act(Act::Enqueue);
                if op.arg == 0 {
                    return Reply::FAILED;
                }
                let at = self.waiting.partition_point(|waiter| waiter.thread < cx.thread);
                self.waiting.insert(at, Waiter { thread: cx.thread, bits: op.arg2 as u32 });
                Reply::DONE
            }
            OpKind::FutexLeave | OpKind::FutexLeaveTimed => {
                if let Some(i) = self.woken.iter().position(|woken| woken.thread == cx.thread) {
                    let Woken { seq, published, .. } = self.woken.swap_remove(i);
                    cx.acquire(published);
                    let timed = op.kind == OpKind::FutexLeaveTimed;
                    cx.touch(cx.object, if timed { Act::WokenTimed } else { Act::Woken }, seq);
                    return Reply::DONE;
                }
                self.waiting.retain(|waiter| waiter.thread != cx.thread);
                cx.act(Act::Expired);
                Reply::FAILED
            }
            OpKind::FutexWake => {
                let woken = self.wake(op.arg, op.arg2 as u32, outcome, cx);
                let act = if woken == 0 { Act::NotifyNone } else { Act::Notify };
                cx.touch(cx.object, act, self.wakes);
                Reply::value(woken)
            }
            OpKind::FutexRequeue => {
                let most = if op.detail == 0 { op.arg } else { 0 };
                let woken = self.wake(most, u32::MAX, outcome, cx);
                let Some(Object::Futex(other)) = cx.other.as_deref_mut() else {
                    unreachable!("a requeue names two futexes")
                };
                let most = if op.detail == 0 { usize::try_from(op.arg2).unwrap_or(usize::MAX) } else { 0 };
                let moved = most.min(self.waiting.len());
                for waiter in self.waiting.drain(..moved) {
                    let at = other.waiting.partition_point(|w| w.thread < waiter.thread);
                    other.waiting.insert(at, waiter);
                }
                // Whatever it found, it is taken for a wake-up of both: who is moved might have given up before, and whoever
                // wakes at the other meets them only afterwards. It is rare enough for that to cost nothing.
                other.wakes += 1;
                let there = other.wakes;
                cx.touch(cx.object, Act::Notify, self.wakes);
                cx.touch(op.other, Act::Notify, there);
                Reply { ok: op.detail == 0, ..Reply::value(woken + moved as u64) }
            }
            _ => unreachable!("{:?} on a futex", op.kind),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ways_are_counted() {
        assert_eq!(
            [ways(4, 2), ways(5, 0), ways(3, 3), ways(2, 3), ways(40, 20)],
            [6, 1, 1, 0, u32::MAX / 2]
        );
    }
}
