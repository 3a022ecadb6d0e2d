//! The sentence that is true when the search stops.

use serde::{Deserialize, Serialize};

/// What a strategy has proved so far, if no execution failed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Proved {
    /// Nothing beyond the executions that were seen.
    Nothing,
    /// No execution at all fails.
    All,
    /// No execution of some kind fails: "with at most 2 preemptions".
    Within(String),
    /// A failure of some kind would have been found with some probability; a whole sentence.
    Chance(String),
}

/// What is known about the executions that were not seen.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[non_exhaustive]
pub enum Guarantee {
    /// No execution at all fails.
    AllInterleavings {
        /// Pausing loops were cut after so many rounds.
        cut_after: Option<u32>,
    },
    /// No execution of some kind fails.
    Within {
        /// Of which kind: "with at most 2 preemptions".
        within: String,
        /// Pausing loops were cut after so many rounds.
        cut_after: Option<u32>,
        /// The limit that stopped the search from proving more, and the knob that changes it.
        limit: Option<String>,
    },
    /// A failure of some kind would have been found with some probability.
    Chance {
        /// The sentence that says so.
        sentence: String,
        /// The executions that were seen.
        executions: u64,
        /// The limit and the knob that changes it.
        limit: Option<String>,
    },
    /// A limit stopped the search.
    Partial {
        /// The executions that were seen.
        executions: u64,
        /// The limit and the knob that changes it.
        limit: String,
    },
    /// Something holds for executions that switch at some variables only.
    At {
        /// Where else they switch.
        points: String,
        /// What holds for them.
        holds: Box<Guarantee>,
    },
    /// There is a failure.
    Failed,
}

impl Guarantee {
    /// The same, if switches were tried at these points only.
    pub fn at(self, points: String) -> Guarantee {
        match self {
            Guarantee::Failed => Guarantee::Failed,
            holds => Guarantee::At { points, holds: Box::new(holds) },
        }
    }

    /// What is known when the search stops without a failure.
    pub(crate) fn new(
        proved: Proved,
        executions: u64,
        cut_after: Option<u32>,
        limit: Option<String>,
    ) -> Guarantee {
        match proved {
            Proved::All => Guarantee::AllInterleavings { cut_after },
            Proved::Within(within) => Guarantee::Within { within, cut_after, limit },
            Proved::Chance(sentence) => Guarantee::Chance { sentence, executions, limit },
            Proved::Nothing => {
                let limit =
                    limit.unwrap_or_else(|| "the end of the search, which promises no more".to_owned());
                Guarantee::Partial { executions, limit }
            }
        }
    }
}

/// "1 thread", "2 threads", "3 accesses".
pub(crate) fn count(n: u64, what: &str) -> String {
    let ending = match n {
        1 => "",
        _ if what.ends_with('s') => "es",
        _ => "s",
    };
    format!("{n} {what}{ending}")
}

struct Tried(u64);

impl std::fmt::Display for Tried {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "no failure in the {} tried", count(self.0, "execution"))
    }
}

impl std::fmt::Display for Guarantee {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let (cut_after, limit) = match self {
            Guarantee::AllInterleavings { cut_after } => {
                f.write_str("no failure in any interleaving")?;
                (*cut_after, None)
            }
            Guarantee::Within { within, cut_after, limit } => {
                write!(f, "no failure in any interleaving {within}")?;
                (*cut_after, limit.as_ref())
            }
            Guarantee::Chance { sentence, executions, limit } => {
                write!(f, "{}; {sentence}", Tried(*executions))?;
                (None, limit.as_ref())
            }
            Guarantee::Partial { executions, limit } => {
                write!(f, "{}", Tried(*executions))?;
                (None, Some(limit))
            }
            Guarantee::At { points, holds } => {
                return write!(f, "for interleavings at {points} only: {holds}");
            }
            Guarantee::Failed => return f.write_str("a failure was found"),
        };
        if let Some(rounds) = cut_after {
            let and = if matches!(self, Guarantee::Within { .. }) { " and" } else { "" };
            write!(
                f,
                "{and} in which no thread pauses more than {rounds} times in a row while another could go on (Checker::fair_rounds)"
            )?;
        }
        match limit {
            Some(limit) => write!(f, "; stopped by {limit}"),
            None => Ok(()),
        }
    }
}
