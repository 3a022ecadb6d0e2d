//! Short names for objects: kind and line of creation, numbered where that does not tell them apart.

use gordian_model::{Names, ObjectId, Trace};
use std::collections::BTreeMap;

/// The short names of the objects of one trace.
pub(crate) struct Objects {
    labels: Vec<String>,
    /// Short name and place of creation of each object that a step touched.
    pub(crate) legend: Vec<(String, String)>,
}

impl Objects {
    pub(crate) fn new(trace: &Trace, names: &Names) -> Objects {
        let mut touched = vec![false; trace.objects.len()];
        for access in trace.steps.iter().flat_map(|s| &s.accesses) {
            if let Some(t) = touched.get_mut(access.object.index()) {
                *t = true;
            }
        }
        let mut counts: BTreeMap<String, u32> = BTreeMap::new();
        let mut labels = Vec::new();
        let mut legend = Vec::new();
        for (i, info) in trace.objects.iter().enumerate() {
            // A channel has three numbers in a row; it is shown under the first.
            if !touched[i] {
                labels.push(String::new());
                continue;
            }
            let line = names.site(info.site).map_or(0, |s| s.line);
            let base = format!("{}@{line}", info.kind);
            let count = counts.entry(base.clone()).or_default();
            *count += 1;
            let label = if *count == 1 { base } else { format!("{base}#{count}") };
            legend.push((label.clone(), names.place(info.site)));
            labels.push(label);
        }
        Objects { labels, legend }
    }

    pub(crate) fn label(&self, object: ObjectId, names: &Names) -> String {
        match object.as_life() {
            Some(thread) => names.thread(thread),
            None => self.labels.get(object.index()).cloned().unwrap_or_default(),
        }
    }
}
