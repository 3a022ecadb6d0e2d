//! Barriers.

use crate::runtime::{self, Tag};
use gordian_model::object::{Barrier as Model, Object};
use gordian_model::{ObjectId, Op, OpKind};
use std::fmt;
use std::panic::Location;
use std::sync::atomic::{AtomicU8, Ordering::Relaxed};

/// A place where threads wait for each other; see [`std::sync::Barrier`].
pub struct Barrier {
    tag: Tag,
    size: usize,
    real: std::sync::Barrier,
}

impl Barrier {
    /// A barrier for so many threads.
    #[must_use]
    #[track_caller]
    pub const fn new(n: usize) -> Barrier {
        Barrier { tag: Tag::new(), size: n, real: std::sync::Barrier::new(n) }
    }

    /// Waits until as many threads are here as the barrier is for. See std.
    #[track_caller]
    pub fn wait(&self) -> BarrierWaitResult {
        if !runtime::active() {
            self.tag.outside();
            return BarrierWaitResult(Leader::Std(self.real.wait().is_leader()));
        }
        let size = u32::try_from(self.size).unwrap_or(u32::MAX);
        let object = self.tag.object(|| Object::Barrier(Model::new(size)));
        let site = runtime::site(Location::caller());
        let generation = runtime::op(Op::new(OpKind::Arrive, object, site)).value;
        runtime::op(Op { arg: generation, ..Op::new(OpKind::Leave, object, site) });
        let answer = AtomicU8::new(UNASKED);
        BarrierWaitResult(Leader::Checked { object, generation, epoch: runtime::epoch(), answer })
    }
}

impl fmt::Debug for Barrier {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Barrier").finish_non_exhaustive()
    }
}

/// Was this the thread that std calls the leader? See [`std::sync::BarrierWaitResult`].
///
/// std says that the leader is arbitrary, so in a check it is chosen only when somebody asks, and then each thread is tried.
pub struct BarrierWaitResult(Leader);

enum Leader {
    Std(bool),
    Checked { object: ObjectId, generation: u64, epoch: u64, answer: AtomicU8 },
}

const UNASKED: u8 = 0;
const LEADS: u8 = 1;
const FOLLOWS: u8 = 2;

impl BarrierWaitResult {
    /// Is it? True for one thread of those that waited together.
    #[must_use]
    #[track_caller]
    pub fn is_leader(&self) -> bool {
        let (object, generation, answer) = match &self.0 {
            Leader::Std(leads) => return *leads,
            Leader::Checked { object, generation, epoch, answer } => {
                if answer.load(Relaxed) == UNASKED {
                    runtime::same_execution(*epoch, "BarrierWaitResult");
                }
                (*object, *generation, answer)
            }
        };
        if answer.load(Relaxed) == UNASKED {
            let site = runtime::site(Location::caller());
            let reply = runtime::op(Op { arg: generation, ..Op::new(OpKind::IsLeader, object, site) });
            // Somebody else who has the result by reference may have asked in the meantime.
            let answered = if reply.flag { LEADS } else { FOLLOWS };
            let _ = answer.compare_exchange(UNASKED, answered, Relaxed, Relaxed);
        }
        answer.load(Relaxed) == LEADS
    }
}

impl fmt::Debug for BarrierWaitResult {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("BarrierWaitResult").field("is_leader", &self.is_leader()).finish()
    }
}
