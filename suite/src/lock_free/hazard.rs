//! Hazard pointers (Michael, IEEE TPDS 2004), kept as libcds 1.4 keeps them. Whoever looks at a node says so first, and then looks whether the node is still where it was found. What has left a structure is
//! retired: noted in a list of the thread's own. When that is full, those that nobody looks at are freed.
//!
//! What a thread keeps for itself is plain memory in libcds. Here each access to it is a step, as it is for CODEX, which sees every access to memory.

use gordian::sync::atomic::{AtomicUsize, Ordering::SeqCst};

/// Three, and the main one.
pub(crate) const THREADS: usize = 4;
/// The most that one of libcds's queues needs at once.
const HAZARDS: usize = 6;
/// Twice as many as there are hazard pointers, as is usual in libcds. No test of nine calls comes to it.
const MOST_RETIRED: usize = 2 * HAZARDS * THREADS;
/// Refers to no node.
pub(crate) const NIL: usize = 0;
/// May be added to a reference; the node is the rest.
pub(crate) const MARK: usize = 32;

/// Those of all threads.
pub(crate) struct Hazards {
    /// None if nothing is ever freed.
    records: Vec<Record>,
}

struct Record {
    hazards: [AtomicUsize; HAZARDS],
    /// So many of them are not in use: the first ones.
    unused: AtomicUsize,
    retired: [AtomicUsize; MOST_RETIRED],
    count: AtomicUsize,
}

/// Some hazard pointers of a thread, in use as long as this is there.
pub(crate) struct Guards<'a> {
    record: Option<&'a Record>,
    first: usize,
    count: usize,
}

impl Hazards {
    pub(crate) fn new() -> Hazards {
        let record = || Record {
            hazards: [NIL; HAZARDS].map(AtomicUsize::new),
            unused: AtomicUsize::new(HAZARDS),
            retired: [NIL; MOST_RETIRED].map(AtomicUsize::new),
            count: AtomicUsize::new(0),
        };
        Hazards { records: (0..THREADS).map(|_| record()).collect() }
    }

    /// For structures whose nodes are never freed.
    pub(crate) fn none() -> Hazards {
        Hazards { records: Vec::new() }
    }

    /// Takes some hazard pointers of a thread.
    pub(crate) fn guards(&self, thread: usize, count: usize) -> Guards<'_> {
        let Some(record) = self.records.get(thread) else {
            return Guards { record: None, first: 0, count: 0 };
        };
        let first = record.unused.load(SeqCst) - count;
        record.unused.store(first, SeqCst);
        Guards { record: Some(record), first, count }
    }

    /// A node has left the structure. Gives those that can be used again.
    pub(crate) fn retire(&self, thread: usize, node: usize) -> Vec<usize> {
        let Some(record) = self.records.get(thread) else { return Vec::new() };
        let count = record.count.load(SeqCst);
        record.retired[count].store(node, SeqCst);
        record.count.store(count + 1, SeqCst);
        if count + 1 == MOST_RETIRED { self.scan(record) } else { Vec::new() }
    }

    /// Takes those out of a thread's list that nobody looks at.
    fn scan(&self, record: &Record) -> Vec<usize> {
        let hazards = self.records.iter().flat_map(|record| &record.hazards);
        let looked_at: Vec<usize> = hazards.map(|hazard| hazard.load(SeqCst)).collect();
        let nodes: Vec<usize> = record.retired.iter().map(|node| node.load(SeqCst)).collect();
        let (kept, free): (Vec<usize>, Vec<usize>) = nodes.iter().partition(|node| looked_at.contains(node));
        for (place, &node) in record.retired.iter().zip(&kept) {
            place.store(node, SeqCst);
        }
        record.count.store(kept.len(), SeqCst);
        free
    }
}

impl Guards<'_> {
    fn hazard(&self, number: usize) -> Option<&AtomicUsize> {
        self.record.map(|record| &record.hazards[self.first + number])
    }

    /// Says that a node is looked at.
    pub(crate) fn assign(&self, number: usize, node: usize) {
        if let Some(hazard) = self.hazard(number) {
            hazard.store(node % MARK, SeqCst);
        }
    }

    /// Reads a reference, and says that its node is looked at.
    pub(crate) fn protect(&self, number: usize, place: &AtomicUsize) -> usize {
        let mut seen = place.load(SeqCst);
        if self.record.is_none() {
            return seen;
        }
        loop {
            self.assign(number, seen);
            let again = place.load(SeqCst);
            if again == seen {
                return seen;
            }
            seen = again;
        }
    }

    /// The node that one hazard pointer refers to is referred to by another as well.
    pub(crate) fn copy(&self, to: usize, from: usize) {
        if let Some(hazard) = self.hazard(from) {
            self.assign(to, hazard.load(SeqCst));
        }
    }
}

impl Drop for Guards<'_> {
    fn drop(&mut self) {
        (0..self.count).for_each(|number| self.assign(number, NIL));
        if let Some(record) = self.record {
            record.unused.store(record.unused.load(SeqCst) + self.count, SeqCst);
        }
    }
}

pub(crate) fn exchange(place: &AtomicUsize, from: usize, to: usize) -> bool {
    place.compare_exchange(from, to, SeqCst, SeqCst).is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_looked_at_is_not_freed() {
        let hazards = Hazards::new();
        let place = AtomicUsize::new(7 + MARK);
        let guards = hazards.guards(1, 2);
        assert_eq!(guards.protect(0, &place), 7 + MARK);
        guards.copy(1, 0);
        guards.assign(0, NIL);
        for node in 1..MOST_RETIRED {
            assert!(hazards.retire(0, node).is_empty());
        }
        let free = hazards.retire(0, MOST_RETIRED);
        assert!(free.len() == MOST_RETIRED - 1 && !free.contains(&7), "{free:?}");
        drop(guards);
        for node in 1..MOST_RETIRED - 1 {
            assert!(hazards.retire(0, MOST_RETIRED + node).is_empty());
        }
        assert!(hazards.retire(0, 1).contains(&7));
        // All are unused again.
        assert_eq!(hazards.guards(1, HAZARDS).first, 0);
    }
}
