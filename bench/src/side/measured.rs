//! What a tool did with a program, over all rounds, in numbers.

use super::cell::Found;
use super::libraries::End;
use super::tool::{Library, Tool};
use super::truth::Truth;

/// What one tool did with one program.
#[derive(Debug, Clone)]
pub struct Measured {
    /// Whose it is.
    pub tool: Tool,
    /// Why there is nothing.
    pub unsupported: Option<&'static str>,
    /// What each round found out.
    pub rounds: Vec<Found>,
}

/// The middle one.
pub fn median(mut values: Vec<f64>) -> Option<f64> {
    values.sort_by(f64::total_cmp);
    let (len, half) = (values.len(), values.len() / 2);
    match len {
        0 => None,
        _ if len % 2 == 1 => Some(values[half]),
        _ => Some(f64::midpoint(values[half - 1], values[half])),
    }
}

impl Measured {
    /// The first round, which decides what is said about verdicts and outcomes.
    pub fn first(&self) -> Option<&Found> {
        self.rounds.first()
    }

    /// How the search ended, if it did.
    pub fn end(&self) -> Option<&End> {
        self.first()?.runs.first().map(|run| &run.end)
    }

    /// CPU seconds of a search that ended.
    pub fn seconds(&self) -> Option<f64> {
        median(
            self.rounds
                .iter()
                .filter_map(|found| median(found.runs.iter().map(|run| run.seconds).collect()))
                .collect(),
        )
    }

    /// Executions, and whether these are all.
    pub fn executions(&self) -> Option<(u64, bool)> {
        let first = self.first()?;
        let all = first.runs.first().map(|run| (run.executions, true));
        all.or(first.capped.map(|(executions, _)| (executions, false)))
    }

    /// Executions per CPU second, in the fastest piece of all rounds if they were long enough.
    pub fn rate(&self) -> Option<f64> {
        let pieces = self.rounds.iter().flat_map(|found| found.pieces.iter().copied());
        pieces.max_by(f64::total_cmp).or_else(|| self.overall_rate())
    }

    /// Executions per CPU second, in the piece in the middle of the round in the middle.
    pub fn usual_rate(&self) -> Option<f64> {
        let middles = self.rounds.iter().filter_map(|found| median(found.pieces.clone())).collect();
        median(middles).or_else(|| self.overall_rate())
    }

    fn overall_rate(&self) -> Option<f64> {
        match (self.executions()?, self.seconds()) {
            ((executions, true), Some(seconds)) => Some(executions as f64 / seconds),
            _ => self.first()?.capped.map(|(executions, seconds)| executions as f64 / seconds),
        }
    }

    /// How many of the searches found the bug, and of how many.
    pub fn found(&self, seeds: u64) -> (usize, u64) {
        let of = if self.tool.random { seeds } else { 1 };
        let runs = self.first().map_or(&[][..], |found| &found.runs);
        let failed = runs.iter().filter(|run| matches!(run.end, End::Failure(_))).count();
        (failed.min(of as usize), of)
    }

    /// Has loom failed in its first execution, which has no preemption, although no such execution can fail?
    pub fn is_impossible(&self, truth: &Truth) -> bool {
        let first = self.first().and_then(|found| found.runs.first());
        self.tool.library == Library::Loom
            && truth.needs_preemption
            && first.is_some_and(|run| run.executions == 1 && matches!(run.end, End::Failure(_)))
    }

    /// Median executions and CPU seconds to the bug; searches that do not find it count as endless.
    pub fn to_the_bug(&self, seeds: u64) -> Option<(f64, f64)> {
        let all = |found: &Found| {
            let mut values: Vec<(f64, f64)> = found
                .runs
                .iter()
                .map(|run| match run.end {
                    End::Failure(_) => (run.executions as f64, run.seconds),
                    _ => (f64::INFINITY, f64::INFINITY),
                })
                .collect();
            if self.tool.random {
                values.resize(seeds as usize, (f64::INFINITY, f64::INFINITY));
            }
            let executions = median(values.iter().map(|v| v.0).collect())?;
            Some((executions, median(values.iter().map(|v| v.1).collect())?))
        };
        let rounds: Vec<(f64, f64)> = self.rounds.iter().filter_map(all).collect();
        let executions = median(rounds.iter().map(|v| v.0).collect())?;
        let seconds = median(rounds.iter().map(|v| v.1).collect())?;
        seconds.is_finite().then_some((executions, seconds))
    }
}

#[cfg(test)]
mod tests {
    use super::super::cell::Run;
    use super::super::tool::SHUTTLE;
    use super::*;

    fn rates(rounds: Vec<Found>) -> [Option<f64>; 2] {
        let measured = Measured { tool: SHUTTLE, unsupported: None, rounds };
        [measured.rate(), measured.usual_rate()]
    }

    #[test]
    fn a_rate_is_that_of_the_fastest_piece_or_of_the_one_in_the_middle() {
        let round = |pieces: &[f64]| Found { pieces: pieces.to_vec(), ..Found::default() };
        let rounds = [[1.0, 9.0, 2.0], [3.0, 4.0, 5.0], [8.0, 6.0, 7.0]];
        assert_eq!(rates(rounds.iter().map(|pieces| round(pieces)).collect()), [Some(9.0), Some(4.0)]);
    }

    #[test]
    fn what_was_too_short_for_pieces_has_the_rate_of_the_whole() {
        let run = Run { executions: 6, seconds: 0.5, end: End::Complete };
        assert_eq!(rates(vec![Found { runs: vec![run], ..Found::default() }]), [Some(12.0); 2]);
        assert_eq!(rates(vec![Found { capped: Some((6, 2.0)), ..Found::default() }]), [Some(3.0); 2]);
        assert_eq!(rates(vec![Found::default()]), [None; 2]);
    }
}
