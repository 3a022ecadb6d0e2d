//! Barriers. Arriving commutes with arriving: std calls the leader "arbitrary", so who leads is chosen only
//! when somebody asks, and a barrier of eight threads is one class, not 40,320.

use super::{Cx, Model, Object, Outcomes, Touched};
use crate::access::Act;
use crate::clock::ClockId;
use crate::id::ThreadId;
use crate::op::{Op, OpKind};
use crate::plan::Options;
use crate::reply::Reply;
use smallvec::SmallVec;

/// One round: so many threads that arrive, and leave together.
#[derive(Clone, Copy, Debug, Default)]
struct Generation {
    published: ClockId,
    /// How many have asked who leads.
    asked: u32,
    /// Somebody has been told that it does.
    claimed: bool,
}

/// A barrier.
#[derive(Clone, Debug)]
pub struct Barrier {
    size: u32,
    arrived: u32,
    /// All rounds up to the one that has not ended. A thread may be slow to leave, or to ask, while others go on.
    generations: SmallVec<[Generation; 2]>,
}

impl Barrier {
    /// A barrier for so many threads.
    pub fn new(size: u32) -> Barrier {
        Barrier { size: size.max(1), arrived: 0, generations: SmallVec::from_slice(&[Generation::default()]) }
    }

    /// What ops do when no clocks are kept.
    #[inline]
    pub(crate) fn quickly(&mut self, op: &Op, outcome: u32) -> Option<Touched> {
        Some(match op.kind {
            OpKind::Arrive => {
                let (act, generation) = self.arrive();
                Touched::new(Reply::value(u64::from(generation)), act, generation)
            }
            OpKind::Leave => Touched::new(Reply::DONE, Act::Leave, op.arg as u32),
            OpKind::IsLeader => {
                let leads = self.asked(op.arg as usize, outcome);
                Touched::new(Reply::DONE.flagged(leads), Act::Lead, op.arg as u32)
            }
            _ => return None,
        })
    }

    /// One more has arrived: how, and in which round.
    fn arrive(&mut self) -> (Act, u32) {
        let generation = self.generation();
        self.arrived += 1;
        if self.arrived < self.size {
            return (Act::Arrive, generation);
        }
        self.arrived = 0;
        self.generations.push(Generation::default());
        (Act::ArriveLast, generation)
    }

    /// Somebody has asked whether it leads. Does it?
    fn asked(&mut self, generation: usize, outcome: u32) -> bool {
        let g = &mut self.generations[generation];
        let leads = !g.claimed && outcome == 0;
        g.asked += 1;
        g.claimed |= leads;
        leads
    }

    fn generation(&self) -> u32 {
        self.generations.len() as u32 - 1
    }
}

impl Model for Barrier {
    fn outcomes(&self, _: ThreadId, op: &Op, _: Option<&Object>, _: &Options) -> Outcomes {
        match op.kind {
            OpKind::Leave => Outcomes::ready_if(self.generation() > op.arg as u32),
            OpKind::IsLeader => {
                let g = self.generations[op.arg as usize];
                Outcomes::Ready(if g.claimed || g.asked + 1 == self.size { 1 } else { 2 })
            }
            _ => Outcomes::Ready(1),
        }
    }

    fn carry_out(&mut self, op: &Op, outcome: u32, cx: &mut Cx<'_>) -> Reply {
        match op.kind {
            OpKind::Arrive => {
                let (act, generation) = self.arrive();
                cx.release(&mut self.generations[generation as usize].published);
                cx.touch(cx.object, act, generation);
                Reply::value(u64::from(generation))
            }
            OpKind::Leave => {
                cx.acquire(self.generations[op.arg as usize].published);
                cx.touch(cx.object, Act::Leave, op.arg as u32);
                Reply::DONE
            }
            OpKind::IsLeader => {
                let leads = self.asked(op.arg as usize, outcome);
                cx.touch(cx.object, Act::Lead, op.arg as u32);
                Reply::DONE.flagged(leads)
            }
            _ => unreachable!("{:?} on a barrier", op.kind),
        }
    }
}
