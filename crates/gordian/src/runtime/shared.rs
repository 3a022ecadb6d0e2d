//! What all threads of an execution share besides the conductor, and where places in the source get their numbers.

use super::panic::PanicNote;
use super::storage::Storage;
use crate::thread::Local;
use crate::time::Clock;
use gordian_model::{Names, SiteId, ThreadId};
use std::collections::hash_map::DefaultHasher;
use std::collections::{HashMap, HashSet};
use std::hash::BuildHasherDefault;
use std::panic::Location;

/// How far the panic of a thread has been dealt with.
pub(crate) struct Panicked {
    pub(crate) thread: ThreadId,
    pub(crate) note: PanicNote,
    pub(crate) handled: bool,
}

/// Numbers of objects by the addresses of their tags.
pub(super) type Contended = HashMap<usize, u32, BuildHasherDefault<DefaultHasher>>;

/// What all threads of an execution share besides the conductor.
#[derive(Default)]
pub(crate) struct Shared {
    /// Values that live as long as the execution.
    pub(super) storage: Storage,
    /// Objects whose tags belong to an execution that runs beside this one, by the address of the tag.
    pub(super) contended: Contended,
    /// Objects that an earlier execution has used.
    pub(super) older: HashSet<u32, BuildHasherDefault<DefaultHasher>>,
    /// Thread-local values.
    pub(crate) locals: Vec<Local>,
    pub(crate) panics: Vec<Panicked>,
    /// Names given by `thread::Builder`.
    pub(crate) thread_names: Vec<(ThreadId, String)>,
    /// References handed out as raw pointers: address and object.
    pub(crate) raw: Vec<(usize, u32)>,
    /// Virtual time of each thread.
    pub(crate) times: Vec<Clock>,
    /// Markers reached by `cover!`.
    pub(crate) covered: Vec<&'static str>,
}

impl Shared {
    /// Begins afresh. Most programs use nothing of it.
    #[inline]
    pub(super) fn clear(&mut self) {
        let used = self.contended.len()
            | self.older.len()
            | self.locals.len()
            | self.panics.len()
            | self.thread_names.len()
            | self.raw.len()
            | self.times.len();
        if used != 0 {
            self.clear_all();
        }
    }

    #[inline(never)]
    fn clear_all(&mut self) {
        self.contended.clear();
        self.older.clear();
        self.locals.clear();
        self.panics.clear();
        self.thread_names.clear();
        self.raw.clear();
        self.times.clear();
    }
}

/// A cache from places in the source, by address, to their numbers.
pub(super) struct Sites {
    cache: Box<[(usize, SiteId); Sites::PLACES]>,
}

impl Default for Sites {
    fn default() -> Sites {
        Sites { cache: Box::new([(0, SiteId::UNKNOWN); Sites::PLACES]) }
    }
}

impl Sites {
    const PLACES: usize = 512;

    /// Numbers are given anew.
    pub(super) fn forget(&mut self) {
        self.cache.fill((0, SiteId::UNKNOWN));
    }

    #[inline]
    pub(super) fn get(&mut self, location: &'static Location<'static>, names: &mut Names) -> SiteId {
        let address = std::ptr::from_ref(location) as usize;
        let entry = self.cache[(address >> 3) % Sites::PLACES];
        if entry.0 == address { entry.1 } else { self.get_elsewhere(location, names) }
    }

    /// The number, if it is where it belongs.
    #[inline(always)]
    pub(super) fn known(&self, location: &'static Location<'static>) -> Option<SiteId> {
        let address = std::ptr::from_ref(location) as usize;
        let entry = self.cache[(address >> 3) % Sites::PLACES];
        (entry.0 == address).then_some(entry.1)
    }

    /// Of those that belong in one place, all but the first are in the places after it: to look one up among all names takes the longer the more
    /// there are.
    #[cold]
    #[inline(never)]
    fn get_elsewhere(&mut self, location: &'static Location<'static>, names: &mut Names) -> SiteId {
        const NEAR: usize = 16;
        let address = std::ptr::from_ref(location) as usize;
        let first = (address >> 3) % Sites::PLACES;
        let mut near = (first..first + NEAR).map(|place| place % Sites::PLACES);
        let place = near.find(|&place| [address, 0].contains(&self.cache[place].0)).unwrap_or(first);
        let entry = &mut self.cache[place];
        if entry.0 != address {
            *entry = (address, names.intern(location.file(), location.line(), location.column()));
        }
        entry.1
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_that_fall_together_keep_their_numbers() {
        let places = [*Location::caller(), *here(), *here()];
        // Far more than there is room for, so that many have one place, beside others that are full.
        let many: &'static [Location<'static>] = (0..4096).map(|i| places[i % 3]).collect::<Vec<_>>().leak();
        let (mut sites, mut names) = (Sites::default(), Names::default());
        for stride in [1, 512, 64, 1024, 7] {
            for (i, place) in many.iter().enumerate().step_by(stride).chain(many.iter().enumerate().take(40))
            {
                let number = names.intern(place.file(), place.line(), place.column());
                assert_eq!(sites.get(place, &mut names), number, "{i}");
            }
        }
        assert_eq!(names.sites().len(), 3);
    }

    #[track_caller]
    fn here() -> &'static Location<'static> {
        Location::caller()
    }
}
