//! A shadow of the program's memory: which cells stand for which bytes.
//!
//! Memory is divided into granules of eight bytes. What was accessed in one is kept by the bytes that the access was to, so that two
//! neighbours in a granule do not meet. Accesses to atomics are kept apart: they race with plain ones only.

use gordian_model::cell::Epoch;
use gordian_model::{Conductor, Races, SiteId, ThreadId};
use rustc_hash::FxHashMap;

const PAGE: usize = 4096;
const GRANULES: usize = PAGE / 8;

/// The granule has been given back to the heap.
pub(crate) const FREED: u32 = u32::MAX;

/// What was accessed in a granule: zero for nothing, [`FREED`], or a number in `Shadow::spots` and one.
type Page = [u32; GRANULES];

/// The accesses to some bytes of a granule.
struct Spot {
    mask: u8,
    /// The plain ones.
    plain: u32,
    /// Those to an atomic, reads and writes; none are [`NONE`].
    atomic: [u32; 2],
    /// The last plain one: by whom, when, and whether it wrote. One more of the kind changes nothing.
    last: (u32, u32, bool),
    /// More of the granule.
    next: u32,
}

const NONE: u32 = u32::MAX;

/// The shadow.
#[derive(Default)]
pub(crate) struct Shadow {
    pages: FxHashMap<usize, Box<Page>>,
    /// The page looked at last.
    near: Option<(usize, *mut Page)>,
    spots: Vec<Spot>,
}

/// How an access went.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Judged {
    Fine,
    /// The execution has failed: a data race.
    Race,
    /// The memory has been freed.
    Freed,
}

impl Shadow {
    fn page(&mut self, number: usize) -> &mut Page {
        if let Some((near, page)) = self.near
            && near == number
        {
            // SAFETY: the page is in a box of its own, and pages are never taken out.
            return unsafe { &mut *page };
        }
        let page = &mut **self.pages.entry(number).or_insert_with(|| Box::new([0; GRANULES]));
        self.near = Some((number, page));
        page
    }

    /// Is every granule of a page as if nobody had been there?
    fn is_untouched(&self, number: usize) -> bool {
        !self.pages.contains_key(&number)
    }

    /// Has any of the memory been freed?
    pub(crate) fn is_freed(&mut self, address: usize, bytes: usize) -> Judged {
        for at in [address, address + bytes - 1] {
            if !self.is_untouched(at / PAGE) && self.page(at / PAGE)[at % PAGE / 8] == FREED {
                return Judged::Freed;
            }
        }
        Judged::Fine
    }

    /// A plain access by a thread.
    #[inline]
    pub(crate) fn access(
        &mut self,
        conductor: &mut Conductor,
        (me, address, bytes): (ThreadId, usize, usize),
        write: bool,
        site: SiteId,
    ) -> Judged {
        let now = conductor.time(me);
        for (at, mask) in granules(address, bytes) {
            let first = self.page(at / PAGE)[at % PAGE / 8];
            if first == FREED {
                return Judged::Freed;
            }
            if now != 0 && !self.judge(conductor, (first, at), mask, (me, now), write, site) {
                return Judged::Race;
            }
            if now == 0 && conductor.options().races != Races::Ignore {
                conductor.trace.cells_seen = true;
            }
        }
        Judged::Fine
    }

    /// Judges and records a plain access to bytes of one granule.
    fn judge(
        &mut self,
        conductor: &mut Conductor,
        (first, at): (u32, usize),
        mask: u8,
        (me, now): (ThreadId, u32),
        write: bool,
        site: SiteId,
    ) -> bool {
        let mut exact = None;
        let mut i = first;
        while i != 0 {
            let spot = &mut self.spots[i as usize - 1];
            let next = spot.next;
            if spot.mask == mask {
                if spot.last.0 == me.0
                    && spot.last.1 == now
                    && (spot.last.2 || !write)
                    && next == 0
                    && first == i
                {
                    return true;
                }
                exact = Some(i as usize - 1);
            } else if spot.mask & mask != 0 && !conductor.check_cell(me, spot.plain, write, site) {
                return false;
            }
            if spot.mask & mask != 0 {
                let [reads, writes] = spot.atomic;
                if writes != NONE && !conductor.check_noted(me, writes, [write, true], site) {
                    return false;
                }
                if write && reads != NONE && !conductor.check_noted(me, reads, [true, false], site) {
                    return false;
                }
            }
            i = next;
        }
        let i = exact.unwrap_or_else(|| self.add(conductor, at, mask));
        let spot = &mut self.spots[i];
        if !conductor.access_cell(me, spot.plain, write, site) {
            return false;
        }
        spot.last = (me.0, now, write);
        true
    }

    /// An access to an atomic, made at that time.
    pub(crate) fn access_atomic(
        &mut self,
        conductor: &mut Conductor,
        (me, address, bytes): (ThreadId, usize, usize),
        (write, time): (bool, u32),
        site: SiteId,
    ) -> Judged {
        for (at, mask) in granules(address, bytes) {
            let first = self.page(at / PAGE)[at % PAGE / 8];
            if first == FREED {
                return Judged::Freed;
            }
            if conductor.time(me) != 0 {
                let mut exact = None;
                let mut i = first;
                while i != 0 {
                    let spot = &self.spots[i as usize - 1];
                    if spot.mask & mask != 0 && !conductor.check_cell(me, spot.plain, write, site) {
                        return Judged::Race;
                    }
                    if spot.mask == mask {
                        exact = Some(i as usize - 1);
                    }
                    i = spot.next;
                }
                let i = exact.unwrap_or_else(|| self.add(conductor, at, mask));
                let cell = &mut self.spots[i].atomic[usize::from(write)];
                if *cell == NONE {
                    *cell = conductor.create_cell();
                }
                conductor.note_cell(*cell, Epoch { thread: me, time, site });
            }
        }
        Judged::Fine
    }

    fn add(&mut self, conductor: &mut Conductor, at: usize, mask: u8) -> usize {
        let plain = conductor.create_cell();
        self.spots.push(Spot { mask, plain, atomic: [NONE; 2], last: (NONE, 0, false), next: 0 });
        let new = self.spots.len() as u32;
        let first = std::mem::replace(&mut self.page(at / PAGE)[at % PAGE / 8], new);
        self.spots[new as usize - 1].next = first;
        new as usize - 1
    }

    /// Nobody has accessed this memory so far: it is new.
    pub(crate) fn renew(&mut self, start: usize, end: usize) {
        self.fill(start, end, 0);
    }

    /// Nobody may access this memory from now on.
    pub(crate) fn free(&mut self, start: usize, end: usize) {
        self.fill(start, end, FREED);
    }

    fn fill(&mut self, start: usize, end: usize, with: u32) {
        if with == 0 && (end - start) / PAGE > self.pages.len() {
            let inside = |number: usize| number * PAGE >= start && (number + 1) * PAGE <= end;
            self.pages.iter_mut().filter(|(number, _)| inside(**number)).for_each(|(_, page)| page.fill(0));
            return;
        }
        let mut at = start & !7;
        while at < end {
            let until = end.min((at | (PAGE - 1)) + 1);
            if with != 0 || !self.is_untouched(at / PAGE) {
                let (from, to) = (at % PAGE / 8, (until - 1) % PAGE / 8);
                self.page(at / PAGE)[from..=to].fill(with);
            }
            at = until;
        }
    }

    /// Judges the end of a block's life: it is a write to all that was ever accessed in it. That it comes too early is a failure also where races
    /// are explored, as it is no step.
    pub(crate) fn access_known(
        &mut self,
        conductor: &mut Conductor,
        me: ThreadId,
        (start, end): (usize, usize),
        site: SiteId,
    ) -> bool {
        if conductor.time(me) == 0 {
            return true;
        }
        let races = conductor.set_races(Races::Fail);
        let fine = self.outlives_all(conductor, me, (start, end), site);
        conductor.set_races(races);
        fine
    }

    fn outlives_all(
        &mut self,
        conductor: &mut Conductor,
        me: ThreadId,
        (start, end): (usize, usize),
        site: SiteId,
    ) -> bool {
        let mut at = start & !7;
        while at < end {
            if self.is_untouched(at / PAGE) {
                at = (at | (PAGE - 1)) + 1;
                continue;
            }
            let mut i = self.page(at / PAGE)[at % PAGE / 8];
            while i != 0 && i != FREED {
                let spot = &self.spots[i as usize - 1];
                let [reads, writes] = spot.atomic;
                let fine = conductor.check_cell(me, spot.plain, true, site)
                    && (writes == NONE || conductor.check_noted(me, writes, [true, true], site))
                    && (reads == NONE || conductor.check_noted(me, reads, [true, false], site));
                if !fine {
                    return false;
                }
                i = spot.next;
            }
            at += 8;
        }
        true
    }
}

/// The granules that memory lies in: where it begins in each, and which bytes of it they are.
#[inline]
fn granules(address: usize, bytes: usize) -> impl Iterator<Item = (usize, u8)> {
    let (mut at, end) = (address, address + bytes);
    std::iter::from_fn(move || {
        let (from, until) = (at, end.min((at | 7) + 1));
        at = until;
        (from < until).then(|| (from, mask(from, until)))
    })
}

/// The bytes of a granule from one address up to another.
fn mask(from: usize, until: usize) -> u8 {
    let ones = (1u16 << (until - from)) - 1;
    (ones << (from & 7)) as u8
}
