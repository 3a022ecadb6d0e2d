//! Dependence: which steps commute.
//!
//! A carried-out step names the objects it touched and how ([`Act`]). Two steps of different threads are
//! dependent when they touched one object in ways that do not commute. [`Act::relation`] says more than that: an
//! earlier step may be what *enabled* a later one (an unlock and the lock that waited for it), and then the
//! two are ordered but cannot be swapped, so they are no race. Only facts about steps that really happened
//! are used; nothing is guessed from pending ops.

use crate::acts::Acts;
use crate::id::ObjectId;
use serde::{Deserialize, Serialize};
use smallvec::SmallVec;

/// How a step touched an object. Acts of different families (the headings) commute.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
pub enum Act {
    // --- memory ---
    /// Looked at a value. A failed compare-and-swap is one.
    Read,
    /// Changed a value, having looked at it or not.
    Write,
    // --- locks and once ---
    /// Took exclusively, having waited if need be.
    Take,
    /// Took exclusively without waiting.
    TryTake,
    /// Took a share, having waited if need be.
    Share,
    /// Found an initialisation ended, having waited if need be; holds nothing.
    Saw,
    /// Took a share without waiting.
    TryShare,
    /// Gave back an exclusive hold.
    Free,
    /// Gave back a share.
    Unshare,
    /// Looked at the state: a failed try, a poison test.
    Probe,
    /// Looked whether a share could be had, and it could not.
    ProbeShare,
    /// Changed something that every taker sees.
    Mark,
    // --- counters: semaphores, channels; `seq` is the number of the permit or message ---
    /// Put one in.
    Put,
    /// Took one out, having waited if need be.
    Get,
    /// Took one out without waiting.
    TryGet,
    /// Found none.
    Empty,
    /// One end went away.
    Close,
    /// Found the other end gone, having waited if need be.
    Closed,
    /// The receiving end went away.
    Shut,
    /// Could not put one in: the receiving end is gone, or there is no room.
    Refused,
    /// Waited for room until the receiving end went away.
    RefusedFull,
    // --- condition variables; `seq` is the number of the notification ---
    /// Began to wait.
    Enqueue,
    /// Woke somebody.
    Notify,
    /// Had nobody to wake.
    NotifyNone,
    /// Was woken.
    Woken,
    /// Was woken, but might have timed out.
    WokenTimed,
    /// Timed out, or woke for no reason.
    Expired,
    // --- barriers; `seq` is the generation ---
    /// Arrived.
    Arrive,
    /// Left, everybody having arrived.
    Leave,
    /// Asked who leads.
    Lead,
    // --- reference counts ---
    /// Counted up, or gave up a weak reference.
    Count,
    /// Gave up a strong reference. One of those is the last, so their order matters.
    Down,
    /// Looked at the count.
    CountRead,
    /// Looked at the count and changed it.
    CountWrite,
    // --- thread lives ---
    /// The thread ended with this step.
    Exit,
    /// Waited for the end.
    Join,
    /// Asked whether it has ended.
    IsFinished,
    // --- park tokens ---
    /// Gave the token, which was not there.
    Unpark,
    /// Gave the token, which was there already.
    UnparkAgain,
    /// Took the token, having waited.
    Park,
    /// Took the token, but might have timed out.
    ParkTimed,
    /// Found no token.
    ParkExpired,
    // --- barriers again; files number acts in this order ---
    /// Arrived as the last of a round.
    ArriveLast,
    // --- memory again ---
    /// Changed a value without looking at it, and somebody saw the change. No step has this or the next: a search that tells
    /// such writes apart puts them in the place of [`Act::Write`] when the execution is over.
    Seen,
    /// Changed a value without looking at it, and nobody saw the change.
    Unseen,
    // --- counters again ---
    /// Looked how many there are.
    Look,
    // --- requests that a thread end; on the life of that thread ---
    /// Asked it to end.
    Cancel,
    /// Asked it to end once more.
    CancelAgain,
    /// It looked whether that was asked for, and could go on either way.
    Heed,
    /// It waited and went on because that was asked for.
    Interrupted,
}

impl Act {
    /// Could the step not have happened before it was enabled? Then the ops that enabled it do not hide its
    /// races with earlier takers (research: "an op that takes a resource races with the op that took it before").
    #[inline]
    pub fn waits(self) -> bool {
        use Act::*;
        matches!(
            self,
            Take | Share | Saw | Get | Closed | RefusedFull | Woken | Leave | Join | Park | Interrupted
        )
    }

    /// Conflicts with every other act of its family: nothing before it needs a look.
    #[inline]
    pub fn is_total(self) -> bool {
        Acts::TOTAL.has(self)
    }

    /// Changes something that another thread may be waiting for; taking a lock and giving it back, beginning to wait and
    /// giving that up, or waking nobody, is going round in circles.
    #[inline]
    pub fn is_progress(self) -> bool {
        use Act::*;
        !self.is_read()
            && !matches!(
                self,
                Take | TryTake | Share | TryShare | Free | Unshare | Enqueue | Expired | NotifyNone
            )
    }

    /// Changes nothing that another thread can see.
    #[inline]
    pub fn is_read(self) -> bool {
        use Act::*;
        matches!(
            self,
            Read | Saw
                | Probe
                | ProbeShare
                | Empty
                | Refused
                | CountRead
                | IsFinished
                | ParkExpired
                | Look
                | Heed
                | Interrupted
        )
    }
}

/// One object touched by a step.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Access {
    /// The object.
    pub object: ObjectId,
    /// How it was touched.
    pub act: Act,
    /// Which message, permit, notification or generation, modulo 65,536: those that far apart are ordered by the ones
    /// between them.
    pub seq: u16,
}

/// Everything a step touched.
pub type Accesses = SmallVec<[Access; 3]>;

/// One access and no other. Made as a whole, which is shorter than to add it to what might be full.
#[inline(always)]
pub(crate) fn only(access: Access) -> Accesses {
    const NONE: Access = Access { object: ObjectId::NONE, act: Act::Read, seq: 0 };
    Accesses::from_buf_and_len([access, NONE, NONE], 1)
}

/// A copy. Those of `SmallVec` go through a call, or through the values one by one.
#[inline]
pub fn copied(accesses: &[Access]) -> Accesses {
    match *accesses {
        [a] => Accesses::from_buf_and_len([a; 3], 1),
        [a, b] => Accesses::from_buf_and_len([a, b, b], 2),
        _ => Accesses::from_slice(accesses),
    }
}

/// Are two steps of different threads, in either order, dependent?
#[inline]
pub fn dependent(a: &[Access], b: &[Access]) -> bool {
    match (a, b) {
        // Most touch one thing.
        ([a], [b]) => depend(a, b),
        _ => any_depend(a, b),
    }
}

#[inline(always)]
fn depend(a: &Access, b: &Access) -> bool {
    a.object == b.object && a.act.conflicts(a.seq, b.act, b.seq)
}

#[inline(never)]
fn any_depend(a: &[Access], b: &[Access]) -> bool {
    a.iter().any(|a| b.iter().any(|b| depend(a, b)))
}
