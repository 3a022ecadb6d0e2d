//! What a search has seen, in a few numbers. Taking an execution in costs a few instructions, whatever its length.

use gordian_model::Trace;
use std::fmt;

/// Lengths below this have a bucket each; above, each doubling has [`PARTS`] buckets.
const EXACT: u32 = 128;
const PARTS: u32 = 16;

/// What the executions of a search were like; those that were cut short because of a sleep set do not count.
#[derive(Clone, Debug, Default)]
pub struct Statistics {
    executions: u64,
    shortest: u32,
    longest: u32,
    /// How many executions had so many steps; nothing as long as all had as many.
    lengths: Vec<u64>,
    preemptions: u32,
    /// How many executions had so many preemptions; the last counts those with more, too.
    by_preemptions: [u64; 16],
    cut: u64,
    /// Executions that were looked at for waiting outside of control, and how often there was any.
    outside: (u64, u64),
    pub(crate) classes: Option<u64>,
}

impl Statistics {
    /// Takes in an execution that came to its end or failed.
    #[inline]
    pub fn take_in(&mut self, trace: &Trace) {
        self.measure(trace.len() as u32);
        self.cut += u64::from(trace.cut);
        // Those of steps that were taken back do not count, so where there are any the rest has to be counted.
        let preempted = match trace.has_taken_back() {
            true => trace.preemptions() as u32,
            false => trace.preempted,
        };
        self.preemptions = self.preemptions.max(preempted);
        self.by_preemptions[preempted.min(15) as usize] += 1;
    }

    /// Takes in the length of one more execution.
    #[inline]
    fn measure(&mut self, steps: u32) {
        if self.executions == 0 {
            (self.shortest, self.longest) = (steps, steps);
        }
        if steps != self.shortest || steps != self.longest {
            self.count(steps);
        }
        self.executions += 1;
    }

    /// Counts an execution where not all are equally long.
    #[inline(never)]
    fn count(&mut self, steps: u32) {
        if self.lengths.is_empty() {
            self.make_room(bucket(self.longest));
            self.lengths[bucket(self.longest)] = self.executions;
        }
        self.shortest = self.shortest.min(steps);
        self.longest = self.longest.max(steps);
        let bucket = bucket(steps);
        if bucket >= self.lengths.len() {
            self.make_room(bucket);
        }
        self.lengths[bucket] += 1;
    }

    /// As much as is needed: most tests are small, and their searches short.
    #[cold]
    fn make_room(&mut self, bucket: usize) {
        self.lengths.resize((bucket + 1).next_multiple_of(32), 0);
    }

    /// Forgets everything.
    pub(crate) fn clear(&mut self) {
        *self = Statistics::default();
    }

    /// Steps of the shortest execution, of one in the middle, and of the longest. That in the middle is exact up to 127 steps,
    /// and at most six percent too low beyond.
    pub fn steps(&self) -> Option<(u32, u32, u32)> {
        if self.executions == 0 {
            return None;
        }
        let mut seen = 0;
        let middle = self.lengths.iter().position(|&n| {
            seen += n;
            seen * 2 >= self.executions
        });
        let median = least(middle.unwrap_or(0)).clamp(self.shortest, self.longest);
        Some((self.shortest, median, self.longest))
    }

    /// The most preemptions in one execution.
    pub fn preemptions(&self) -> u32 {
        self.preemptions
    }

    /// How many executions had 0, 1, 2, ... preemptions, up to the most there were; the sixteenth counts those with more, too.
    pub fn by_preemptions(&self) -> &[u64] {
        let counted = if self.executions == 0 { 0 } else { self.preemptions.min(15) as usize + 1 };
        &self.by_preemptions[..counted]
    }

    /// Executions in which a limit cut a pausing loop.
    pub fn cut(&self) -> u64 {
        self.cut
    }

    /// How many executions were looked at for whether the program waited for something that the search does not control (a lock, a
    /// thread or a channel of std's, a file, real time), and how often it did. A front end that cannot tell looks at none; and
    /// what the program does outside of control without waiting is not seen.
    pub fn outside(&self) -> (u64, u64) {
        self.outside
    }

    /// Says so.
    pub fn set_outside(&mut self, executions: u64, waited: u64) {
        self.outside = (executions, waited);
    }

    /// The classes of equivalent executions that there are, if the search knows.
    pub fn classes(&self) -> Option<u64> {
        self.classes
    }
}

impl fmt::Display for Statistics {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Some((min, median, max)) = self.steps() else { return f.write_str("no executions") };
        match self.classes {
            Some(1) => f.write_str("1 class, ")?,
            Some(classes) => write!(f, "{classes} classes, ")?,
            None => {}
        }
        match (min, max) {
            (1, 1) => f.write_str("1 step in each execution")?,
            _ if min == max => write!(f, "{min} steps in each execution")?,
            _ => write!(f, "{min} to {max} steps in an execution (median {median})")?,
        }
        match self.preemptions {
            0 => f.write_str(", no preemptions")?,
            1 => f.write_str(", at most 1 preemption")?,
            most => write!(f, ", at most {most} preemptions")?,
        }
        if self.cut > 0 {
            let share = 100.0 * self.cut as f64 / self.executions as f64;
            write!(f, ", {share:.1}% with a pausing loop cut short (Checker::fair_rounds)")?;
        }
        // Once in a while the system lets anybody wait.
        let (executions, waited) = self.outside;
        if waited > 4 && waited * 2 > executions {
            write!(f, ", {waited} waits that are not under control")?;
        }
        Ok(())
    }
}

#[inline]
fn bucket(steps: u32) -> usize {
    if steps < EXACT {
        return steps as usize;
    }
    let doubling = steps.ilog2();
    let part = (steps >> (doubling - PARTS.ilog2())) - PARTS;
    (EXACT + (doubling - EXACT.ilog2()) * PARTS + part) as usize
}

/// The least number of steps that falls into the bucket.
fn least(bucket: usize) -> u32 {
    let Some(above) = (bucket as u32).checked_sub(EXACT) else { return bucket as u32 };
    let (doubling, part) = (EXACT.ilog2() + above / PARTS, above % PARTS);
    (PARTS + part) << (doubling - PARTS.ilog2())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_length_is_in_the_bucket_that_begins_at_most_a_sixteenth_below_it() {
        for steps in (0..5_000).chain((5_000..u32::MAX - 1_000_003).step_by(1_000_003)).chain([u32::MAX]) {
            let from = least(bucket(steps));
            assert!(from <= steps && (steps - from) as u64 * 16 <= steps as u64, "{steps} in {from}");
            assert!(steps >= EXACT || from == steps);
        }
    }

    #[test]
    fn the_middle_is_the_middle() {
        let mut statistics = Statistics::default();
        [7, 7].into_iter().for_each(|steps| statistics.measure(steps));
        assert_eq!(statistics.steps(), Some((7, 7, 7)));
        [3, 200, 1].into_iter().for_each(|steps| statistics.measure(steps));
        assert_eq!(statistics.steps(), Some((1, 7, 200)));
        statistics.clear();
        assert_eq!(statistics.steps(), None);
    }
}
