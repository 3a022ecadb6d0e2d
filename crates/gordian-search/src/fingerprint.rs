//! A number for the equivalence class of a trace: the same for two traces that differ only in the order of
//! steps that commute. Used to check that reductions visit every class, and the optimal one each exactly once.

use crate::order::{Order, Race};
use gordian_model::{Step, Trace};
use rustc_hash::FxHasher;
use std::hash::{Hash, Hasher};

/// The fingerprint of the class of a trace.
pub fn fingerprint(trace: &Trace) -> u64 {
    let mut prefixes = Vec::new();
    Fingerprints::default().of_prefixes(trace, &mut prefixes);
    prefixes[trace.len()]
}

/// Takes fingerprints, keeping its memory.
#[derive(Debug, Default)]
pub(crate) struct Fingerprints {
    order: Order,
    races: Vec<Race>,
}

impl Fingerprints {
    /// The fingerprint of each prefix of a trace, from the empty one to the whole.
    pub(crate) fn of_prefixes(&mut self, trace: &Trace, into: &mut Vec<u64>) {
        self.order.truncate(0);
        self.order.keep_clocks();
        self.races.clear();
        into.clear();
        let mut sum = 0u64;
        into.push(sum);
        for (i, step) in trace.steps.iter().enumerate() {
            self.order.push(&trace.steps, &mut self.races);
            sum = sum.wrapping_add(part(step, self.order.clock(i)));
            into.push(sum);
        }
    }
}

/// What a step adds to the fingerprint: what it does, and after which steps of each thread.
pub(crate) fn part(step: &Step, clock: &[u32]) -> u64 {
    let mut hasher = FxHasher::default();
    (step.thread, step.kind, step.outcome, step.site).hash(&mut hasher);
    for (thread, &time) in clock.iter().enumerate().filter(|&(_, &time)| time > 0) {
        (thread, time).hash(&mut hasher);
    }
    mix(hasher.finish())
}

/// The hasher is linear, so that sums of its results meet by chance far too often (MurmurHash3's finaliser).
pub(crate) fn mix(mut h: u64) -> u64 {
    h ^= h >> 33;
    h = h.wrapping_mul(0xFF51_AFD7_ED55_8CCD);
    h ^= h >> 33;
    h = h.wrapping_mul(0xC4CE_B9FE_1A85_EC53);
    h ^ (h >> 33)
}
