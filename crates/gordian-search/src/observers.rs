//! Writes that nobody sees.
//!
//! Two writes conflict only if somebody reads the later one: of writes that are overwritten unread it does not matter which
//! came first (Aronis, Jonsson, Lång, Sagonas, "Optimal dynamic partial order reduction with observers", TACAS 2018,
//! section 3). Whether a write is read is known when the execution is over.

use gordian_model::{Act, ObjectId, OpKind, Step, Trace};

/// The steps of a trace, with writes that nobody saw told apart.
#[derive(Debug, Default)]
pub struct Observed {
    steps: Vec<Step>,
    /// For each object the last write to it that has not been seen yet.
    last: Vec<(ObjectId, usize)>,
}

impl Observed {
    /// The steps of a trace, with [`Act::Seen`] and [`Act::Unseen`] for stores.
    pub fn steps(&mut self, trace: &Trace) -> &[Step] {
        self.steps.clear();
        self.steps.extend(trace.steps.iter().cloned());
        self.last.clear();
        for i in 0..self.steps.len() {
            for k in 0..self.steps[i].accesses.len() {
                let access = self.steps[i].accesses[k];
                if !matches!(access.act, Act::Read | Act::Write) {
                    continue;
                }
                let last = self.last.iter().position(|&(object, _)| object == access.object);
                let writes_only = self.steps[i].kind == OpKind::Store;
                if !writes_only && let Some(last) = last {
                    self.see(last);
                }
                if writes_only {
                    self.steps[i].accesses[k].act = Act::Unseen;
                }
                match last {
                    Some(last) if access.act == Act::Write => self.last[last].1 = i,
                    None if access.act == Act::Write => self.last.push((access.object, i)),
                    _ => {}
                }
            }
        }
        &self.steps
    }

    /// The write was seen.
    fn see(&mut self, last: usize) {
        let (object, step) = self.last[last];
        let accesses = self.steps[step].accesses.iter_mut();
        accesses.filter(|a| a.object == object && a.act == Act::Unseen).for_each(|a| a.act = Act::Seen);
    }
}
