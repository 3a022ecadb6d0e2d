//! A reference cache, after sv6's `refcache` (Clements et al., EuroSys 2013). Each core counts references for itself and adds that to the common count now and then; an object
//! whose count is found 0 twice, an epoch apart, is freed. That it was something else in between has to be noted, and here is not: a reference counted by the one core and
//! given up by the other makes it 0 twice while the object is in use.

use crate::Program;
use gordian::sync::{Mutex, Semaphore};
use gordian::thread;

/// The bug.
pub const PROGRAM: Program = Program {
    name: "reference-cache",
    source: "CB-DPOR thesis, table 6-1: refcache of sv6",
    about: "an object is freed because its count was 0 twice, though not all the time",
    threads: 4,
    proof: "preemptions:2",
    body: reference_cache,
    ..Program::USUAL
};

pub(crate) const CORES: usize = 3;

#[derive(Default)]
pub(crate) struct Object {
    pub(crate) count: i32,
    /// It was 0 and is looked at again when all cores have added up theirs: how often had each, then?
    doubted: Option<[u32; CORES]>,
    /// It was not 0 since then.
    dirty: bool,
    flushes: [u32; CORES],
    pub(crate) freed: bool,
}

impl Object {
    /// Adds what a core has counted.
    pub(crate) fn flush(&mut self, core: usize, delta: i32, buggy: bool) {
        self.count += delta;
        self.flushes[core] += 1;
        match self.doubted {
            None if self.count == 0 => {
                self.doubted = Some(self.flushes);
                self.dirty = false;
            }
            Some(then) if self.flushes.iter().zip(then).all(|(&now, then)| now > then) => {
                self.doubted = None;
                if self.count == 0 && self.dirty && !buggy {
                    self.doubted = Some(self.flushes);
                    self.dirty = false;
                } else if self.count == 0 {
                    self.freed = true;
                }
            }
            _ => {}
        }
        self.dirty |= self.count != 0;
    }
}

fn reference_cache(buggy: bool) {
    let object = Mutex::new(Object { count: 1, ..Object::default() });
    let handed_over = Semaphore::new(0);
    thread::scope(|s| {
        // One core makes references, the others together give up as many; the one that there was at first stays.
        s.spawn(|| {
            for _ in 0..3 {
                handed_over.release();
                handed_over.release();
                object.lock().unwrap().flush(0, 2, buggy);
            }
        });
        for core in 1..CORES {
            let (object, handed_over) = (&object, &handed_over);
            s.spawn(move || {
                for _ in 0..3 {
                    handed_over.acquire();
                    object.lock().unwrap().flush(core, -1, buggy);
                    assert!(!object.lock().unwrap().freed, "the object is in use and was freed");
                }
            });
        }
    });
    assert_eq!(object.lock().unwrap().count, 1, "references were counted wrongly");
}
