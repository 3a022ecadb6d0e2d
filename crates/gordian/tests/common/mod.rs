//! What several tests share.
#![allow(dead_code)]

pub mod dice;
pub mod pseudo;

use gordian::{Checker, Report};
use std::collections::BTreeMap;
use std::fmt::Debug;
use std::sync::{Arc, Mutex};

/// What a search showed.
pub struct Seen<T> {
    pub report: Report,
    /// Outcomes, and in how many executions each was seen.
    pub outcomes: BTreeMap<T, u64>,
    /// Classes, and how many executions were of each.
    pub classes: BTreeMap<u64, u64>,
}

/// Searches a closure that gives its outcome.
pub fn search<T>(how: &str, body: impl Fn() -> T + Send + Sync + 'static) -> Seen<T>
where
    T: Ord + Debug + Send + 'static,
{
    let outcomes = Arc::new(Mutex::new(BTreeMap::new()));
    let classes = Arc::new(Mutex::new(BTreeMap::new()));
    let (counts, seen) = (outcomes.clone(), classes.clone());
    let report = Checker::new()
        .search(how)
        .observe(move |trace| {
            if trace.end == gordian_model::End::Complete {
                *seen.lock().unwrap().entry(gordian_search::fingerprint::fingerprint(trace)).or_default() +=
                    1;
            }
        })
        .run(move || {
            let outcome = body();
            *counts.lock().unwrap().entry(outcome).or_default() += 1;
        });
    let outcomes = std::mem::take(&mut *outcomes.lock().unwrap());
    let classes = std::mem::take(&mut *classes.lock().unwrap());
    Seen { report, outcomes, classes }
}
