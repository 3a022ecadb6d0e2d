//! The sentence that is true when the search stops.

use serde::{Deserialize, Serialize};

/// What is known about the executions that were not seen.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[non_exhaustive]
pub enum Guarantee {
    /// No execution at all fails.
    AllInterleavings {
        /// Pausing loops were cut after so many rounds.
        cut_after: Option<u32>,
    },
    /// A limit stopped the search.
    Partial {
        /// The executions that were seen.
        executions: u64,
        /// The limit and the knob that changes it.
        limit: String,
    },
    /// There is a failure.
    Failed,
}

impl std::fmt::Display for Guarantee {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Guarantee::AllInterleavings { cut_after: None } => f.write_str("no failure in any interleaving"),
            Guarantee::AllInterleavings { cut_after: Some(rounds) } => write!(
                f,
                "no failure in any interleaving in which no thread pauses more than {rounds} times in a row while another could go on (Checker::fair_rounds)"
            ),
            Guarantee::Partial { executions, limit } => {
                let s = if *executions == 1 { "execution" } else { "executions" };
                write!(f, "no failure in the {executions} {s} tried; stopped by {limit}")
            }
            Guarantee::Failed => f.write_str("a failure was found"),
        }
    }
}
