//! Ops: what a thread announces before it happens.

use crate::id::{ObjectId, SiteId};
use serde::{Deserialize, Serialize};

/// A memory ordering, as the program wrote it. The numbers are those that std's has, so that one becomes the other without a look at it;
/// files go by the place in this list.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[allow(missing_docs)]
#[repr(u8)]
pub enum Order {
    #[default]
    Relaxed = 0,
    Acquire = 2,
    Release = 1,
    AcqRel = 3,
    SeqCst = 4,
}

impl Order {
    /// Does a read with this ordering take over what was published?
    pub fn acquires(self) -> bool {
        matches!(self, Order::Acquire | Order::AcqRel | Order::SeqCst)
    }

    /// Does a write with this ordering publish what came before it?
    pub fn releases(self) -> bool {
        matches!(self, Order::Release | Order::AcqRel | Order::SeqCst)
    }
}

/// The arithmetic of a read-modify-write.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[allow(missing_docs)]
pub enum Rmw {
    Swap,
    Add,
    Sub,
    And,
    Nand,
    Or,
    Xor,
    Max,
    Min,
    UMax,
    UMin,
}

impl Rmw {
    /// The new value, for an integer of `bytes` bytes.
    #[inline]
    pub fn apply(self, old: u64, arg: u64, bytes: u8) -> u64 {
        let bits = 8 * u32::from(bytes);
        let signed = |v: u64| ((v << (64 - bits)) as i64) >> (64 - bits);
        let new = match self {
            Rmw::Swap => arg,
            Rmw::Add => old.wrapping_add(arg),
            Rmw::Sub => old.wrapping_sub(arg),
            Rmw::And => old & arg,
            Rmw::Nand => !(old & arg),
            Rmw::Or => old | arg,
            Rmw::Xor => old ^ arg,
            Rmw::Max => signed(old).max(signed(arg)) as u64,
            Rmw::Min => signed(old).min(signed(arg)) as u64,
            Rmw::UMax => old.max(arg),
            Rmw::UMin => old.min(arg),
        };
        if bits == 64 { new } else { new & ((1 << bits) - 1) }
    }
}

/// The kinds of op. Each belongs to one object model, named in the heading above it.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
#[allow(missing_docs)]
pub enum OpKind {
    // Atomic
    Load,
    Store,
    Swap,
    FetchAdd,
    FetchSub,
    FetchAnd,
    FetchNand,
    FetchOr,
    FetchXor,
    FetchMax,
    FetchMin,
    FetchUMax,
    FetchUMin,
    CompareExchange,
    CompareExchangeWeak,
    // Mutex
    Lock,
    TryLock,
    Unlock,
    // RwLock
    ReadLock,
    TryReadLock,
    ReadUnlock,
    WriteLock,
    TryWriteLock,
    WriteUnlock,
    Downgrade,
    // Mutex, RwLock
    IsPoisoned,
    ClearPoison,
    // Condvar; `other` is the mutex
    Wait,
    Wake,
    WakeTimed,
    NotifyOne,
    NotifyAll,
    // Barrier
    Arrive,
    Leave,
    IsLeader,
    // Once
    OnceBegin,
    OnceWait,
    OnceEnd,
    OncePeek,
    // Channel
    Send,
    TrySend,
    SendTaken,
    Receive,
    TryReceive,
    ReceiveTimed,
    ReceiverWaits,
    DropSender,
    DropReceiver,
    // Semaphore
    Acquire,
    TryAcquire,
    Release,
    // Arc
    CountUp,
    CountDown,
    CountRead,
    CountTest,
    Upgrade,
    // Thread; joining is no step
    Join,
    IsFinished,
    End,
    Park,
    ParkTimed,
    Unpark,
    // no object
    Yield,
    Sleep,
    SpinHint,
    Choose,
    // Mutex, RwLock, Semaphore: waits, but not for ever; files number ops in this order
    LockTimed,
    ReadLockTimed,
    WriteLockTimed,
    AcquireTimed,
    // Semaphore
    Permits,
    // Futex; `other` of a wait is the atomic that it compares, that of a requeue where the waiters go
    FutexWait,
    FutexLeave,
    FutexLeaveTimed,
    FutexWake,
    FutexRequeue,
    // Thread: asks another to end, and looks whether that was asked for
    Cancel,
    TestCancel,
}

const RMWS: [(Rmw, OpKind); 11] = [
    (Rmw::Swap, OpKind::Swap),
    (Rmw::Add, OpKind::FetchAdd),
    (Rmw::Sub, OpKind::FetchSub),
    (Rmw::And, OpKind::FetchAnd),
    (Rmw::Nand, OpKind::FetchNand),
    (Rmw::Or, OpKind::FetchOr),
    (Rmw::Xor, OpKind::FetchXor),
    (Rmw::Max, OpKind::FetchMax),
    (Rmw::Min, OpKind::FetchMin),
    (Rmw::UMax, OpKind::FetchUMax),
    (Rmw::UMin, OpKind::FetchUMin),
];

impl From<Rmw> for OpKind {
    #[inline]
    fn from(rmw: Rmw) -> Self {
        RMWS[rmw as usize].1
    }
}

impl OpKind {
    /// The arithmetic, if the op is a read-modify-write.
    #[inline]
    pub fn rmw(self) -> Option<Rmw> {
        let i = (self as usize).wrapping_sub(OpKind::Swap as usize);
        RMWS.get(i).map(|r| r.0)
    }

    /// Is it one of the ops, on atomics and mutexes, that programs do most?
    #[inline]
    pub(crate) fn is_frequent(self) -> bool {
        self as u8 <= OpKind::Unlock as u8
    }

    /// Can the op be announced while it is not enabled?
    #[inline]
    pub fn can_block(self) -> bool {
        use OpKind::*;
        matches!(
            self,
            Lock | ReadLock
                | WriteLock
                | Wake
                | WakeTimed
                | Leave
                | OnceBegin
                | OnceWait
                | Send
                | SendTaken
                | Receive
                | Acquire
                | Join
                | Park
                | FutexLeave
        )
    }

    /// Can what others do change whether the announced op is enabled, or how many outcomes it has?
    #[inline]
    pub fn can_change(self) -> bool {
        use OpKind::*;
        self.can_block()
            || self.is_timed()
            || matches!(self, CompareExchangeWeak | NotifyOne | IsLeader | FutexWake | FutexRequeue)
    }

    /// Could the op matter to another on the same object, or it to this one? Two that only look commute, and so do two
    /// that only share.
    #[inline]
    pub fn may_conflict(self, other: OpKind) -> bool {
        use OpKind::*;
        let looks = |kind| matches!(kind, Load | IsPoisoned | OncePeek | CountRead | IsFinished | Permits);
        let shares = |kind| matches!(kind, ReadLock | TryReadLock | ReadUnlock);
        !(looks(self) && looks(other) || shares(self) && shares(other))
    }

    /// Waits, but not for ever.
    #[inline]
    pub fn is_timed(self) -> bool {
        use OpKind::*;
        matches!(
            self,
            WakeTimed
                | ReceiveTimed
                | ParkTimed
                | LockTimed
                | ReadLockTimed
                | WriteLockTimed
                | AcquireTimed
                | FutexLeaveTimed
        )
    }

    /// Does the thread say that it has nothing better to do?
    #[inline]
    pub fn is_pause(self) -> bool {
        matches!(self, OpKind::Yield | OpKind::Sleep | OpKind::SpinHint)
    }

    /// The op in the words of a report: `lock`, `fetch_add`, `wait`.
    pub fn verb(self) -> &'static str {
        use OpKind::*;
        match self {
            Load => "load",
            Store => "store",
            Swap => "swap",
            FetchAdd => "fetch_add",
            FetchSub => "fetch_sub",
            FetchAnd => "fetch_and",
            FetchNand => "fetch_nand",
            FetchOr => "fetch_or",
            FetchXor => "fetch_xor",
            FetchMax | FetchUMax => "fetch_max",
            FetchMin | FetchUMin => "fetch_min",
            CompareExchange => "compare_exchange",
            CompareExchangeWeak => "compare_exchange_weak",
            Lock => "lock",
            TryLock => "try_lock",
            Unlock => "unlock",
            ReadLock => "read",
            TryReadLock => "try_read",
            ReadUnlock => "unlock (read)",
            WriteLock => "write",
            TryWriteLock => "try_write",
            WriteUnlock => "unlock (write)",
            Downgrade => "downgrade",
            IsPoisoned => "is_poisoned",
            ClearPoison => "clear_poison",
            Wait => "wait",
            Wake => "wake up",
            WakeTimed => "wake up (timed)",
            NotifyOne => "notify_one",
            NotifyAll => "notify_all",
            Arrive => "arrive",
            Leave => "leave",
            IsLeader => "is_leader",
            OnceBegin => "begin",
            OnceWait => "wait",
            OnceEnd => "complete",
            OncePeek => "peek",
            Send => "send",
            TrySend => "try_send",
            SendTaken => "send (taken)",
            Receive => "recv",
            TryReceive => "try_recv",
            ReceiveTimed => "recv_timeout",
            ReceiverWaits => "recv (ready)",
            DropSender => "drop sender",
            DropReceiver => "drop receiver",
            Acquire => "acquire",
            TryAcquire => "try_acquire",
            Release => "release",
            CountUp => "clone",
            CountDown => "drop",
            CountRead => "count",
            CountTest => "unique?",
            Upgrade => "upgrade",
            Join => "join",
            IsFinished => "is_finished",
            End => "end",
            Park => "park",
            ParkTimed => "park_timeout",
            Unpark => "unpark",
            Yield => "yield_now",
            Sleep => "sleep",
            SpinHint => "spin_loop",
            Choose => "choose",
            LockTimed => "lock (timed)",
            ReadLockTimed => "read (timed)",
            WriteLockTimed => "write (timed)",
            AcquireTimed => "acquire (timed)",
            Permits => "permits",
            FutexWait => "futex wait",
            FutexLeave => "woken",
            FutexLeaveTimed => "woken (timed)",
            FutexWake => "futex wake",
            FutexRequeue => "futex requeue",
            Cancel => "cancel",
            TestCancel => "test cancel",
        }
    }
}

/// What a thread is about to do.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct Op {
    /// What is done.
    pub kind: OpKind,
    /// A detail of the kind: the width of an atomic in bytes, which count, whether a drop matters.
    pub detail: u8,
    /// The ordering, or the one for success.
    pub order: Order,
    /// The ordering for failure.
    pub failure: Order,
    /// The object it is done to.
    pub object: ObjectId,
    /// A second object: the mutex of a condition variable.
    pub other: ObjectId,
    /// Where in the source.
    pub site: SiteId,
    /// First argument.
    pub arg: u64,
    /// Second argument.
    pub arg2: u64,
}

impl Op {
    /// In `detail` of a wait: the thread goes on, too, when [`OpKind::Cancel`] asks it to end.
    pub const CANCELLABLE: u8 = 0x40;
    /// In `detail` of such a wait, when a model gets to see it: that was asked for.
    pub const CANCELLED: u8 = 0x80;

    /// Does the thread look whether it is asked to end while it waits?
    #[inline]
    pub fn is_cancellable(&self) -> bool {
        self.detail & Op::CANCELLABLE != 0
    }

    /// Was the thread that waits asked to end?
    #[inline]
    pub fn is_cancelled(&self) -> bool {
        self.detail & Op::CANCELLED != 0
    }

    /// Is the op on an atomic, always possible and with one outcome?
    #[inline(always)]
    pub(crate) fn is_certain(&self) -> bool {
        self.kind == OpKind::Load || self.kind == OpKind::CompareExchange || self.kind.rmw().is_some()
    }

    /// Is the op always possible, with one outcome, and does a loop that does it never just wait for others? A store tells
    /// nothing, and what is done to a value that it surely changes is no waiting.
    #[inline(always)]
    pub fn is_plain(&self) -> bool {
        use OpKind::*;
        match self.kind {
            Store | Unlock | ReadUnlock | WriteUnlock | Arrive | OnceEnd | DropSender | DropReceiver
            | Release | Unpark => true,
            FetchAdd | FetchSub | FetchXor => self.arg != 0,
            _ => false,
        }
    }

    /// An op with no arguments.
    #[inline]
    pub fn new(kind: OpKind, object: ObjectId, site: SiteId) -> Op {
        Op {
            kind,
            detail: 0,
            order: Order::Relaxed,
            failure: Order::Relaxed,
            object,
            other: ObjectId::NONE,
            arg: 0,
            arg2: 0,
            site,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arithmetic_respects_width_and_sign() {
        assert_eq!(Rmw::Add.apply(255, 1, 1), 0);
        assert_eq!(Rmw::Sub.apply(0, 1, 2), 0xFFFF);
        assert_eq!(Rmw::Max.apply(0xFF, 1, 1), 1, "-1 < 1 as i8");
        assert_eq!(Rmw::UMax.apply(0xFF, 1, 1), 0xFF);
        assert_eq!(Rmw::Min.apply(0xFF, 1, 1), 0xFF);
        assert_eq!(Rmw::Nand.apply(1, 1, 1), 0xFE);
        for (rmw, kind) in RMWS {
            assert_eq!((OpKind::from(rmw), kind.rmw()), (kind, Some(rmw)));
        }
        assert_eq!((OpKind::Store.rmw(), OpKind::CompareExchange.rmw()), (None, None));
        assert!(OpKind::Load.is_frequent() && OpKind::Lock.is_frequent() && !OpKind::ReadLock.is_frequent());
    }

    #[test]
    fn an_op_has_no_padding() {
        // Comparing what a thread holds on its stack must not meet bytes that nobody wrote.
        assert_eq!(size_of::<Op>(), 4 + 3 * 4 + 2 * 8);
    }
}
