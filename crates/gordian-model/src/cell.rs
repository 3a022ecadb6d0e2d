//! Plain memory: cells that threads may share only if something orders their accesses.
//!
//! Cells are no scheduling points. Up to the first data race every order of the synchronising steps gives the
//! same values in cells, so exploring those orders and judging each access by happens-before finds a race
//! whenever there is one (FastTrack's epochs; Flanagan and Freund, PLDI 2009).

use crate::id::{SiteId, ThreadId};
use crate::object::Synchronisation;
use smallvec::SmallVec;

/// One access: who, when by its own clock, where.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Epoch {
    /// The thread.
    pub thread: ThreadId,
    /// Its own time.
    pub time: u32,
    /// The place in the source.
    pub site: SiteId,
}

/// The accesses that a later one may race with.
#[derive(Clone, Debug, Default)]
pub struct Cell {
    write: Option<Epoch>,
    reads: SmallVec<[Epoch; 2]>,
}

/// The earlier access of a race, and whether it wrote.
pub type Earlier = (Epoch, bool);

impl Cell {
    /// Makes it a cell that nobody has touched.
    pub fn clear(&mut self) {
        self.write = None;
        self.reads.clear();
    }

    /// Records an access, or says with which earlier one it races.
    #[inline]
    pub fn access(&mut self, now: Epoch, write: bool, sync: &Synchronisation) -> Result<(), Earlier> {
        self.check(now, write, sync)?;
        self.record(now, write);
        Ok(())
    }

    /// Records an access, whatever it races with.
    #[inline]
    pub fn record(&mut self, now: Epoch, write: bool) {
        if write {
            self.write = Some(now);
            self.reads.clear();
        } else {
            self.note(now);
        }
    }

    /// Says with which earlier access one races that is not recorded here.
    #[inline]
    pub fn check(&self, now: Epoch, write: bool, sync: &Synchronisation) -> Result<(), Earlier> {
        let unordered = |e: &Epoch| e.thread != now.thread && e.time > sync.knows(now.thread, e.thread);
        if let Some(earlier) = self.write.filter(unordered) {
            return Err((earlier, true));
        }
        if write && let Some(earlier) = self.reads.iter().copied().find(unordered) {
            return Err((earlier, false));
        }
        Ok(())
    }

    /// Of the accesses that were [noted](Self::note), one that nothing orders before this.
    #[inline]
    pub fn noted(&self, now: Epoch, sync: &Synchronisation) -> Option<Epoch> {
        let unordered = |e: &Epoch| e.thread != now.thread && e.time > sync.knows(now.thread, e.thread);
        self.reads.iter().copied().find(unordered)
    }

    /// Records an access whatever it meets, the last of each thread: those to atomics do not race with each other.
    #[inline]
    pub fn note(&mut self, now: Epoch) {
        match self.reads.iter_mut().find(|e| e.thread == now.thread) {
            Some(e) => *e = now,
            None => self.reads.push(now),
        }
    }
}
