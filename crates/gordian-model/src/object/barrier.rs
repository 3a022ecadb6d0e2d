//! Barriers. Arriving commutes with arriving: std calls the leader "arbitrary", so who leads is chosen only
//! when somebody asks, and a barrier of eight threads is one class, not 40,320.

use super::{Cx, Model, Object, Outcomes};
use crate::access::Act;
use crate::clock::ClockId;
use crate::id::ThreadId;
use crate::op::{Op, OpKind, Reply};
use crate::plan::Options;
use smallvec::SmallVec;

#[derive(Clone, Copy, Debug)]
struct Leadership {
    generation: u32,
    asked: u32,
    claimed: bool,
}

/// A barrier.
#[derive(Clone, Debug)]
pub struct Barrier {
    size: u32,
    generation: u32,
    arrived: u32,
    leaders: SmallVec<[Leadership; 1]>,
    published: [ClockId; 2],
}

impl Barrier {
    /// A barrier for so many threads.
    pub fn new(size: u32) -> Barrier {
        Barrier {
            size: size.max(1),
            generation: 0,
            arrived: 0,
            leaders: SmallVec::new(),
            published: [ClockId::default(); 2],
        }
    }

    fn leadership(&self, generation: u32) -> Leadership {
        let found = self.leaders.iter().find(|l| l.generation == generation);
        found.copied().unwrap_or(Leadership { generation, asked: 0, claimed: false })
    }
}

impl Model for Barrier {
    fn outcomes(&self, _: ThreadId, op: &Op, _: Option<&Object>, _: &Options) -> Outcomes {
        match op.kind {
            OpKind::Leave => Outcomes::ready_if(self.generation > op.arg as u32),
            OpKind::IsLeader => {
                let l = self.leadership(op.arg as u32);
                Outcomes::Ready(if l.claimed || l.asked + 1 == self.size { 1 } else { 2 })
            }
            _ => Outcomes::Ready(1),
        }
    }

    fn carry_out(&mut self, op: &Op, outcome: u32, cx: &mut Cx<'_>) -> Reply {
        match op.kind {
            OpKind::Arrive => {
                let generation = self.generation;
                let published = &mut self.published[generation as usize % 2];
                if self.arrived == 0 {
                    *published = ClockId::default();
                }
                cx.release(published);
                cx.touch(cx.object, Act::Arrive, generation);
                self.arrived += 1;
                if self.arrived == self.size {
                    self.arrived = 0;
                    self.generation += 1;
                }
                Reply::value(u64::from(generation))
            }
            OpKind::Leave => {
                cx.acquire(self.published[op.arg as usize % 2]);
                cx.touch(cx.object, Act::Leave, op.arg as u32);
                Reply::DONE
            }
            OpKind::IsLeader => {
                let mut l = self.leadership(op.arg as u32);
                let leads = !l.claimed && outcome == 0;
                l.asked += 1;
                l.claimed |= leads;
                self.leaders.retain(|other| other.generation != l.generation);
                self.leaders.push(l);
                cx.touch(cx.object, Act::Lead, l.generation);
                Reply::DONE.flagged(leads)
            }
            _ => unreachable!("{:?} on a barrier", op.kind),
        }
    }
}
