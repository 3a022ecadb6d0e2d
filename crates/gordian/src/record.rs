//! What a test leaves for the program that started it: its report, as one line of JSON in the file that the environment names.
//!
//! While the search goes on, the file holds a line that says how far it is.

use crate::report::Report;
use serde_json::json;
use std::path::PathBuf;
use std::time::{Duration, Instant};

/// Names the file.
pub(crate) const VARIABLE: &str = "GORDIAN_RESULT";

fn file() -> Option<PathBuf> {
    std::env::var_os(VARIABLE).filter(|path| !path.is_empty()).map(PathBuf::from)
}

/// Writes what a test found, if somebody wants to know, and what people are told of it.
pub(crate) fn write(name: &str, should_fail: Option<&str>, report: &Report, text: &str) {
    let Some(file) = file() else { return };
    let parsed: serde_json::Value = serde_json::from_str(&report.to_json()).unwrap_or_default();
    let line = json!({ "name": name, "should_fail": should_fail, "report": parsed, "text": text });
    put(&file, &line);
}

fn put(file: &std::path::Path, line: &serde_json::Value) {
    // The test goes on without; whoever waits for the file sees that it is not there.
    if let Err(error) = std::fs::write(file, format!("{line}\n")) {
        eprintln!("{VARIABLE}: cannot write {}: {error}", file.display());
    }
}

/// How far a search is, told a few times a second.
pub(crate) struct Progress {
    file: PathBuf,
    executions: u64,
    steps: u64,
    told: Instant,
}

impl Progress {
    /// If somebody wants to know.
    pub(crate) fn wanted() -> Option<Progress> {
        Some(Progress { file: file()?, executions: 0, steps: 0, told: Instant::now() })
    }

    /// Another execution, of so many steps.
    pub(crate) fn count(&mut self, steps: usize) {
        self.executions += 1;
        self.steps += steps as u64;
        // The clock is looked at seldom enough to cost nothing.
        if self.executions.is_multiple_of(64) && self.told.elapsed() > Duration::from_millis(200) {
            self.told = Instant::now();
            put(&self.file, &json!({ "executions": self.executions, "steps": self.steps }));
        }
    }
}
