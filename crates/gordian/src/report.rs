//! What a check found.

use gordian_model::{FailureKind, Names, Plan, Recording, Trace};
use gordian_search::{Guarantee, Summary};
use std::fmt;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// An estimate of the whole search.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Estimate {
    /// Executions in all.
    pub executions: f64,
}

/// A failing execution.
#[derive(Clone, Debug)]
pub struct Failure {
    failure: gordian_model::Failure,
    trace: Trace,
    plan: Plan,
    text: String,
    saved: Option<PathBuf>,
}

impl Failure {
    pub(crate) fn new(failure: gordian_model::Failure, trace: Trace, plan: Plan, names: &Names) -> Failure {
        let text = gordian_report::text(&failure, &trace, names, width());
        Failure { failure, trace, plan, text, saved: None }
    }

    /// What is wrong.
    pub fn kind(&self) -> FailureKind {
        self.failure.kind
    }

    /// The sentence that says so.
    pub fn message(&self) -> &str {
        &self.failure.message
    }

    /// How often the execution switched away from a thread that could have gone on.
    pub fn preemptions(&self) -> usize {
        self.trace.preemptions()
    }

    /// What the execution did.
    pub fn trace(&self) -> &Trace {
        &self.trace
    }

    /// How to repeat it.
    pub fn plan(&self) -> &Plan {
        &self.plan
    }

    /// The file it was saved to.
    pub fn path(&self) -> Option<&Path> {
        self.saved.as_deref()
    }

    pub(crate) fn save(&mut self, path: PathBuf) -> Result<(), gordian_model::FileError> {
        let recording = Recording { plan: self.plan.clone(), trace: Some(self.trace.clone()), text: self.text.clone() };
        recording.save(&path)?;
        self.saved = Some(path);
        Ok(())
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)?;
        if let Some(path) = &self.saved {
            write!(f, "replay: GORDIAN_REPLAY={} cargo test", path.display())?;
            if !self.plan.program.is_empty() {
                write!(f, " {}", self.plan.program)?;
            }
            writeln!(f)?;
        }
        Ok(())
    }
}

/// The width of the terminal: `COLUMNS` if it is set.
fn width() -> usize {
    std::env::var("COLUMNS").ok().and_then(|c| c.parse().ok()).unwrap_or(100).clamp(40, 400)
}

/// What a check found.
#[derive(Clone, Debug)]
pub struct Report {
    summary: Summary,
    failures: Vec<Failure>,
    pub(crate) unreached: Vec<String>,
}

impl Report {
    pub(crate) fn new(summary: Summary, failures: Vec<Failure>) -> Report {
        Report { summary, failures, unreached: Vec::new() }
    }

    /// Executions carried to their end or to a failure.
    pub fn executions(&self) -> u64 {
        self.summary.executions
    }

    /// Executions abandoned because of a sleep set; none under the optimal reduction.
    pub fn blocked(&self) -> u64 {
        self.summary.blocked
    }

    /// Is the search space within the bounds exhausted?
    pub fn complete(&self) -> bool {
        self.summary.complete
    }

    /// The sentence that is now true.
    pub fn guarantee(&self) -> &Guarantee {
        &self.summary.guarantee
    }

    /// The first failure.
    pub fn failure(&self) -> Option<&Failure> {
        self.failures.first()
    }

    /// All failures.
    pub fn failures(&self) -> &[Failure] {
        &self.failures
    }

    pub(crate) fn failure_mut(&mut self) -> Option<&mut Failure> {
        self.failures.first_mut()
    }

    /// Executions in all, by the current estimate: known exactly once the search is complete.
    pub fn estimate(&self) -> Option<Estimate> {
        self.complete().then(|| Estimate { executions: self.executions() as f64 })
    }

    /// Steps taken in all executions together.
    pub fn steps(&self) -> u64 {
        self.summary.steps
    }

    /// Time taken.
    pub fn elapsed(&self) -> Duration {
        self.summary.elapsed
    }

    /// The report as one JSON object.
    pub fn to_json(&self) -> String {
        let failures: Vec<_> = self
            .failures
            .iter()
            .map(|f| {
                serde_json::json!({
                    "kind": f.kind().to_string(),
                    "message": f.message(),
                    "preemptions": f.preemptions(),
                    "steps": f.trace().len(),
                    "trace": f.path().map(|p| p.display().to_string()),
                    "text": f.text,
                })
            })
            .collect();
        serde_json::json!({
            "executions": self.executions(),
            "blocked": self.blocked(),
            "complete": self.complete(),
            "guarantee": self.guarantee().to_string(),
            "steps": self.steps(),
            "seconds": self.elapsed().as_secs_f64(),
            "failures": failures,
        })
        .to_string()
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for failure in &self.failures {
            write!(f, "{failure}")?;
        }
        let s = if self.executions() == 1 { "execution" } else { "executions" };
        let blocked = if self.blocked() > 0 { format!(" and {} cut short", self.blocked()) } else { String::new() };
        write!(f, "{} ({} {s}{blocked}, {} steps, {:.3?})", self.guarantee(), self.executions(), self.steps(), self.elapsed())
    }
}
