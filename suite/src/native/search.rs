//! Searching a program and its twin, and whether what comes out is what was expected.

use super::tools::{Tools, output};
use super::{Language, Program};
use gordian_search::Limits;
use serde_json::Value;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

/// How much is done.
#[derive(Clone, Copy, Debug)]
pub struct Effort {
    /// The most seconds for a bug.
    pub bug: u64,
    /// The most seconds for a twin.
    pub twin: u64,
    /// The most seconds for the fixed version of a published crate.
    pub published: u64,
    /// The most executions of a twin.
    pub executions: Option<u64>,
    /// Programs at the same time.
    pub jobs: usize,
}

impl Effort {
    /// For a table, one at a time.
    pub const FULL: Effort = Effort { bug: 60, twin: 20, published: 60, executions: None, jobs: 1 };
    /// For a test.
    pub const QUICK: Effort = Effort { bug: 60, twin: 5, published: 5, executions: Some(200), jobs: 2 };

    /// The limits for a program without a bug.
    pub fn limits(&self) -> Limits {
        let time = Some(Duration::from_secs(self.twin));
        Limits { executions: self.executions, time, ..Limits::default() }
    }
}

/// What the command says about a program.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// The kind of the failure, and what it says.
    pub failure: Option<(String, String)>,
    /// Executions up to the failure or to the end.
    pub executions: u64,
    /// How long they took, without compiling.
    pub seconds: f64,
    /// What is known now.
    pub guarantee: String,
}

/// A program with what was found.
#[derive(Debug)]
pub struct Row {
    /// The program.
    pub program: Program,
    /// Of the program as it is.
    pub buggy: Result<Outcome, String>,
    /// Of its twin.
    pub fixed: Result<Outcome, String>,
}

impl Row {
    /// What is not as expected.
    pub fn wrong(&self) -> Option<String> {
        let name = &self.program.name;
        let (buggy, fixed) = match (&self.buggy, &self.fixed) {
            (Ok(buggy), Ok(fixed)) => (buggy, fixed),
            (Err(message), _) => return Some(format!("{name}: {message}")),
            (_, Err(message)) => return Some(format!("{name}, fixed: {message}")),
        };
        let expected = self.program.expected.join(" or ");
        match &buggy.failure {
            None => {
                return Some(format!("{name}: expected {expected}, and there is {}", buggy.guarantee));
            }
            Some((kind, message)) => {
                let is = |word: &String| kind == word || message.contains(word.as_str());
                if !self.program.expected.iter().any(is) {
                    return Some(format!("{name}: expected {expected}, and there is {message}"));
                }
            }
        }
        let (_, message) = fixed.failure.as_ref()?;
        Some(format!("{name}: the fixed version fails: {message}"))
    }
}

/// Searches one program, buggy or fixed.
pub fn search(tools: &Tools, program: &Program, fixed: bool, effort: &Effort) -> Result<Outcome, String> {
    let mut call = tools.compile(program, fixed)?;
    let seconds = match (fixed, program.language) {
        (false, _) => effort.bug,
        (true, Language::Published) => effort.published,
        (true, _) => effort.twin,
    };
    call.command.arg("--json").arg(format!("--time={seconds}s"));
    if let Some(executions) = effort.executions.filter(|_| fixed) {
        call.command.arg(format!("--executions={executions}"));
    }
    call.command.arg("--report").arg(tools.out().join("failures")).args(&call.after);
    // A stack is told with every failure anyway.
    let said = output(call.command.env("RUST_BACKTRACE", "0"))?;
    let value: Value = serde_json::from_slice(&said.stdout).map_err(|_| {
        format!(
            "{:?} ended with {}: {}",
            call.command,
            said.status,
            String::from_utf8_lossy(&said.stderr).trim()
        )
    })?;
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let failure = value["failures"].get(0).map(|failure| (text(&failure["kind"]), text(&failure["message"])));
    Ok(Outcome {
        failure,
        executions: value["executions"].as_u64().unwrap_or_default(),
        seconds: value["seconds"].as_f64().unwrap_or_default(),
        guarantee: text(&value["guarantee"]),
    })
}

/// Searches all of them and their twins. `tell` is called for each.
pub fn search_all(
    tools: &Tools,
    programs: &[Program],
    effort: &Effort,
    tell: impl Fn(&Row, f64) + Sync,
) -> Vec<Row> {
    let next = AtomicUsize::new(0);
    let rows = Mutex::new(Vec::new());
    std::thread::scope(|scope| {
        for _ in 0..effort.jobs {
            scope.spawn(|| {
                while let Some(program) = programs.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let start = Instant::now();
                    let buggy = search(tools, program, false, effort);
                    let fixed = search(tools, program, true, effort);
                    let row = Row { program: program.clone(), buggy, fixed };
                    tell(&row, start.elapsed().as_secs_f64());
                    rows.lock().expect("nobody panics with it").push(row);
                }
            });
        }
    });
    let mut rows = rows.into_inner().expect("nobody panics with it");
    let place = |name: &str| programs.iter().position(|program| program.name == name);
    rows.sort_by_key(|row: &Row| place(&row.program.name));
    rows
}
