//! How many of the executions of a search are needed: the inefficiency of the CB-DPOR thesis (6.4), executions for each class of equivalent ones.

use crate::Program;
use gordian::Checker;
use gordian_model::End;
use gordian_search::fingerprint::fingerprint;
use std::collections::HashSet;
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// What a search made of the fixed version of a program.
#[derive(Clone, Copy, Debug)]
pub struct Efficiency {
    /// Executions, those that were cut short included.
    pub executions: u64,
    /// Those that were cut short by a sleep set.
    pub blocked: u64,
    /// Classes of equivalent executions.
    pub classes: u64,
    /// Did it come to its end?
    pub complete: bool,
}

impl Efficiency {
    /// Executions for each class.
    pub fn inefficiency(&self) -> f64 {
        self.executions as f64 / self.classes as f64
    }
}

/// Searches the fixed version, up to so many executions and seconds.
pub fn measure(program: &Program, search: &str, executions: u64, seconds: u64) -> Efficiency {
    let body = program.body;
    let classes = Arc::new(Mutex::new(HashSet::new()));
    let seen = Arc::clone(&classes);
    let report = Checker::new()
        .search(search)
        .executions(executions)
        .time(Duration::from_secs(seconds))
        .observe(move |trace| {
            if trace.end != End::Asleep {
                seen.lock().expect("nobody panics with it").insert(fingerprint(trace));
            }
        })
        .run(move || body(false));
    let classes = classes.lock().expect("nobody panics with it").len() as u64;
    Efficiency {
        executions: report.executions() + report.blocked(),
        blocked: report.blocked(),
        classes,
        complete: report.complete(),
    }
}
