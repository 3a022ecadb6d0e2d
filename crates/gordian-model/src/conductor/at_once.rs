//! Ops that happen at once, without being written down, announced and decided on: those of a thread whose next steps are known from the last execution
//! ([`again`](super::again)), and of one that goes on by itself ([`ahead`](super::ahead)). Such a thread *leads*. What a front end asks and
//! calls for each op is here.

use super::Conductor;
use crate::id::{ObjectId, SiteId, ThreadId};
use crate::op::{Op, OpKind};
use crate::reply::Reply;

/// What became of an op that might have happened at once.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum AtOnce {
    /// It is another than the one that is known, or not so simple; nothing was done.
    Not,
    /// It was carried out, and failed.
    Failed,
    /// It was carried out.
    Done,
}

/// No thread has this number.
pub(super) const NOBODY: ThreadId = ThreadId(u32::MAX);

/// In place of the marks of a reply: nothing was done.
const NOT: u64 = u64::MAX;

/// The ways of ops of one kind each. Of the three calls the first only tells the others apart, and goes on to one of them without a frame of its own: that
/// of the longer one would cost the shorter one a third of its time.
macro_rules! at_once {
    ($($name:ident, $again:ident, $ahead:ident: ($($word:ident: $type:ty),*) $op:expr;)*) => {$(
        #[inline(never)]
        fn $name(&mut self, $($word: $type),*) -> (u64, AtOnce) {
            if self.recalling { self.$again($($word),*) } else { self.$ahead($($word),*) }
        }

        #[inline(never)]
        fn $again(&mut self, $($word: $type),*) -> (u64, AtOnce) {
            self.again_as($op)
        }

        #[inline(never)]
        fn $ahead(&mut self, $($word: $type),*) -> (u64, AtOnce) {
            self.ahead_as($op)
        }
    )*};
}

impl Conductor {
    /// May the thread's op at this site [happen at once](Self::at_once)? Not where it may have gone round a loop, since its state may be compared
    /// there. What is asked here leaves nothing behind in registers and no call was made, whatever the answer: so what is compared is the same
    /// in all rounds. (It is asked in this order because where it comes round the first answer is always the same.)
    #[inline(always)]
    pub fn leads(&self, thread: ThreadId, site: SiteId) -> bool {
        self.turn != site && self.leader == thread
    }

    /// Carries out the op of the thread that [leads](Self::leads), if it is the one that is known or, where none is, so simple; else nothing has
    /// changed. (What the calls take and give fits into registers. There is one for each of the kinds that programs do most, so that these need
    /// not be told apart again.)
    #[inline(always)]
    pub fn at_once(&mut self, op: &Op) -> Option<Reply> {
        let place = u64::from(op.object.0) << 32 | u64::from(op.site.0);
        let (value, done) = match op.kind {
            OpKind::Load => self.load_at_once(place),
            OpKind::Store => self.store_at_once(place, op.arg),
            OpKind::CompareExchange => self.exchange_at_once(place, op.arg, op.arg2),
            OpKind::Lock => self.lock_at_once(place),
            OpKind::Unlock => self.unlock_at_once(place, op.arg),
            OpKind::FetchAdd => self.add_at_once(place, op.arg, op.detail),
            kind if kind.is_frequent() => self.atomic_at_once(kind, place, op.arg, op.detail),
            _ => return self.usually_at_once(op, place),
        };
        (done != AtOnce::Not).then(|| Reply { value, ok: done == AtOnce::Done, ..Reply::DONE })
    }

    at_once! {
        load_at_once, load_again, load_ahead: (place: u64) op_at(OpKind::Load, place);
        store_at_once, store_again, store_ahead: (place: u64, arg: u64) Op { arg, ..op_at(OpKind::Store, place) };
        exchange_at_once, exchange_again, exchange_ahead: (place: u64, arg: u64, arg2: u64)
            Op { arg, arg2, ..op_at(OpKind::CompareExchange, place) };
        lock_at_once, lock_again, lock_ahead: (place: u64) op_at(OpKind::Lock, place);
        unlock_at_once, unlock_again, unlock_ahead: (place: u64, arg: u64) Op { arg, ..op_at(OpKind::Unlock, place) };
        add_at_once, add_again, add_ahead: (place: u64, arg: u64, detail: u8)
            Op { detail, arg, ..op_at(OpKind::FetchAdd, place) };
        atomic_at_once, atomic_again, atomic_ahead: (kind: OpKind, place: u64, arg: u64, detail: u8)
            Op { detail, arg, ..op_at(kind, place) };
    }

    /// The same for the [usual](super::usual) ops: those that may have to wait for their object and need not now, and those that never do.
    #[inline(always)]
    fn usually_at_once(&mut self, op: &Op, place: u64) -> Option<Reply> {
        if !op.may_be_usual() || !(op.kind.can_block() || op.is_plain()) {
            return None;
        }
        let words = self.usual_at_once(op.kind, place, op.arg, op.arg2, op.detail);
        (words.1 != NOT).then(|| Reply::from_words(words))
    }

    #[inline(never)]
    fn usual_at_once(&mut self, kind: OpKind, place: u64, arg: u64, arg2: u64, detail: u8) -> (u64, u64) {
        let op = Op { detail, arg, arg2, ..op_at(kind, place) };
        let done = if self.recalling { self.usual_again_as(op) } else { self.usual_ahead_as(op) };
        done.unwrap_or((0, NOT))
    }
}

/// An op without arguments on the object, in the upper half of the word, at the site, in the lower.
#[inline(always)]
fn op_at(kind: OpKind, place: u64) -> Op {
    Op::new(kind, ObjectId((place >> 32) as u32), SiteId(place as u32))
}
