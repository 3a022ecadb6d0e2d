//! What a search by random priorities may say when it has found nothing.
//!
//! Each run finds a bug of the kind that is looked for with at least some probability, provided that it was drawn for at
//! least as many steps as any execution has. That is known only of what was seen. So the runs are counted anew
//! whenever one was longer than expected, and the sentence names what it rests on.

use crate::guarantee::{Proved, count};
use gordian_model::Trace;

/// What the bound rests on, over all executions that were seen.
#[derive(Debug, Default)]
pub(super) struct Record {
    /// Runs that were drawn for all that was seen up to now.
    pub(super) runs: u64,
    /// The most threads that took steps.
    pub(super) threads: u32,
    /// Some op had more than one outcome.
    varied: bool,
    /// A pausing loop was cut.
    cut: bool,
    scratch: Vec<bool>,
}

impl Record {
    /// Takes in an execution. `fits` says that it had no more than what runs are drawn for.
    pub(super) fn add(&mut self, trace: &Trace, fits: bool) {
        let mut threads = 0;
        self.scratch.fill(false);
        for step in &trace.steps {
            let i = step.thread.index();
            if self.scratch.len() <= i {
                self.scratch.resize(i + 1, false);
            }
            threads += u32::from(!std::mem::replace(&mut self.scratch[i], true));
            self.varied |= step.outcomes > 1;
        }
        self.threads = self.threads.max(threads);
        self.cut |= trace.cut;
        if !fits {
            self.runs = 0;
        }
    }

    /// The sentence about bugs of this kind, which one run finds with this probability; `seen` is what that rests on, if no
    /// execution has more `things`.
    pub(super) fn proved(&self, bug: &str, chance: f64, seen: &str, things: &str) -> Proved {
        if self.runs == 0 {
            return Proved::Nothing;
        }
        let (threads, runs) = (count(self.threads.into(), "thread"), count(self.runs, "run"));
        if self.varied {
            // The theorem is about the order of steps; an op with several outcomes may have to have a certain one as well.
            return Proved::Chance(format!(
                "how likely {bug} would have been found cannot be said, because some ops have several outcomes and theirs \
                 were drawn as well ({threads}, {seen}, {runs})"
            ));
        }
        let all = -f64::exp_m1(self.runs as f64 * f64::ln_1p(-chance));
        let cut = if self.cut { ", or pauses more often than Checker::fair_rounds allows" } else { "" };
        Proved::Chance(format!(
            "{bug} would have been found with probability at least {} ({threads}, {seen}, {runs}), provided that \
             no execution has more {things}{cut}",
            rounded_down(all)
        ))
    }
}

/// A probability with two digits that tell something, and never more than it is.
fn rounded_down(probability: f64) -> String {
    let probability = probability.min(0.999_999_9);
    let telling = probability.min(1.0 - probability).max(1e-6);
    let digits = (1.0 - telling.log10().floor()) as usize;
    let scale = 10f64.powi(digits as i32);
    format!("{:.digits$}", (probability * scale).floor() / scale)
}

#[cfg(test)]
mod tests {
    use super::rounded_down;

    #[test]
    fn a_probability_is_never_overstated() {
        let cases = [
            (0.979_9, "0.979"),
            (0.5, "0.50"),
            (0.000_123_9, "0.00012"),
            (0.999_999_999_9, "0.9999999"),
            (1.0, "0.9999999"),
            (0.0, "0.0000000"),
        ];
        for (probability, text) in cases {
            assert_eq!(rounded_down(probability), text);
        }
    }
}
