//! What a check found.

use crate::again::Again;
use crate::runtime;
use gordian_model::{Course, Exploration, FailureKind, Insight, Names, Plan, Recording, Trace};
use gordian_report::{Look, Sources, Story};
use gordian_search::{Character, FrontierUse, Guarantee, Statistics, Summary, Unexplained};
use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
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
    original: Option<Trace>,
    /// How it was found.
    exploration: Option<Box<Exploration>>,
    /// As the surroundings ask for it, once somebody does: to draw it takes longer than many a search.
    text: OnceLock<String>,
    /// All steps are shown.
    detailed: bool,
    saved: Option<PathBuf>,
    /// How to repeat it, or why it could not be saved.
    remark: Option<String>,
}

impl Failure {
    pub(crate) fn new(
        failure: gordian_model::Failure,
        trace: Trace,
        plan: Plan,
        original: Option<Trace>,
        detailed: bool,
    ) -> Failure {
        let (text, exploration, saved, remark) = (OnceLock::new(), None, None, None);
        Failure { failure, trace, plan, original, exploration, text, detailed, saved, remark }
    }

    /// The text for the surroundings.
    fn told(&self) -> &str {
        self.text.get_or_init(|| {
            // What tests print is captured, and may end up in a file: without colours.
            let look = Look::from_environment(false).measured(runtime::columns);
            self.draw(&look.detailed(self.detailed))
        })
    }

    /// One that no execution shows.
    pub(crate) fn without_trace(failure: gordian_model::Failure) -> Failure {
        Failure::new(failure, Trace::default(), Plan::default(), None, false)
    }

    fn draw(&self, look: &Look) -> String {
        let none = Names::default();
        let names = self.plan.names.as_ref().unwrap_or(&none);
        let story = Story { failure: &self.failure, trace: &self.trace, names, insight: &self.plan.insight };
        gordian_report::text(&story, &Sources::from_environment(), look)
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

    /// What explains it: who waits for what, the other side of a race; each with its thread and place.
    pub fn notes(&self) -> impl Iterator<Item = String> + '_ {
        let names = self.plan.names.as_ref();
        self.failure.notes.iter().map(move |note| {
            let thread = note
                .thread
                .zip(names)
                .map_or_else(String::new, |(t, names)| format!("{}: ", names.thread(t)));
            let site =
                names.and_then(|names| names.site(note.site)).map_or_else(String::new, |s| format!(" ({s})"));
            format!("{thread}{}{site}", note.text)
        })
    }

    /// The text that a person reads, for a terminal of so many columns.
    pub fn text(&self, width: usize) -> String {
        self.draw(&Look::plain(width))
    }

    /// The same with every step.
    pub fn detailed(&self, width: usize) -> String {
        self.draw(&Look::plain(width).detailed(true))
    }

    /// What was found out about it by running the test again.
    pub fn insight(&self) -> &Insight {
        &self.plan.insight
    }

    /// What the execution did that was found first, if this one was made from it by leaving things out, and it was not
    /// too long to be kept.
    pub fn original(&self) -> Option<&Trace> {
        self.original.as_ref()
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

    /// Saves it, with all that is needed to show it and to repeat it.
    pub fn save(&self, path: impl AsRef<Path>) -> Result<(), gordian_model::FileError> {
        self.recording().save(path.as_ref())
    }

    pub(crate) fn recording(&self) -> Recording {
        Recording {
            plan: self.plan.clone(),
            trace: Some(self.trace.clone()),
            text: self.text(80),
            original: self.original.clone(),
            exploration: self.exploration.as_deref().cloned(),
        }
    }

    /// How it was found, if a search has found it.
    pub fn exploration(&self) -> Option<&Exploration> {
        self.exploration.as_deref()
    }

    pub(crate) fn set_exploration(&mut self, exploration: Exploration) {
        self.exploration = Some(Box::new(exploration));
    }

    pub(crate) fn set_saved(&mut self, path: Option<PathBuf>, remark: String) {
        self.saved = path;
        self.remark = Some(remark);
    }

    pub(crate) fn add_remark(&mut self, line: &str) {
        let remark = self.remark.get_or_insert_default();
        if !remark.is_empty() {
            remark.push('\n');
        }
        remark.push_str(line);
    }

    pub(crate) fn remarks(&self) -> impl Iterator<Item = &str> {
        self.remark.iter().flat_map(|remark| remark.lines())
    }

    pub(crate) fn what(&self) -> &gordian_model::Failure {
        &self.failure
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.told())?;
        if let Some(remark) = &self.remark {
            writeln!(f, "{remark}")?;
        }
        Ok(())
    }
}

/// What a check found.
#[derive(Clone, Debug)]
pub struct Report {
    pub(crate) summary: Summary,
    pub(crate) failures: Vec<Failure>,
    unreached: Vec<String>,
    /// No thread was spawned in any execution.
    pub(crate) alone: bool,
    /// How a replay went.
    pub(crate) replayed: Option<String>,
    /// How to run the test again, if an execution failed.
    pub(crate) again: Option<Box<Again>>,
}

impl Report {
    #[inline]
    pub(crate) fn new(summary: Summary, failures: Vec<Failure>) -> Report {
        Report { summary, failures, unreached: Vec::new(), alone: false, replayed: None, again: None }
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

    /// What the first failure needs: the least number of preemptions, of variables they are made at, and of threads that
    /// have to be in a certain order. This runs the test again, often.
    pub fn characterise(&self) -> Result<Character, Unexplained> {
        let (again, failure) =
            self.again.as_ref().zip(self.failures.first()).ok_or(Unexplained::NoFailure)?;
        again.characterise(&failure.failure, &failure.plan)
    }

    pub(crate) fn failure_mut(&mut self) -> Option<&mut Failure> {
        self.failures.first_mut()
    }

    /// The markers that had to be reached by some execution and were not.
    pub fn unreached(&self) -> &[String] {
        &self.unreached
    }

    /// Takes note of the markers that were not reached: a failure, if nothing else failed and nothing is left to try.
    pub(crate) fn set_unreached(&mut self, unreached: Vec<String>) {
        if !unreached.is_empty() && self.failures.is_empty() && self.complete() {
            let message = format!(
                "not covered: no execution reached {}; the search is complete, so none can (gordian::cover!)",
                unreached.join(", ")
            );
            let failure = gordian_model::Failure::new(FailureKind::NotCovered, message);
            self.failures.push(Failure::without_trace(failure));
            self.summary.guarantee = Guarantee::Failed;
        }
        self.unreached = unreached;
    }

    /// The executions that a complete search takes, by the current estimate: known exactly once the search is complete, before that
    /// if it goes through a tree depth first, or has such a search among its own. The estimate grows as long as
    /// more races are found.
    pub fn estimate(&self) -> Option<Estimate> {
        if self.complete() {
            return Some(Estimate { executions: self.executions() as f64 });
        }
        let executions = self.course()?.tree.as_ref()?.estimate()?;
        Some(Estimate { executions })
    }

    /// What the search was like on the way, unless it was complete at once and found nothing.
    pub fn course(&self) -> Option<&Course> {
        self.summary.course.as_deref()
    }

    /// Data races that were passed over, each pair of places once (`races = "explore"`, native programs).
    pub fn races(&self) -> &[gordian_model::Race] {
        &self.summary.races
    }

    /// Steps taken in all executions together.
    pub fn steps(&self) -> u64 {
        self.summary.steps
    }

    /// What the executions were like.
    pub fn statistics(&self) -> &Statistics {
        &self.summary.statistics
    }

    /// How much the search kept of executions that had yet to be made, if it keeps them at all.
    pub fn frontier(&self) -> Option<FrontierUse> {
        self.summary.frontier
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
                    "text": f.told(),
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
            "frontier": self.frontier().map(|f| {
                serde_json::json!({
                    "most_nodes": f.most_nodes,
                    "most_bytes": f.most_bytes,
                    "spilled": f.spilled,
                })
            }),
            "estimate": self.estimate().map(|estimate| estimate.executions),
            "statistics": {
                "classes": self.statistics().classes(),
                "steps": self.statistics().steps().map(|(min, median, max)| {
                    serde_json::json!({ "min": min, "median": median, "max": max })
                }),
                "preemptions": self.statistics().preemptions(),
                "cut": self.statistics().cut(),
                "outside": {
                    "executions": self.statistics().outside().0,
                    "waits": self.statistics().outside().1,
                },
            },
            "unreached": self.unreached,
            "failures": failures,
        })
        .to_string()
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for failure in &self.failures {
            f.write_str(failure.told())?;
        }
        if let Some(replayed) = &self.replayed {
            return f.write_str(replayed);
        }
        if self.failure().is_some_and(|f| f.kind() == FailureKind::Misuse) && self.executions() == 0 {
            return Ok(());
        }
        if !self.unreached.is_empty() && self.failures.is_empty() {
            writeln!(f, "not reached so far: {}", self.unreached.join(", "))?;
        }
        let s = if self.executions() == 1 { "execution" } else { "executions" };
        let blocked =
            if self.blocked() > 0 { format!(" and {} cut short", self.blocked()) } else { String::new() };
        write!(
            f,
            "{} ({} {s}{blocked}, {} steps, {:.3?})",
            self.guarantee(),
            self.executions(),
            self.steps(),
            self.elapsed()
        )?;
        if self.executions() > 0 {
            write!(f, "\n{}", self.statistics())?;
        }
        if self.alone && self.failures.is_empty() {
            write!(
                f,
                "\nnote: the closure spawned no thread with gordian::thread, so nothing could be interleaved; threads of std's are not under control"
            )?;
        }
        // Last, where it is found at once and easily copied.
        for remark in self.failures.iter().filter_map(|failure| failure.remark.as_ref()) {
            write!(f, "\n{remark}")?;
        }
        Ok(())
    }
}
