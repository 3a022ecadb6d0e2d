//! How a test ended.

use super::find::Case;
use serde_json::{Value, json};
use std::fmt;
use std::path::{Path, PathBuf};
use std::process::ExitStatus;
use std::time::Duration;

/// In a word.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Verdict {
    Passed,
    Failed,
    /// The check itself could not be done.
    Error,
    Ignored,
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Verdict::Passed => "passed",
            Verdict::Failed => "failed",
            Verdict::Error => "error",
            Verdict::Ignored => "ignored",
        })
    }
}

/// What was found.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Found {
    pub(crate) kind: String,
    pub(crate) message: String,
    pub(crate) trace: Option<PathBuf>,
    /// What a person reads of it; the rest of the text comes after it.
    pub(crate) text: String,
}

impl Found {
    fn new(kind: &str, message: String) -> Found {
        Found { kind: kind.to_owned(), message, trace: None, text: String::new() }
    }

    /// The page beside the trace.
    pub(crate) fn page(&self) -> Option<PathBuf> {
        self.trace.as_ref().map(|trace| trace.with_extension("html")).filter(|page| page.is_file())
    }
}

/// How a test ended.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Outcome {
    pub(crate) verdict: Verdict,
    pub(crate) executions: u64,
    pub(crate) steps: u64,
    /// Of the search, if there was one.
    pub(crate) elapsed: Duration,
    pub(crate) guarantee: Option<String>,
    /// What the executions were like, as the report has it.
    pub(crate) statistics: Value,
    pub(crate) complete: bool,
    /// A failure was found, and that was what the test wants.
    pub(crate) as_it_should: bool,
    pub(crate) failure: Option<Found>,
    /// All there is to read.
    pub(crate) text: String,
}

/// What a test printed, without what the harness did before it. Where there is one processor only that also names the test, in the same line.
fn by_itself(printed: &str) -> &str {
    let Some(rest) = printed.trim().strip_prefix("running 1 test") else { return printed.trim() };
    let rest = rest.trim_start();
    let named = rest.strip_prefix("test ").and_then(|rest| rest.split_once(" ... "));
    match named {
        Some((name, rest)) if !name.contains('\n') => rest.trim(),
        _ => rest.trim(),
    }
}

impl Outcome {
    /// Of a test that was not run.
    pub(crate) fn ignored() -> Outcome {
        Outcome {
            verdict: Verdict::Ignored,
            executions: 0,
            steps: 0,
            elapsed: Duration::ZERO,
            guarantee: None,
            statistics: Value::Null,
            complete: false,
            as_it_should: false,
            failure: None,
            text: String::new(),
        }
    }

    /// Of a test that could not be run.
    pub(crate) fn error(message: String) -> Outcome {
        let failure = Found::new("misuse", message.clone());
        Outcome { verdict: Verdict::Error, failure: Some(failure), text: message, ..Outcome::ignored() }
    }

    /// Of a test that was left running for too long.
    pub(crate) fn stuck(record: &Value, took: Duration, printed: &str) -> Outcome {
        let message = format!(
            "the test did not come to an end and was stopped after {took:.1?}: either one execution takes that long, or \
             it is in a loop without an op, which never gives the processor back"
        );
        Outcome::cut_short(record, took, Found::new("stuck", message), printed)
    }

    /// Of a test that has ended, from what it left and what it printed.
    pub(crate) fn ended(record: &Value, status: ExitStatus, took: Duration, printed: &str) -> Outcome {
        let report = &record["report"];
        if !report.is_object() {
            let message = format!("the process of the test ended before the search did: {status}");
            return Outcome::cut_short(record, took, Found::new("abnormal exit", message), printed);
        }
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        let found = report["failures"].get(0).map(|failure| Found {
            kind: text(&failure["kind"]),
            message: text(&failure["message"]),
            trace: failure["trace"].as_str().map(PathBuf::from),
            text: text(&failure["text"]),
        });
        let misused = found.as_ref().is_some_and(|found| found.kind == "misuse");
        let verdict = match status.success() {
            true => Verdict::Passed,
            false if misused => Verdict::Error,
            false => Verdict::Failed,
        };
        let expected = record["should_fail"].as_str();
        let remark = match (verdict, expected, &found) {
            (Verdict::Failed, Some(_), None) => {
                Some("should_fail: a failure was expected, but there is none".to_owned())
            }
            (Verdict::Failed, Some(expected), Some(found)) => {
                Some(format!("should_fail = {expected:?}: a {} was found instead", found.kind))
            }
            (Verdict::Failed, None, None) => Some(format!(
                "nothing was found, and yet the test did not pass ({status}); with #[should_panic] something has to panic"
            )),
            (Verdict::Passed, _, Some(found)) => Some(format!("failed, as it should: {}", found.message)),
            _ => None,
        };
        let as_it_should = verdict == Verdict::Passed && found.is_some();
        let whole = text(&record["text"]);
        let (failure, text) = match (verdict, found, remark) {
            (Verdict::Passed, None, _) => (None, whole),
            (Verdict::Passed, Some(_), remark) => (None, remark.unwrap_or_default()),
            (_, found, Some(remark)) => {
                let kind = found.map_or_else(|| "no failure".to_owned(), |found| found.kind);
                let text = format!("{remark}\n{whole}");
                (Some(Found::new(&kind, remark)), text)
            }
            (_, found, None) => (found, whole),
        };
        Outcome {
            verdict,
            executions: report["executions"].as_u64().unwrap_or_default(),
            steps: report["steps"].as_u64().unwrap_or_default(),
            elapsed: Duration::try_from_secs_f64(report["seconds"].as_f64().unwrap_or_default())
                .unwrap_or_default(),
            guarantee: report["guarantee"].as_str().map(str::to_owned),
            statistics: report["statistics"].clone(),
            complete: report["complete"].as_bool().unwrap_or_default(),
            as_it_should,
            failure,
            text,
        }
    }

    fn cut_short(record: &Value, took: Duration, found: Found, printed: &str) -> Outcome {
        let text = match by_itself(printed) {
            "" => found.message.clone(),
            printed => format!("{}\nthe last it printed:\n{printed}", found.message),
        };
        Outcome {
            verdict: Verdict::Failed,
            executions: record["executions"].as_u64().unwrap_or_default(),
            steps: record["steps"].as_u64().unwrap_or_default(),
            elapsed: took,
            failure: Some(found),
            text,
            ..Outcome::ignored()
        }
    }

    /// What programs read.
    pub(crate) fn to_json(&self, case: &Case<'_>) -> Value {
        let path = |path: &Path| path.display().to_string();
        json!({
            "name": case.name,
            "package": case.program.package,
            "program": case.program.label,
            "verdict": self.verdict.to_string(),
            "executions": self.executions,
            "steps": self.steps,
            "elapsed": self.elapsed.as_secs_f64(),
            "complete": self.complete,
            "guarantee": self.guarantee,
            "statistics": self.statistics,
            "failure": self.failure.as_ref().map(|found| json!({
                "kind": found.kind,
                "message": found.message,
                "trace": found.trace.as_deref().map(path),
                "report": found.page().as_deref().map(path),
            })),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::by_itself;

    #[test]
    fn the_words_of_the_harness_are_not_those_of_the_test() {
        assert_eq!(by_itself("\nrunning 1 test\na last word\n"), "a last word");
        assert_eq!(by_itself("\nrunning 1 test\ntest tests::it ... a last word\n"), "a last word");
        assert_eq!(by_itself("running 1 test\ntest of\nwaiting ... still"), "test of\nwaiting ... still");
        assert_eq!(by_itself(" by itself "), "by itself");
    }
}
