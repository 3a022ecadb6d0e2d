//! Plain accesses that are steps: those that were found to race, when races are to be explored.
//!
//! Which ones is said by the instruction, not by the memory: it is the same in every execution, wherever a block lies. All that an instruction
//! accesses is a step then. The others are still judged, with these taken for relaxed atomics. When no execution finds a race any
//! more, the program is one without races whose atomics are these accesses, and to leave the others out loses nothing
//! (`gordian-model/src/cell.rs`). A race that is found makes steps of both accesses from there on, and the search begins again.
//!
//! A loop that waits for a plain variable would never come to a step before somebody has raced with it. So a thread that reads the same again
//! and again, and is in the same state each time, makes a step of that.

use super::atomics::Access;
use crate::runtime::Runtime;
use crate::turn;
use gordian_model::{Plan, Races, ThreadId};
use rustc_hash::FxHashSet;

/// Which plain accesses are steps.
#[derive(Default)]
pub(crate) struct Racy {
    /// Races make steps.
    explores: bool,
    /// Where the hooks of these accesses return to.
    points: FxHashSet<usize>,
    /// How many of the trace's races have been looked at.
    seen: usize,
}

impl Racy {
    pub(crate) fn begin(&mut self, plan: &Plan) {
        self.explores = plan.options.races == Races::Explore;
        self.points = plan.points.iter().map(|&point| point as usize).collect();
        self.seen = 0;
    }

    /// Is an access a step whose hook returns there?
    #[inline]
    fn contains(&self, caller: usize) -> bool {
        self.explores && self.points.contains(&caller)
    }
}

/// A read that a thread may be waiting with.
#[derive(Clone, Copy, Default)]
pub(crate) struct Waiting {
    /// Where its hook returns to, and what it reads.
    read: (usize, usize),
    /// How often it was met without anything else having been done, and how many others were met since.
    met: u32,
    others: u32,
}

/// So often a read is met before the state of the thread is compared, and so many others a round may have.
const OFTEN: u32 = 1000;
const ROUND: u32 = 1000;

impl Waiting {
    /// One more read. Is the state to be compared with that of the round before?
    fn reads(&mut self, read: (usize, usize)) -> bool {
        if self.read == read {
            self.met += 1;
            self.others = 0;
            return self.met >= OFTEN && (self.met % OFTEN) < 2;
        }
        self.others += 1;
        if self.others > ROUND || self.met == 0 {
            *self = Waiting { read, met: 1, others: 0 };
        }
        false
    }
}

impl Runtime {
    /// A plain access at this place is a step from now on.
    fn becomes_point(&mut self, caller: usize) {
        if caller != 0 && self.racy.points.insert(caller) {
            self.conductor.trace.points.push(caller as u64);
        }
    }

    /// Takes in the races that were found since this was last called.
    fn learn_races(&mut self) {
        while let Some(race) = self.conductor.trace.races.get(self.racy.seen) {
            self.racy.seen += 1;
            for side in race.sides {
                if let Some(i) = (side.site.0 as usize).checked_sub(1) {
                    self.becomes_point(self.shared.frames(i)[0] as usize);
                }
            }
        }
    }

    /// A thread has judged a plain access that it is about to make. Is it a step?
    pub(crate) fn is_racy(&mut self, me: ThreadId, at: (usize, usize), write: bool, caller: usize) -> bool {
        if !self.racy.explores {
            return false;
        }
        if self.conductor.trace.races.len() > self.racy.seen {
            self.learn_races();
        }
        if write {
            self.words.overwritten(at.0, at.1);
            if !self.control(me).is_local(at.0) {
                self.control(me).waiting = Waiting::default();
            }
        } else if self.control(me).waiting.reads((caller, at.0)) && self.is_same_state(me, true) {
            self.becomes_point(caller);
        }
        self.racy.contains(caller)
    }
}

/// Is it known before that a plain access whose hook returns there is a step?
#[inline]
pub(crate) fn is_point(caller: usize) -> bool {
    turn::with(|rt| rt.racy.contains(caller))
}

/// Are races explored?
pub(crate) fn explores() -> bool {
    turn::with(|rt| rt.racy.explores)
}

/// Makes a plain access a step. It happens when this returns.
pub(crate) fn step(me: ThreadId, (address, bytes): (usize, usize), write: bool, caller: usize) {
    if bytes > 0 {
        Access { me, address, bytes, caller }.raced(write);
    }
}
