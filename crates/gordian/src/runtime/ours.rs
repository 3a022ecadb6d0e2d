//! The memory that the runtime itself writes to, which is left out when the state of a thread is compared.

use super::host::Runtime;
use super::snapshot::REACH;

/// The parts of memory (start and end) that are ours. They are told anew each time, and hardly ever differ from the last time.
pub(super) struct Ours {
    parts: Vec<(usize, usize)>,
    /// The same in the order of addresses.
    sorted: Vec<(usize, usize)>,
    /// So many have been told.
    told: usize,
    changed: bool,
    version: u32,
}

impl Default for Ours {
    fn default() -> Ours {
        // With room, as for snapshots.
        let room = || Vec::with_capacity(512);
        Ours { parts: room(), sorted: room(), told: 0, changed: false, version: 0 }
    }
}

impl Ours {
    /// Another number for every list of parts.
    pub(super) fn version(&self) -> u32 {
        self.version
    }

    /// How many bytes from an address on are compared: up to the next thing that is ours, and nothing if it lies in one.
    pub(super) fn reach(&self, address: usize) -> usize {
        let after = self.sorted.partition_point(|part| part.0 <= address);
        if self.sorted[..after].last().is_some_and(|part| address < part.1) {
            return 0;
        }
        self.sorted.get(after).map_or(REACH, |part| REACH.min(part.0 - address))
    }

    #[inline(always)]
    fn tell(&mut self, start: usize, end: usize) {
        // What is empty hides nothing.
        if start < end {
            if self.parts.get(self.told) != Some(&(start, end)) {
                self.parts.truncate(self.told);
                self.parts.push((start, end));
                self.changed = true;
            }
            self.told += 1;
        }
    }

    /// All have been told.
    fn settle(&mut self) {
        // The lists themselves are written to.
        self.parts.reserve(2);
        self.sorted.reserve(self.parts.capacity() - self.sorted.len());
        for start in [self.parts.as_ptr() as usize, self.sorted.as_ptr() as usize] {
            self.tell(start, start + self.parts.capacity() * size_of::<(usize, usize)>());
        }
        self.changed |= self.parts.len() > self.told;
        self.parts.truncate(std::mem::take(&mut self.told));
        if std::mem::take(&mut self.changed) {
            self.version += 1;
            self.sorted.clear();
            self.sorted.extend_from_slice(&self.parts);
            self.sorted.sort_unstable();
            // One may lie in another, whose end then counts.
            let mut last = 0;
            self.sorted.iter_mut().for_each(|part| {
                part.1 = part.1.max(last);
                last = part.1;
            });
        }
    }
}

impl Runtime {
    /// Finds out what is ours now.
    pub(super) fn note_ours(&mut self, ours: &mut Ours) {
        let mut tell = |start, end| ours.tell(start, end);
        slice(std::slice::from_ref(self), &mut tell);
        slice(&self.tasks, &mut tell);
        let (start, end) = host_stack();
        tell(start, end);
        self.conductor.memory(&mut tell);
        self.heap.memory(&mut tell);
        for task in &self.tasks {
            task.snapshot.memory(&mut tell);
        }
        ours.settle();
    }
}

/// Tells where a slice begins and ends.
pub(super) fn slice<T>(slice: &[T], mut tell: impl FnMut(usize, usize)) {
    let range = slice.as_ptr_range();
    tell(range.start as usize, range.end as usize);
}

/// Tells where a buffer begins and ends.
pub(super) fn whole<T>(buffer: &Vec<T>, mut tell: impl FnMut(usize, usize)) {
    let start = buffer.as_ptr() as usize;
    tell(start, start + buffer.capacity() * size_of::<T>());
}

/// The stack of this OS thread, on which the host runs.
#[cfg(target_os = "linux")]
fn host_stack() -> (usize, usize) {
    thread_local!(static BOUNDS: (usize, usize) = find_host_stack());
    BOUNDS.with(|b| *b)
}

#[cfg(target_os = "linux")]
fn find_host_stack() -> (usize, usize) {
    {
        // SAFETY: plain libc calls; the attributes are initialised by the first and destroyed by the last.
        unsafe {
            let mut attributes: libc::pthread_attr_t = std::mem::zeroed();
            let (mut start, mut size) = (std::ptr::null_mut(), 0);
            if libc::pthread_getattr_np(libc::pthread_self(), &raw mut attributes) != 0 {
                return (0, 0);
            }
            libc::pthread_attr_getstack(&raw const attributes, &raw mut start, &raw mut size);
            libc::pthread_attr_destroy(&raw mut attributes);
            (start as usize, start as usize + size)
        }
    }
}

#[cfg(not(target_os = "linux"))]
fn host_stack() -> (usize, usize) {
    (0, 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(ours: &mut Ours, parts: &[(usize, usize)]) -> u32 {
        parts.iter().for_each(|&(start, end)| ours.tell(start, end));
        ours.settle();
        ours.version()
    }

    #[test]
    fn a_list_that_is_told_again_is_the_same() {
        let mut ours = Ours::default();
        let first = told(&mut ours, &[(2100, 2200), (50, 50), (1000, 2000), (1200, 1300)]);
        assert_eq!(told(&mut ours, &[(2100, 2200), (1000, 2000), (1200, 1300)]), first);
        let reach = [900, 800, 1000, 1999, 2000, 2050, 2150, 2200].map(|address| ours.reach(address));
        assert_eq!(reach, [100, REACH, 0, 0, 100, 50, 0, REACH]);
        for other in
            [&[(1000, 2000)][..], &[(1000, 2000), (2100, 2300)], &[(1000, 2000), (2100, 2300), (1, 2)]]
        {
            let before = ours.version();
            assert_ne!(told(&mut ours, other), before);
            assert_eq!(told(&mut ours, other), before + 1);
        }
    }
}
