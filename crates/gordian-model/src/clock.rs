//! Vector clocks, kept as rows of one growing table so that none is allocated on its own.
//!
//! A clock maps every thread to the number of its steps that are known. Row zero is the empty clock: an
//! object that has published nothing costs nothing.

use crate::id::ThreadId;

/// A row of [`Clocks`]. The default is the empty clock, which is never written.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct ClockId(u32);

/// Eight threads are enough for most tests: with the width known, what is done to a clock is a few instructions.
const USUAL: usize = 8;

/// A table of vector clocks of equal width.
#[derive(Clone, Debug)]
pub struct Clocks {
    cells: Vec<u32>,
    width: usize,
}

impl Default for Clocks {
    fn default() -> Self {
        Clocks { cells: vec![0; USUAL], width: USUAL }
    }
}

impl Clocks {
    /// Drops every clock.
    pub fn clear(&mut self) {
        self.cells.truncate(self.width);
    }

    pub(crate) fn memory(&self, tell: &mut dyn FnMut(usize, usize)) {
        let cells = self.cells.as_ptr_range();
        tell(cells.start as usize, cells.end as usize);
    }

    fn rows(&self) -> usize {
        // The width is a power of two, and dividing by what is not known to be one is slow.
        self.cells.len() >> self.width.trailing_zeros()
    }

    /// Drops the clock and all that were made after it.
    #[inline]
    pub fn truncate(&mut self, first: ClockId) {
        self.cells.truncate((first.0 as usize).max(1) * self.width);
    }

    /// Makes room for a thread in every clock.
    #[inline]
    pub fn admit(&mut self, thread: ThreadId) {
        if thread.index() >= self.width {
            self.widen(thread);
        }
    }

    #[cold]
    fn widen(&mut self, thread: ThreadId) {
        let width = (thread.index() + 1).next_power_of_two();
        let mut cells = Vec::with_capacity(self.rows() * width);
        for row in self.cells.chunks(self.width) {
            cells.extend_from_slice(row);
            cells.resize(cells.len() + width - self.width, 0);
        }
        self.cells = cells;
        self.width = width;
    }

    /// A new clock that knows nothing yet.
    #[inline]
    pub fn fresh(&mut self) -> ClockId {
        let id = self.rows();
        if self.width == USUAL {
            self.cells.extend_from_slice(&[0; USUAL]);
        } else {
            self.cells.resize(self.cells.len() + self.width, 0);
        }
        ClockId(id as u32)
    }

    /// A new clock that knows what another does.
    #[inline]
    pub fn another(&mut self, like: ClockId) -> ClockId {
        let id = self.rows();
        let like = self.start(like);
        if let Some(&row) = self.cells[like..].first_chunk::<USUAL>()
            && self.width == USUAL
        {
            self.cells.extend_from_slice(&row);
        } else {
            self.cells.extend_from_within(like..like + self.width);
        }
        ClockId(id as u32)
    }

    /// The clock, making it if it is still the empty one.
    #[inline]
    pub fn own(&mut self, id: &mut ClockId) -> ClockId {
        if id.0 == 0 {
            *id = self.fresh();
        }
        *id
    }

    #[inline]
    fn start(&self, id: ClockId) -> usize {
        id.0 as usize * self.width
    }

    /// How many steps of `thread` the clock knows.
    #[inline]
    pub fn get(&self, id: ClockId, thread: ThreadId) -> u32 {
        if thread.index() >= self.width { 0 } else { self.cells[self.start(id) + thread.index()] }
    }

    /// Sets what the clock knows of one thread.
    #[inline]
    pub fn set(&mut self, id: ClockId, thread: ThreadId, value: u32) {
        debug_assert!(id.0 != 0);
        let start = self.start(id);
        self.cells[start + thread.index()] = value;
    }

    /// `into` learns everything that `from` knows.
    #[inline]
    pub fn join(&mut self, into: ClockId, from: ClockId) {
        if from.0 == 0 || from == into {
            return;
        }
        if self.width != USUAL {
            return self.join_wide(into, from);
        }
        let (into, from) = (into.0 as usize * USUAL, from.0 as usize * USUAL);
        let Some(&from) = self.cells[from..].first_chunk::<USUAL>() else { return };
        let Some(into) = self.cells[into..].first_chunk_mut::<USUAL>() else { return };
        for (into, from) in into.iter_mut().zip(from) {
            // As signed numbers, which these are not too large for: only those have a short way to be compared by fours.
            *into = (*into as i32).max(from as i32) as u32;
        }
    }

    #[inline(never)]
    fn join_wide(&mut self, into: ClockId, from: ClockId) {
        let (into, from, width) = (self.start(into), self.start(from), self.width);
        for i in 0..width {
            self.cells[into + i] = self.cells[into + i].max(self.cells[from + i]);
        }
    }

    /// `into` becomes a copy of `from`.
    #[inline]
    pub fn copy(&mut self, into: ClockId, from: ClockId) {
        let from = self.start(from);
        let into = self.start(into);
        self.cells.copy_within(from..from + self.width, into);
    }

    /// The clock as a slice.
    pub fn row(&self, id: ClockId) -> &[u32] {
        &self.cells[self.start(id)..self.start(id) + self.width]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn join_keeps_the_later_of_both_and_survives_growth() {
        let mut clocks = Clocks::default();
        let (a, b) = (clocks.fresh(), clocks.fresh());
        clocks.set(a, ThreadId(1), 5);
        clocks.set(b, ThreadId(1), 3);
        clocks.set(b, ThreadId(2), 7);
        clocks.admit(ThreadId(300));
        clocks.set(b, ThreadId(300), 9);
        clocks.join(a, b);
        assert_eq!([1, 2, 300].map(|t| clocks.get(a, ThreadId(t))), [5, 7, 9]);
        assert_eq!(clocks.get(ClockId::default(), ThreadId(1)), 0);
    }
}
