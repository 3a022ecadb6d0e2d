//! The structures of table 6-1 of the thesis on CB-DPOR as objects, some as they are in [`lock_free`](crate::lock_free). Memory is not used again except by Michael and Scott's queue, so that there are no hazard
//! pointers.

use super::nodes::NODES;
use super::{Checked, Subject, basket_queue, optimistic_queue, queue, set};
use crate::lock_free::fifo::{self, Bug};
use crate::lock_free::hazard::Hazards;
use crate::lock_free::{lazy_list, range_set, reference_cache, skip_list};
use gordian::FailureKind;
use gordian::lin::Object;
use gordian::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

/// Michael and Scott's queue, wrong in one way or right.
fn michael_scott(bug: Bug) -> Box<dyn Checked> {
    queue(move || fifo::Queue::new(bug), fifo::Queue::enqueue, fifo::Queue::dequeue)
}

/// The tag is reset.
pub const BOOST: Subject = Subject {
    name: "boost-fifo",
    source: "CB-DPOR thesis, chapter 5 and table 6-1: boost fifo",
    about: "the tag of a node that is used again begins at 0, and a value is hung behind it while it is not in the queue",
    object: |buggy| michael_scott(if buggy { Bug::Tag } else { Bug::None }),
    ..Subject::USUAL
};

/// The value is read late.
pub const LATE: Subject = Subject {
    name: "ms-queue",
    source: "CB-DPOR thesis, table 6-1: cds msqueue",
    about: "a value is read after the node has left the queue",
    object: |buggy| michael_scott(if buggy { Bug::Late } else { Bug::None }),
    ..Subject::USUAL
};

/// The tail is left behind.
pub const MOIR: Subject = Subject {
    name: "moir-queue",
    source: "CB-DPOR thesis, table 6-1: cds moirqueue",
    about: "the head overtakes the tail, which then refers to a free node",
    object: |buggy| michael_scott(if buggy { Bug::Tail } else { Bug::Moir }),
    ..Subject::USUAL
};

/// A structure whose nodes are never used again, and what is in them.
struct Fresh<Q> {
    structure: Q,
    values: [AtomicUsize; NODES],
    /// The first node is there from the beginning. (None of this is part of the structure, so that it is std's.)
    used: AtomicUsize,
}

impl<Q> Fresh<Q> {
    fn new(structure: Q) -> Fresh<Q> {
        Fresh { structure, values: [const { AtomicUsize::new(0) }; NODES], used: AtomicUsize::new(2) }
    }

    fn node(&self, value: usize) -> usize {
        let node = self.used.fetch_add(1, Relaxed);
        self.values[node].store(value, Relaxed);
        node
    }

    fn value(&self, node: usize) -> usize {
        self.values[node].load(Relaxed)
    }
}

/// The winner is forgotten.
pub const BASKET: Subject = Subject {
    name: "basket-queue",
    source: "CB-DPOR thesis, table 6-1: cds basketqueue",
    about: "an enqueuer that comes second replaces the node of the first",
    object: |buggy| {
        queue(
            || Fresh::new(basket_queue::Queue::new()),
            move |queue, value| queue.structure.enqueue(queue.node(value), buggy),
            |queue| queue.structure.dequeue().map(|node| queue.value(node)),
        )
    },
    ..Subject::USUAL
};

/// A missing link is the end.
pub const OPTIMISTIC: Subject = Subject {
    name: "optimistic-queue",
    source: "CB-DPOR thesis, table 6-1: cds optimisticqueue",
    about: "a link that is yet to be made is taken for the end of the queue",
    object: |buggy| {
        queue(
            || Fresh::new(optimistic_queue::Queue::new()),
            |queue, value| queue.structure.enqueue(queue.node(value)),
            move |queue| queue.structure.dequeue(buggy).map(|node| queue.value(node)),
        )
    },
    ..Subject::USUAL
};

/// Keys from 1 to 3.
const KEYS: usize = 3;
/// Nodes for each.
const EACH: usize = (NODES - 2) / KEYS;

/// A list whose nodes have their keys from the beginning, some for each.
struct Keyed<L> {
    list: L,
    used: [AtomicUsize; KEYS],
}

impl<L> Keyed<L> {
    fn new(list: impl Fn([usize; NODES]) -> L) -> Keyed<L> {
        let mut keys = [usize::MAX; NODES];
        keys[0] = 0;
        for (i, key) in keys[1..=KEYS * EACH].iter_mut().enumerate() {
            *key = i / EACH + 1;
        }
        Keyed { list: list(keys), used: [const { AtomicUsize::new(0) }; KEYS] }
    }

    fn node(&self, key: usize) -> usize {
        1 + (key - 1) * EACH + self.used[key - 1].fetch_add(1, Relaxed)
    }
}

/// Behind what was removed.
pub const LAZY_LIST: Subject = Subject {
    name: "lazy-list",
    source: "CB-DPOR thesis, table 6-1: cds lazylist",
    about: "an element is added behind one that has been removed meanwhile",
    object: |buggy| {
        set(
            move || Keyed::new(|keys| lazy_list::List::new(keys, Hazards::none(), buggy)),
            [
                |set: &Keyed<lazy_list::List>, key| set.list.insert(0, set.node(key)),
                |set, key| set.list.remove(0, key),
                |set, key| set.list.contains(0, key),
            ],
        )
    },
    ..Subject::USUAL
};

/// Linked too late, and found from above for ever, though it was removed. (The thesis does not say what was wrong with the skip list of libcds, only that tests failed.)
///
/// That shows in two ways. An element that was removed is still in the set, which no order explains. And what is to be inserted right behind it never is: `link` finds the removed node, locks it, sees that it was
/// removed, and looks again. The smallest tests fail in the second way, and are the first to be tried: `insert(1)` is preempted between its two links, `remove(1)` goes by, and then `insert(2)` is alone, so that nothing can
/// change any more. As each round takes a lock, it is no loop that only waits, and the limit of steps ends it. Tests hold both.
pub const SKIP_LIST: Subject = Subject {
    name: "skip-list",
    kind: FailureKind::StepLimit,
    source: "CB-DPOR thesis, table 6-1: cds skiplistset",
    about: "a node is linked at the upper level after it has been removed",
    object: |buggy| {
        set(
            move || (Keyed::new(|keys| skip_list::SkipList::new(keys, Hazards::none())), buggy),
            [
                |(set, buggy): &(Keyed<skip_list::SkipList>, bool), key| {
                    set.list.insert(0, set.node(key), *buggy)
                },
                |(set, _), key| set.list.remove(0, key),
                |(set, _), key| set.list.contains(0, key),
            ],
        )
    },
};

/// Missing for a while.
pub const RANGE_SET: Subject = Subject {
    name: "range-set",
    source: "CB-DPOR thesis, table 6-1: crange of sv6",
    about: "a range is missing while it is joined with its neighbour",
    object: |buggy| {
        let ranges = [(0, 2), (1, 4), (2, 5)];
        Box::new(
            Object::new(range_set::RangeSet::default)
                .op("add", ranges, move |set: &range_set::RangeSet, (start, end)| set.add(start..end, buggy))
                .op("remove", [(0, 3), (1, 2)], |set, (start, end)| set.remove(start..end))
                .op("contains", 0..5, |set, element| set.contains(element)),
        )
    },
    ..Subject::USUAL
};

/// Freed too early.
pub const REFERENCE_CACHE: Subject = Subject {
    name: "reference-cache",
    source: "CB-DPOR thesis, table 6-1: refcache of sv6",
    about: "an object is freed because its count was 0 twice, though not all the time",
    object: reference_cache,
    ..Subject::USUAL
};

/// The count, and what each core has counted for itself.
type Cache = (Mutex<reference_cache::Object>, [Mutex<i32>; reference_cache::CORES]);

/// A reference is made by the first core and given up by another; there always is one more, so that the object has to be alive. That a cache frees too early shows in calls one after the other, too, so that its own answers are no
/// specification.
///
/// No core does both. What makes the right version right is that an object in use whose count is 0 has a core with more references made than given up, whose next flush is seen; and that is
/// so only as long as this core cannot give one up before it flushes, while another one, which has flushed, makes one. If all hand over to all, references can move on ahead of the flushes, and noting that the
/// count was not 0 does not help: `a_reference_that_moves_ahead_of_the_flushes_is_not_seen` has the calls. The published algorithm has no answer to that either, so that there would be no right version.
fn reference_cache(buggy: bool) -> Box<dyn Checked> {
    let make = || {
        let mut object = reference_cache::Object::default();
        object.count = 1;
        (Mutex::new(object), [const { Mutex::new(0) }; reference_cache::CORES])
    };
    let object = Object::new(make)
        .specified_by(())
        .op_as(
            "hand_over",
            [1, 2],
            |cache: &Cache, to: usize| {
                *cache.1[0].lock().unwrap() += 1;
                *cache.1[to].lock().unwrap() -= 1;
            },
            |(), _| (),
        )
        .op_as(
            "flush",
            0..reference_cache::CORES,
            move |cache: &Cache, core: usize| {
                // Together, so that nothing counted is on its way.
                let mut object = cache.0.lock().unwrap();
                let delta = std::mem::take(&mut *cache.1[core].lock().unwrap());
                object.flush(core, delta, buggy);
            },
            |(), _| (),
        )
        .weight(3)
        .op_as("is_alive", [()], |cache: &Cache, ()| !cache.0.lock().unwrap().freed, |(), ()| true)
        .equal_states();
    Box::new(object)
}

#[cfg(test)]
mod tests {
    use crate::lock_free::reference_cache::Object;

    #[test]
    fn a_reference_that_moves_ahead_of_the_flushes_is_not_seen() {
        let mut object = Object::default();
        object.count = 1;
        let mut deltas = [0; 3];
        enum Call {
            HandOver(usize, usize),
            Flush(usize),
        }
        use Call::*;
        let calls = [HandOver(1, 2), Flush(2), HandOver(2, 1), Flush(1), Flush(0), HandOver(0, 2), Flush(2)];
        for call in calls {
            assert!(!object.freed);
            match call {
                HandOver(from, to) => (deltas[from], deltas[to]) = (deltas[from] + 1, deltas[to] - 1),
                // The right version.
                Flush(core) => object.flush(core, std::mem::take(&mut deltas[core]), false),
            }
        }
        // Nobody has given up the reference that there was at first.
        assert_eq!((object.freed, object.count + deltas.iter().sum::<i32>()), (true, 1));
    }
}
